"""Less to load: no script for icons, sizes on pictures, no file that no page asks for."""

import io
import re
import struct
from pathlib import Path

import nbformat
from docutils import nodes
from PIL import Image, ImageChops, ImageStat
from pygments.formatters import HtmlFormatter
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge
from sphinx.util.parallel import ParallelTasks, SerialTasks, parallel_available

from ledgerbook import mathfont, paths, storage
from ledgerbook.data_scripts import packed

ICONS = "_static/vendor/fontawesome/webfonts/fa-solid-900.woff2"
ICON = re.compile(r"\.fa-([a-z0-9-]+):before")
UNUSED = (
    *("_static/**/*.map", "_static/locales", "_static/**/*.ttf", "_static/**/fa-brands*"),
    *("_static/scripts/fontawesome.js*", "_static/**/fa-regular*"),
    *("_static/images", "_static/*webpack-macros.html"),  # logos of buttons that are not shown
)
NAMED = re.compile(r"""_images/[^\s"'/)]+""")
LOSSLESS = {"lossless": True, "method": 4, "quality": 75}  # more takes minutes and wins nothing
PLAIN = {"n", "nn", "o", "p", "w"}  # names, operators, punctuation, space
ALIKE = {"sa": "s2", "se": "s2", "si": "s2", "s1": "s2"}  # parts of a string, of its colour
COLOURS = (64, 256)  # of a picture: more where few would show
SHOWS = 0.5  # mean difference of a pixel, of 255, that asks for more
TAB_ICON = (
    '\n<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22'
    " viewBox=%220 0 16 16%22%3E%3Cpath d=%22M2 9l4 4 8-10%22 fill=%22none%22"
    ' stroke=%22%230b57c4%22 stroke-width=%223%22/%3E%3C/svg%3E">'
)
DESCRIPTION = 155  # characters that a search engine shows


def write_font(folder: Path) -> None:
    """The font of the formulas, with its licence."""
    target = folder / "_fonts" / "stix-two-math.woff2"
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        (target.parent / "LICENCE.txt").write_text(mathfont.LICENCE, encoding="utf-8")
        storage.write_atomically(target, mathfont.woff2())


def describe(app, pagename, templatename, context, doctree) -> None:
    """A line on the page for search engines and previews: its first paragraph."""
    context["metatags"] = (context.get("metatags") or "") + TAB_ICON
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


def png_size(file: Path) -> tuple[int, int] | None:
    """Width and height of a PNG in pixels; ``None`` for anything else."""
    with open(file, "rb") as stream:
        head = stream.read(24)
    whole = len(head) == 24 and head.startswith(b"\x89PNG")
    return struct.unpack(">II", head[16:]) if whole else None


def size_pictures(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Room kept for each picture before it is there, so that the page does not jump."""
    if app.builder.name != "html":  # elsewhere no style keeps the ratio of a narrower one
        return
    for image in doctree.findall(nodes.image):
        file = Path(app.srcdir, image["uri"])
        given = re.fullmatch(r"(\d+)px", image.get("width", ""))
        size = png_size(file) if (given or "width" not in image) and file.is_file() else None
        if size:
            width = int(given[1]) if given else size[0]
            image["width"], image["height"] = str(width), str(round(size[1] * width / size[0]))


def prune(app: Sphinx, exception: Exception | None) -> None:
    """Take out of the built site what no page loads, and cut the icons' font to those used."""
    if exception is not None or app.builder.name != "html":
        return
    site = Path(app.outdir)
    for pattern in UNUSED:
        for file in sorted(site.glob(pattern)):
            _remove(file)
    many = app.parallel if parallel_available else 1
    files = [*sorted(site.glob("_images/*.png")), *sorted(site.glob("_sources/**/*.ipynb"))]
    tasks: ParallelTasks | SerialTasks = ParallelTasks(many) if many > 1 else SerialTasks()
    for share in range(many):  # as many of each as of the others
        tasks.add_task(_pack, files[share::many])
    tasks.join()
    _cut_icons(site)


def _pack(files: list[Path]) -> None:
    """Make pictures and notebooks of the site smaller."""
    for file in files:
        if file.suffix == ".png":
            as_webp(file)
        else:
            _without_outputs(file)


def as_webp(file: Path) -> None:
    """A picture in the form of the fewest bytes; an opaque one with a palette, edges as smooth."""
    out = io.BytesIO()
    with Image.open(file) as picture:
        opaque = picture.convert("RGBA").getchannel("A").getextrema() == (255, 255)
        whole = picture.convert("RGB" if opaque else "RGBA")
        fewer = _quantized(whole).convert("RGB") if opaque and picture.mode != "P" else whole
    fewer.save(out, "WEBP", exact=True, **LOSSLESS)
    storage.write_atomically(file.with_suffix(".webp"), out.getvalue())
    file.unlink()


def remove_unnamed(site: Path, named: set[str]) -> None:
    """Take out pictures of earlier builds: those that no page names."""
    for file in sorted(site.glob("_images/*")):
        if f"_images/{file.name}" not in named:
            file.unlink()


def _quantized(picture: Image.Image) -> Image.Image:
    """With as few colours as look the same."""
    for colours in COLOURS:
        fewer = picture.quantize(colours, dither=Image.Dither.NONE)
        difference = ImageChops.difference(fewer.convert("RGB"), picture)
        if max(ImageStat.Stat(difference).mean) <= SHOWS:
            break
    return fewer


class FewerSpans(HtmlFormatter):
    """Code whose names, operators and signs have the colour of text, and so no element."""

    def _get_css_class(self, ttype) -> str:
        name = super()._get_css_class(ttype)
        return "" if name in PLAIN else ALIKE.get(name, name)


def _remove(path: Path) -> None:
    if path.is_dir():
        for inside in path.iterdir():
            _remove(inside)
        path.rmdir()
    else:
        path.unlink()


def _without_outputs(file: Path) -> None:
    """A notebook for download: the page shows its outputs, running it makes them."""
    notebook = nbformat.read(file, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    paths.write_if_changed(file, packed(notebook, sort_keys=True) + "\n")


def _cut_icons(site: Path) -> None:
    """The font of icons with the signs that pages name."""
    from fontTools import subset, ttLib

    styles = "".join(
        file.read_text(encoding="utf-8") for file in sorted(site.glob("_static/styles/*.css"))
    )
    codes = {
        name: int(code, 16)
        for names, code in re.findall(r'((?:\.fa-[a-z0-9-]+:before,?)+)\{content:"\\(\w+)"', styles)
        for name in ICON.findall(names)
    }
    files = [*site.glob("**/*.html"), *site.glob("_static/scripts/*.js")]
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    used = {codes[name] for name in set(re.findall(r"\bfa-([a-z0-9-]+)", text)) if name in codes}
    file = site / ICONS
    font = ttLib.TTFont(io.BytesIO(file.read_bytes()), recalcTimestamp=False)
    if used and len(font.getGlyphOrder()) > 2 * len(used):
        cutter = subset.Subsetter()
        cutter.populate(unicodes=used)
        cutter.subset(font)
        font.save(file)


def setup(app: Sphinx) -> None:
    """Connect all of it."""
    PygmentsBridge.html_formatter = FewerSpans
    app.connect("html-page-context", describe)
    app.connect("doctree-resolved", size_pictures)
    app.connect("build-finished", prune)
