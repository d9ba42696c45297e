"""``make epub``: Sphinx' own EPUB 3 builder, with what e-readers ask for beyond it.

Pages become XML, without scripts and what only a script serves; the package says which pages hold
formulas and drawings; parts stand in the table of contents.
"""

import html
import posixpath
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import yaml
from sphinx.application import Sphinx
from sphinx.builders.epub3 import Epub3Builder

from ledgerbook import collect, joined, paths, scratch, site, slim, storage

VOID = {"br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
NAMESPACES = {
    "math": "http://www.w3.org/1998/Math/MathML",
    "svg": "http://www.w3.org/2000/svg",
}
HOLDS = {"mathml": "<math", "svg": "<svg"}  # what the package has to say of a page
# Of no use without a script, or outside of the book.
IDLE = re.compile(r"<iframe\b.*?</iframe>|<input\b[^>]*>|<output\b.*?</output>", re.DOTALL)
ATTRIBUTE = re.compile(r"""([^\s=/"']+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?""")
TOP = "top"  # the address of a whole page
SUMMARY = re.compile(r"<summary.*?</summary>", re.DOTALL)
EXPANDED = re.compile(r'<p class="expanded.*?</p>', re.DOTALL)
STYLESHEET = re.compile(r'<link rel="stylesheet"[^>]*href="(?:\.\./)*([^"]+)"[^>]*>')
ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\w+);)(\w+;)?")


class Book(Epub3Builder):
    """The builder ``epub`` of Sphinx for pages that were written for browsers."""

    media_types = Epub3Builder.media_types | {".woff2": "font/woff2"}

    def copy_extra_files(self) -> None:
        """Of what lies beside the pages of the site, the font of the formulas only."""
        slim.write_font(Path(self.outdir))

    def get_toc(self) -> None:
        """The pages in the reader's order, each part with a title of its own; then mend them."""
        super().get_toc()
        table = yaml.safe_load(paths.TOC.read_text(encoding="utf-8"))
        self.refnodes = list(self._lines(list(joined.places(table))))
        mend(Path(self.outdir))

    def _lines(self, lines: list[joined.Place]) -> Iterator[dict[str, Any]]:
        parts = any(line.caption for line in lines)
        for before, line, after in zip([None, *lines], lines, [*lines[1:], None], strict=False):
            if line.docname:
                # With a fragment where the part's title has led there: a page is counted once.
                place = f"#{TOP}" if before and before.caption else ""
                title = self.env.titles[line.docname].astext()
                yield _line(1 + (parts and line.depth), f"{line.docname}.xhtml{place}", title)
            elif after:
                yield _line(1, f"{after.docname}.xhtml", line.caption)

    def build_content(self) -> None:
        """The package's list of files, with what each of them holds."""
        super().build_content()
        package = Path(self.outdir, "content.opf")
        text = package.read_text(encoding="utf-8")
        text = re.sub(r'(<item id="[^"]+" href="([^"]+\.xhtml)"[^>]*?) />', self._item, text)
        package.write_text(text, encoding="utf-8")

    def _item(self, found: re.Match) -> str:
        file = Path(self.outdir, found[2])
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        held = [name for name, start in HOLDS.items() if start in text]
        return f'{found[1]} properties="{" ".join(held)}" />' if held else found[0]


def _line(level: int, target: str, title: str) -> dict[str, Any]:
    return {"level": level, "refuri": target, "text": html.escape(title)}


def mend(folder: Path) -> None:
    """Make the pages of a folder XML whose links find what they name."""
    files = {file.relative_to(folder).as_posix(): file for file in folder.rglob("*.xhtml")}
    texts = {name: file.read_text(encoding="utf-8") for name, file in files.items()}
    texts = {name: _plain(text, folder) for name, text in texts.items()}
    known = {name: set(re.findall(r'\sid="([^"]+)"', text)) for name, text in texts.items()}
    for name, text in texts.items():
        files[name].write_text(page(text, name, known), encoding="utf-8")


def _plain(text: str, folder: Path) -> str:
    """A page without what needs a script; styles stand in its head, words alone in a summary."""
    text = IDLE.sub("", joined.DROPPED.sub("", text))
    text = SUMMARY.sub(lambda m: re.sub(r"<(/?)p\b", r"<\1span", EXPANDED.sub("", m[0])), text)
    head, body, rest = text.partition("</head>")
    styles = "".join(found[0] for found in joined.STYLE.finditer(rest))
    linked = STYLESHEET.sub(lambda m: m[0] if Path(folder, m[1]).is_file() else "", head)
    return linked + styles + body + joined.STYLE.sub("", rest)


def page(text: str, name: str, known: dict[str, set[str]]) -> str:
    """A page as XML; a link to what the book does not hold becomes plain words.

    name: its path in the book.  known: the addresses within each file of the book.
    Raises ``ValueError`` where it is no XML even so.
    """
    text = joined.TAG.sub(lambda match: _tag(match, name, known), text)
    text = ENTITY.sub(lambda m: html.unescape(m[0]) if m[1] else "&amp;", text)
    try:
        ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ValueError(f"{name}: {error}") from error
    return text


def _tag(match: re.Match, name: str, known: dict[str, set[str]]) -> str:
    close, tag, rest = match.groups()
    if close or tag == "html":
        return match[0]
    attributes = {key: _value(value) if value else key for key, value in ATTRIBUTE.findall(rest)}
    if tag in NAMESPACES:
        attributes["xmlns"] = NAMESPACES[tag]
    if tag == "body":
        attributes["id"] = TOP
    if tag == "a" and "href" in attributes:
        found = target(html.unescape(attributes.pop("href")), name, known)
        attributes = attributes | {"href": html.escape(found)} if found else {}
    words = "".join(f' {key}="{value}"' for key, value in attributes.items())
    end = "/" if tag in VOID or rest.endswith("/") else ""
    return f"<{tag}{words}{end}>"


def _value(written: str) -> str:
    """An attribute's value without the quotes around it, fit to stand in double ones."""
    bare = written[1:-1] if written[0] in "\"'" else written
    return bare.replace('"', "&quot;")


def target(link: str, name: str, known: dict[str, set[str]]) -> str:
    """A link within the book as it must be written; empty where it leads nowhere."""
    if re.match(r"(https?|mailto):", link):
        return link
    file, _, place = link.partition("#")
    file = re.sub(r"\.html$", ".xhtml", file)
    whole = posixpath.normpath(posixpath.join(posixpath.dirname(name), file)) if file else name
    if whole not in known:
        return ""
    return file + (f"#{place}" if place in known[whole] else "") or posixpath.basename(name)


def main() -> int:
    """Read what changed, write the book anew, and put it in its place when it is whole."""
    start = time.monotonic()
    # Beside the site's folder: pictures are written one above it, where nobody may sweep.
    folder = paths.BUILD / "epub"
    with scratch.only_run():
        shutil.rmtree(folder, ignore_errors=True)  # what lies there is packed too
        collect.write(collect.collect())
        site.write_extra()
        site.write_conf()
        print("writing the book as EPUB, which takes minutes", flush=True)
        site.sphinx("epub", folder)
        made = next(folder.glob("*.epub"))
        storage.write_atomically(paths.EPUB, made.read_bytes())
        shutil.rmtree(folder)
    size = paths.EPUB.stat().st_size / 2**20
    print(f"wrote {paths.relative(paths.EPUB)}: {size:.1f} MiB, {time.monotonic() - start:.0f} s")
    return 0


def setup(app: Sphinx) -> dict[str, Any]:
    """Put it in the place of Sphinx' own."""
    app.add_builder(Book, override=True)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
