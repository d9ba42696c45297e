"""The code of the companion as pages of the book: read from the disk, with nothing fetched."""

import math
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from ledgerbook.chapters.statements import written
from ledgerbook.pages import codemap
from ledgerbook.project import markup
from ledgerbook.project.project import current
from ledgerbook.references.targets import code_page


def collect(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """A page for each module, what it is, what stands on it, its code; without the contents beside
    it: they would outweigh the code.  One that is younger than all of that stands as it is.
    """
    highlight = app.builder.highlighter.highlight_block  # type: ignore[attr-defined]
    told = [Path(app.confdir, "conf.py"), current().statements, *codemap.modules()]
    last = changed(*told, *(row.chapter for row in written()))
    modules = codemap.modules()
    for before, file, after in zip([None, *modules], modules, [*modules[1:], None], strict=False):
        page, name = code_page(file), current().relative(file)
        made = Path(app.outdir, f"{page}.html")
        if made.exists() and changed(made) > last:
            continue
        body = markup.render(
            "source.html.jinja",
            name=name,
            about=re.sub(r"[*`]", "", codemap.what_it_is(file)),
            rows=codemap.standing_on()[file],
            up=posixpath.relpath(".", posixpath.dirname(page)),
            beside=[_neighbour(sign, one) for sign, one in (("←", before), ("→", after)) if one],
            map_page=current().document("code") if (current().book / "code.md").exists() else None,
            code=highlight(file.read_text(encoding="utf-8"), "python"),
        )
        yield page, {"title": name, "body": body, "sidebars": []}, "page.html"


def _neighbour(sign: str, file: Path) -> tuple[str, str, str]:
    """Which way a module lies on the map of the code, its page and its name."""
    return sign, code_page(file), current().relative(file)


def changed(*files: Path) -> float:
    """When the last of some files changed; later than any other where one is not there."""
    return max(file.stat().st_mtime if file.exists() else math.inf for file in files)


def setup(app: Sphinx) -> None:
    """Connect it."""
    app.connect("html-collect-pages", collect)
