"""At the foot of a page: how to cite it, the papers, the licence, where the source is."""

import html
import os
import posixpath
import re
import time
from functools import cache
from typing import Any

from sphinx.application import Sphinx

from ledgerbook.chapters.statements import of_docname
from ledgerbook.project import markup, paths, settings, storage

SPECIAL = re.compile(r"([&%#_$])")


@cache
def citation() -> dict[str, Any]:
    """What ``CITATION.cff`` says; nothing where there is none."""
    return storage.table(paths.ROOT / "CITATION.cff")


def bibtex(name: str, key: str) -> str:
    """An entry for a page of the book."""
    about = citation()
    authors = (
        f"{one['family-names']}, {one.get('given-names', '')}".rstrip(", ")
        if "family-names" in one
        else f"{{{one['name']}}}"  # braces: one name, not words
        for one in about["authors"]
    )
    fields = {
        "title": html.unescape(name),
        "author": " and ".join(authors),
        "booktitle": about["title"],
        "year": str(about.get("date-released", ""))[:4],
        "note": f"version {about['version']}, {key}",
    }
    escaped = {field: SPECIAL.sub(r"\\\1", value) for field, value in fields.items() if value}
    lines = [f"  {field} = {{{value}}}," for field, value in escaped.items()]
    lines += [f"  {k} = {{{about[k]}}}," for k in ("doi", "url") if k in about]
    return "\n".join([f"@incollection{{{key},", *lines, "}"])


def put(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Add the foot to a page that was written, and the fold where the companion says how to cite
    it.
    """
    about, code = citation(), paths.document("code")
    if doctree is None or app.builder.name != "html":
        return
    now = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    terms = str(app.config.copyright or "")
    up = posixpath.relpath(".", posixpath.dirname(pagename) or ".")
    context["theme_extra_footer"] = markup.render(
        "footer.html.jinja",
        title=about.get("title", settings.settings().title).partition(":")[0],
        year="" if re.match(r"\d{4}", terms) else now.tm_year,  # unless it is told
        terms=terms,
        licence=(paths.ROOT / "LICENSE").exists(),
        code=app.builder.get_relative_uri(pagename, code) if code in app.env.found_docs else "",
        up=up,
    )
    if not about:
        return
    row = of_docname(pagename)
    title = row.name if row else re.sub(r"<[^>]+>", "", context.get("title") or pagename)
    key = row.tag if row else pagename.rpartition("/")[2]
    context["body"] += markup.render(
        "cite.html.jinja",
        entry=bibtex(title, key),
        papers=[one for one in about.get("references", ()) if "url" in one],
        licence=(paths.ROOT / "LICENSE").exists(),
        words=about.get("license", ""),
        up=up,
    )


def setup(app: Sphinx) -> None:
    """Connect it."""
    app.connect("html-page-context", put)
