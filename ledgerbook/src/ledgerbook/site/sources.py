"""The code of the companion as pages of the book: read from the disk, with nothing fetched."""

import ast
import html
import posixpath
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from ledgerbook.pages import codemap
from ledgerbook.project import markup, paths

FOLDER = "source"  # of the site


def modules() -> list[Path]:
    """The modules that have a page: those of the map of the code."""
    return codemap.modules()


def page(file: Path) -> str:
    """The name of a module's page, as in ``source/lib/measure``."""
    return f"{FOLDER}/{paths.relative(file.with_suffix(''))}"


def anchors(text: str) -> dict[int, str]:
    """For the line where a function, class or decorated method starts, decorators included, its
    name; a method's is that of its class and its own, as in ``Lemma05.row``.
    """
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[_first(node)] = node.name
        if isinstance(node, ast.ClassDef):
            rows = [part for part in node.body if isinstance(part, ast.FunctionDef)]
            found |= {_first(r): f"{node.name}.{r.name}" for r in rows if r.decorator_list}
    return found


def _first(node: ast.FunctionDef | ast.ClassDef) -> int:
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


def marked_lines(highlighted: str, names: dict[int, str]) -> str:
    """Highlighted code with an address on each line that starts a function or class."""
    before, pre, code = highlighted.partition("<pre>")
    lines = code.split("\n")
    for number, name in names.items():
        lines[number - 1] = f'<span id="{html.escape(name)}"></span>{lines[number - 1]}'
    return before + pre + "\n".join(lines)


def body(file: Path, highlighted: str) -> str:
    """A module's page: what it is, what stands on it, its code."""
    up = posixpath.relpath(".", posixpath.dirname(page(file)))
    map_page = paths.document("code")
    return markup.render(
        "source.html.jinja",
        name=paths.relative(file),
        about=codemap.what_it_is(file).replace("*", ""),
        rows=codemap.standing_on()[file],
        up=up,
        map_page=map_page if (paths.ROOT / f"{map_page}.md").exists() else None,
        code=highlighted,
    )


def collect(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """A page for each module, without the contents beside it: they would outweigh the code."""
    if app.builder.name != "html":
        return
    highlighter = app.builder.highlighter  # type: ignore[attr-defined]
    for file in modules():
        text = file.read_text(encoding="utf-8")
        highlighted = highlighter.highlight_block(text, "python")
        made = body(file, marked_lines(highlighted, anchors(text)))
        yield page(file), {"title": paths.relative(file), "body": made, "sidebars": []}, "page.html"


def setup(app: Sphinx) -> None:
    """Connect it."""
    app.connect("html-collect-pages", collect)
