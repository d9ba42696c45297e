"""What a page says to search engines, how it is printed, room for its pictures, and nothing that
nobody asks for.
"""

import re
from pathlib import Path

import nbformat
from docutils import nodes
from PIL import Image
from pygments.formatters import HtmlFormatter
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge

from ledgerbook.chapters import notebooks
from ledgerbook.project import paths, storage

TAB_ICON = (
    '\n<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22'
    " viewBox=%220 0 16 16%22%3E%3Cpath d=%22M2 9l4 4 8-10%22 fill=%22none%22"
    ' stroke=%22%230b57c4%22 stroke-width=%223%22/%3E%3C/svg%3E">'
)
# Maps of scripts, a second and a third set of icons, other languages of the theme.
UNASKED = (
    "_static/**/*.map",
    "_static/scripts/fontawesome.js*",
    "_static/**/*.ttf",
    "_static/locales/**/*.*",
)
# What stands in code as the code itself does, and the kinds that are told from each other by no
# reader: of strings, numbers, keywords, comments.
PLAIN = {"n", "nn", "nx", "o", "p", "pm", "w"}
KINDS = "smkc"
DESCRIPTION = 155  # characters that a search engine shows


def describe(app, pagename, templatename, context, doctree) -> None:
    """A line on the page for search engines and previews: its first paragraph."""
    context["metatags"] = (context.get("metatags") or "") + TAB_ICON
    if pagename == paths.document("intro"):
        context["docstitle"] = ""  # its title is the book's: once is enough
    if doctree is None:
        return
    words = next((" ".join(p.astext().split()) for p in doctree.findall(nodes.paragraph)), "")
    text = words if len(words) <= DESCRIPTION else words[:DESCRIPTION].rsplit(" ", 1)[0] + " …"
    plain = re.sub(r"[<>\"&]", "", text)
    title = re.sub(r"<[^>]*>|\"", "", context.get("title") or "")
    context["metatags"] += (
        f'\n<meta name="description" content="{plain}">'
        f'\n<meta property="og:title" content="{title}">'
        f'\n<meta property="og:description" content="{plain}">'
    )


def size_pictures(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Room kept for each picture before it is there, so that the page does not jump."""
    if app.builder.name != "html":  # elsewhere no style keeps the ratio of a narrower one
        return
    for image in doctree.findall(nodes.image):
        file = Path(app.srcdir, image["uri"])
        given = re.fullmatch(r"(\d+)px", image.get("width", ""))
        known = file.suffix == ".png" and file.is_file()
        if known and (given or "width" not in image):
            with Image.open(file) as picture:
                wide, high = picture.size
            width = int(given[1]) if given else wide
            image["width"], image["height"] = str(width), str(round(high * width / wide))


class Light(HtmlFormatter):
    """Code in which what has a colour of its own is an element and the rest is text: a third of the
    markup.
    """

    def _get_css_classes(self, kind):
        found = super()._get_css_classes(kind)
        if not found or found in PLAIN:
            return ""
        return found[0] if found[0] in KINDS else found


def prune(app: Sphinx, exception: Exception | None) -> None:
    """Take out of a built site what the theme copies and no page loads, and out of the notebooks
    that are offered what their page shows.
    """
    if exception is None and app.builder.name == "html":
        for pattern in UNASKED:
            for file in Path(app.outdir).glob(pattern):
                file.unlink()
        for file in Path(app.outdir, "_sources").rglob("*.ipynb"):
            notebook = notebooks.read(file)
            for cell in notebooks.code_cells(notebook):
                cell.outputs, cell.execution_count = [], None
            storage.write_atomically(file, nbformat.writes(notebook).encode())


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
    app.connect("build-finished", prune)
    app.connect("html-page-context", describe)
    app.connect("doctree-resolved", size_pictures)
