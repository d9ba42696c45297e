"""What a page says to search engines, how it is printed, room for its pictures, and nothing that
nobody asks for.
"""

import html
import re
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from PIL import Image
from pygments.formatters import HtmlFormatter
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge

from ledgerbook.chapters import notebooks
from ledgerbook.project import storage
from ledgerbook.project.project import current
from ledgerbook.references import search_index
from ledgerbook.site import mathfont, styles

# Maps of scripts, further sets of icons, other languages, and the scripts of the theme and its
# extensions that ``page.js`` stands in for.
UNASKED = (
    "_static/**/*.map",
    "_static/**/fa-brands-*",
    "_static/**/fa-regular-*",
    "_static/**/*.ttf",
    "_static/locales/**/*.*",
    "_static/scripts/*",
    "_static/design-tabs.js",
)
THEIRS = re.compile("scripts/sphinx-book|design-tabs")
SEARCHING = re.compile("(?i)documentation_options|doctools|sphinx_highlight")
# What a reader tells from the rest of code by a colour: strings, keywords, comments, and the names
# that are made, of functions and classes.
KINDS, MADE = "skc", {"nf", "fm", "nc"}


def describe(app, pagename, templatename, context, doctree) -> None:
    """A line on the page for search engines: what our own search says of it."""
    if pagename == current().start():
        context["docstitle"] = ""  # its title is the book's: once is enough
    if doctree is not None:
        said = html.escape(search_index.about(pagename))
        context["metatags"] += f'\n<meta name="description" content="{said}">'


def size_pictures(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Room kept for each picture before it is there, so that the page does not jump."""
    for image in doctree.findall(nodes.image):
        file = Path(app.srcdir, image["uri"])
        given = re.fullmatch(r"(\d+)px", image.get("width", ""))
        known = file.suffix == ".png" and file.is_file()
        if known and (given or "width" not in image):
            with Image.open(file) as picture:
                wide, high = picture.size
            width = int(given[1]) if given else wide
            image["width"], image["height"] = str(width), str(round(high * width / wide))


ARROW = re.compile(r'<svg [^>]*class="sd-octicon sd-octicon-chevron-right".*?</svg>', re.DOTALL)
# Between lines, or what is left as it is.
BLANK = re.compile(r"<(pre|textarea|script|style)\b.*?</\1>|\s*\n\s*", re.DOTALL)


class Light(HtmlFormatter):
    """Code in which what has a colour of its own is an element and the rest is text: a quarter of
    the markup.
    """

    def _get_css_classes(self, kind):
        found = super()._get_css_classes(kind)
        return found[:1] if found[:1] in KINDS else found if found in MADE else ""


def squeezed(page: str) -> str:
    """A page without what nobody sees: empty lines and indents, but where they are shown or run,
    Pygments' first element, a class of code that has no style, and the drawing of each fold's
    arrow, which is a style's (``book.css``).
    """
    page = ARROW.sub("", page.replace("<pre><span></span>", "<pre>"))
    page = page.replace('class="docutils literal ', 'class="literal ')
    return BLANK.sub(lambda found: found[0] if found[1] else "\n", page)


def prune(app: Sphinx, exception: Exception | None) -> None:
    """Take out of a built site what the theme copies and no page loads, and out of the notebooks
    that are offered what their page shows.
    """
    builder: Any = app.builder  # the one that writes HTML
    if exception is None:
        for pattern in UNASKED:
            for file in Path(app.outdir).glob(pattern):
                file.unlink()
        signs: set[str] = set()
        for file in Path(app.outdir).rglob("*.html"):
            page = file.read_text(encoding="utf-8")
            signs |= mathfont.shown(page)
            if (less := squeezed(page)) != page:
                storage.write_atomically(file, less)
        mathfont.cut(Path(app.outdir), signs, current().build / "font")
        names = [one.filename for one in sorted(builder._css_files, key=lambda one: one.priority)]
        styles.join(Path(app.outdir), [name for name in names if not THEIRS.search(name)])
        for file in Path(app.outdir, "_sources").rglob("*.ipynb"):
            notebook = notebooks.read(file)
            for cell in notebooks.code_cells(notebook):
                cell.outputs, cell.execution_count = [], None
            storage.write_atomically(file, nbformat.writes(notebook).encode())


def lighten(app, pagename, templatename, context, doctree) -> None:
    """The scripts that a page asks for: ours, and Sphinx's own where everything is searched."""
    unasked = [THEIRS] if pagename == "search" else [THEIRS, SEARCHING]
    context["script_files"] = [
        one
        for one in context["script_files"]
        if not any(name.search(f"{one.filename} {one.attributes.get('body')}") for name in unasked)
    ]


def offer_whole(app, pagename, templatename, context, doctree) -> None:
    """Beside printing what is open, printing every fold: code, proofs, rows (``fold.js``)."""
    for group in context.get("header_buttons", ()):
        if group["label"] == "download-buttons":
            how = {"text": ".pdf, all of it", "tooltip": "Print with every fold open"}
            group["buttons"].append({**group["buttons"][-1], **how, "javascript": "printWhole()"})


def setup(app: Sphinx) -> None:
    """Connect all of them."""
    PygmentsBridge.html_formatter = Light
    app.connect("html-page-context", offer_whole, priority=502)  # the theme's own come at 501
    app.connect("html-page-context", lighten, priority=950)  # after all have added theirs
    app.connect("build-finished", prune, priority=900)  # after all have copied theirs
    app.connect("html-page-context", describe)
    app.connect("doctree-resolved", size_pictures)
