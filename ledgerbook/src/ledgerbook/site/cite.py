"""At the foot of a page: how to cite it, the papers, the code that it stands on, the licence."""

import html
import posixpath
import re
from functools import cache
from typing import Any

import yaml
from sphinx.application import Sphinx

from ledgerbook.chapters.statements import of_docname
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
    for field in set(fields) - {"doi", "url"}:  # an escaped link leads nowhere
        fields[field] = SPECIAL.sub(r"\\\1", fields[field])
    lines = [f"  {field} = {{{value}}}," for field, value in fields.items() if value]
    return "\n".join([f"@{'incollection' if name else 'misc'}{{{key},", *lines, "}"])


def _author(one: dict[str, str]) -> str:
    if "family-names" in one:
        return f"{one['family-names']}, {one.get('given-names', '')}".rstrip(", ")
    return f"{{{one['name']}}}"  # braces: one name, not words


def foot(docname: str, title: str, root: str) -> str:
    """The fold at the foot of a page, as HTML; ``root`` is the document the book opens with."""
    row = of_docname(docname)
    name = None if docname == root else row.name if row else title
    key = row.tag if row else docname.removeprefix(f"{paths.relative(paths.BOOK)}/")
    book = re.sub(r"\W+", "-", settings.settings().title.lower()).strip("-")
    reached = [file for file, rows in codemap.standing_on().items() if row in rows] if row else []
    return markup.render(
        "cite.html.jinja",
        entry=bibtex(name, key.replace("/", ".") if name else book),
        papers=[one for one in citation().get("references", ()) if "url" in one],
        modules=sorted((paths.relative(file), sources.page(file)) for file in reached),
        licence=(paths.ROOT / "LICENSE").exists(),
        words=citation().get("license", ""),
        up=posixpath.relpath(".", posixpath.dirname(docname) or "."),
    )


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
