"""At the foot of a page: how to cite it, the papers, the code that it stands on, the licence."""

import html
import posixpath
import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from sphinx.application import Sphinx

from ledgerbook.chapters.statements import Statement, of_docname
from ledgerbook.pages import codemap
from ledgerbook.project import markup, paths, settings
from ledgerbook.site import sources

SPECIAL = re.compile(r"([&%#_$])")


@cache
def citation() -> dict[str, Any]:
    """What ``CITATION.cff`` says; nothing where there is none."""
    file = paths.ROOT / "CITATION.cff"
    return yaml.safe_load(file.read_text(encoding="utf-8")) if file.exists() else {}


def bibtex(name: str | None, key: str) -> str:
    """An entry for a page of the book, or for the book where ``name`` is ``None``."""
    about = citation()
    released = str(about.get("date-released", ""))
    fields = {
        "title": html.unescape(name or about["title"]),
        "author": " and ".join(_author(one) for one in about["authors"]),
        "booktitle": about["title"] if name else "",
        "year": released[:4],
        "doi": about.get("doi", ""),
        "url": about.get("url", ""),
        "note": f"version {about['version']}" + (f", {key}" if name else ""),
    }
    links = ("doi", "url")  # as they are: an escaped link leads nowhere
    lines = [
        f"  {field} = {{{value if field in links else _escaped(value)}}},"
        for field, value in fields.items()
        if value
    ]
    return "\n".join([f"@{'incollection' if name else 'misc'}{{{key},", *lines, "}"])


def _author(one: dict[str, str]) -> str:
    if "family-names" in one:
        return f"{one['family-names']}, {one.get('given-names', '')}".rstrip(", ")
    return f"{{{one['name']}}}"  # braces: one name, not words


def _escaped(text: str) -> str:
    return SPECIAL.sub(r"\\\1", text)


def stands_on(row: Statement) -> list[Path]:
    """The modules of the companion whose source has a page and that a chapter reaches."""
    return sorted(file for file, rows in codemap.standing_on().items() if row in rows)


def foot(docname: str, title: str, root: str) -> str:
    """The fold at the foot of a page, as HTML; ``root`` is the document the book opens with."""
    row = of_docname(docname)
    name = None if docname == root else row.name if row else title
    key = row.tag if row else docname.removeprefix(f"{paths.relative(paths.BOOK)}/")
    up = posixpath.relpath(".", posixpath.dirname(docname) or ".")
    return markup.render(
        "cite.html.jinja",
        entry=bibtex(name, key.replace("/", ".") if name else _short()),
        papers=[one for one in citation().get("references", ()) if "url" in one],
        modules=[(paths.relative(file), sources.page(file)) for file in stands_on(row)]
        if row
        else [],
        licence=(paths.ROOT / "LICENSE").exists(),
        words=citation().get("license", ""),
        up=up,
    )


def _short() -> str:
    """A key for the book itself."""
    return re.sub(r"\W+", "-", settings.settings().title.lower()).strip("-")


def put(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Add the fold to a page that was written, where the companion says how to cite it."""
    if doctree is None or app.builder.name != "html" or not citation():
        return
    plain = re.sub(r"<[^>]+>", "", context.get("title") or pagename)
    context["body"] += foot(pagename, plain, app.config.root_doc)


def know(app: Sphinx, env: Any, docnames: list[str]) -> None:
    """Find out what stands on what, once: before the processes begin that would each do so."""
    if citation() and app.builder.name == "html":
        codemap.standing_on()


def setup(app: Sphinx) -> None:
    """Connect it."""
    app.connect("env-before-read-docs", know)
    app.connect("html-page-context", put)
