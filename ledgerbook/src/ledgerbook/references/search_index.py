"""A small index of our own beside Sphinx': numbers, titles, other names, sections, equations.

Sphinx' index knows no digits and no other names; this one is a script that a page loads when
somebody searches, so it works from a folder too.  Other names stand in ``book/aliases.toml``.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from ledgerbook.chapters import data_scripts
from ledgerbook.chapters.statements import judged_in, of_docname
from ledgerbook.project import paths, storage
from ledgerbook.references import targets

ALIASES = paths.BOOK / "aliases.toml"
EXCERPT = 140  # characters
WORDS = re.compile(r"^(?![#:%|>`({-]|\d+\. ).+(?:\n.+)*", re.MULTILINE)  # a paragraph of Markdown
MARKUP = re.compile(r"\{[\w:-]+\}|[*`]|\]\([^)]*\)|\[|<[^>]*>")


def aliases() -> dict[str, list[str]]:
    """Other names by tag, or by document for a page that judges no statement."""
    return storage.table(ALIASES)


def listed(text: str) -> Iterator[str]:
    """The numbers of equations in a list such as ``(3), (15)–(19)``."""
    for first, last in re.findall(r"\((\d+)[^)]*\)(?:–\((\d+)[^)]*\))?", text):
        yield from map(str, range(int(first), int(last or first) + 1))


def about(docname: str) -> str:
    """The first words of a page."""
    source = targets.source(docname)
    found = WORDS.search(source.text)
    words = " ".join(MARKUP.sub("", source.sentence or (found[0] if found else "")).split())
    return words if len(words) <= EXCERPT else words[:EXCERPT].rsplit(" ", 1)[0] + " …"


def entry(docname: str, env: BuildEnvironment) -> dict[str, Any]:
    """What can be found on a page."""
    names, row = aliases(), of_docname(docname)
    here = judged_in(row) if row else []
    links = env.tocs[docname].findall(nodes.reference)
    return {
        "url": f"{docname}.html",
        "title": " ".join(env.titles[docname].astext().split()),
        "about": about(docname),
        "sections": [[one.astext(), one["anchorname"][1:]] for one in links if one["anchorname"]],
        "shows": [number for number, places in targets.shown().items() if docname in places],
        "names": [one.number for one in here],
        "also": [
            *(one.title for one in here),
            *(name for one in here for name in [one.tag, *names.get(one.tag, [])]),
            *names.get(docname.removeprefix("book/"), []),
        ],
        "states": list(listed(row.equations)) if row else [],
    }


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the index as a script, when the site is built."""
    if exception is None and app.builder.name == "html":
        entries = [entry(name, app.env) for name in sorted(app.env.found_docs)]
        data_scripts.write(Path(app.outdir), "found", entries)


def setup(app: Sphinx) -> None:
    """Connect it."""
    app.connect("build-finished", write)
