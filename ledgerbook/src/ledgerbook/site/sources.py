"""The code of the companion as pages of the book: read from the disk, with nothing fetched."""

import posixpath
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from ledgerbook.pages import codemap
from ledgerbook.project import markup, paths

FOLDER = "source"  # of the site


def page(file: Path) -> str:
    """The name of a module's page, as in ``source/lib/measure``."""
    return f"{FOLDER}/{paths.relative(file.with_suffix(''))}"


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
    for file in codemap.modules():
        made = body(file, highlighter.highlight_block(file.read_text(encoding="utf-8"), "python"))
        yield page(file), {"title": paths.relative(file), "body": made, "sidebars": []}, "page.html"


def setup(app: Sphinx) -> None:
    """Connect it."""
    app.connect("html-collect-pages", collect)
