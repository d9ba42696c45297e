"""The layer of previews: what a link leads to, or a symbol means, in one line.

Mentions are links (``mentions``), letters of formulas carry the number of their row on the notation
page, and one script of data, loaded when a reader first points at something, holds the lines.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from ledgerbook.chapters import collect, data_scripts, fingerprint, summary
from ledgerbook.chapters.statements import Statement, of_docname, statements
from ledgerbook.project import paths
from ledgerbook.references import autolink, mathml, notation, symbols, targets, tooltip_text

BIBLIOGRAPHY = "cite"  # the domain of sphinxcontrib-bibtex


@cache
def marked(tex: str, display: bool, paper: str) -> str:
    """A formula whose symbols carry the numbers of their rows on the notation page."""
    root = ElementTree.fromstring(mathml.converted(tex, display))
    number = {row.place: str(place) for place, row in enumerate(notation.symbols())}
    for leaf in symbols.leaves(root):
        found = symbols.explained(leaf, paper, notation.tables())
        if found:
            rows = dict.fromkeys(number[place] for place, _ in found)
            found[0][1].set("data-s", " ".join(rows))  # short: it stands 20,000 times
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)


def mark(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Mark the symbols of a page, and list those of a chapter's statement."""
    if app.builder.format != "html" or not notation.symbols():
        return
    own = of_docname(docname)
    paper = own.paper if own else ""
    for formula in doctree.findall(lambda n: isinstance(n, (nodes.math, nodes.math_block))):
        display = isinstance(formula, nodes.math_block)
        formula["mathml"] = marked(formula.astext(), display, paper)
    if own is not None:
        _list_symbols(app, doctree, docname, own)


def _list_symbols(app: Sphinx, doctree: nodes.document, docname: str, own: Statement) -> None:
    """Below what one needs to have read: the symbols of the statement, each a link."""
    need = next((p for p in doctree.findall(nodes.paragraph) if "you-need" in p["classes"]), None)
    rows = stated(own)
    if need is None or not rows:
        return
    page = app.builder.get_relative_uri(docname, paths.document("notation"))
    listed = nodes.paragraph("", "", classes=["symbols-listed"])
    for row in rows:
        signs = notation.FORMULA.findall(row.cells[0])
        inside = [nodes.math(sign, sign, mathml=mathml.converted(sign)) for sign in signs]
        # A link of formulas alone has no name for those who hear it.
        said = re.sub(r"[$\\{}]", "", row.cells[0])
        inside.append(nodes.inline("", said, classes=["visually-hidden"]))
        listed += [autolink.reference(f"{page}#{row.place}", *inside), nodes.Text(" ")]
    start = '<details class="symbols"><summary>Symbols of the statement</summary>'
    place = need.parent.index(need) + 1
    need.parent.insert(place, [_raw(start), listed, _raw("</details>")])


def _raw(html: str) -> nodes.raw:
    return nodes.raw("", html, format="html")


def stated(row: Statement) -> list[notation.Explained]:
    """The rows of the notation page that a chapter's statement needs, in the page's order."""
    tables, found = notation.tables(), set()
    for tex, display in targets.formulas(
        targets.source(row.docname).sections.get(summary.STATEMENT, "")
    ):
        for leaf in symbols.leaves(symbols.read(tex, display)):
            found |= {place for place, _ in symbols.explained(leaf, row.paper, tables)}
    return [one for one in notation.symbols() if one.place in found]


def told(env: BuildEnvironment) -> Iterator[tuple[str, str, str]]:
    """(document, place, line) of all that has a preview."""
    yield from _statements()
    yield from _equations()
    yield from _rows()
    for row in notation.symbols():
        yield paths.document("notation"), row.place, tooltip_text.of_symbol(row)
    for word in notation.words():
        yield paths.document("notation"), word.place, tooltip_text.of_word(word)
    for id, erratum in targets.errata().items():
        yield paths.document("errata"), id.lower(), tooltip_text.of_erratum(erratum)
    if BIBLIOGRAPHY in env.domains:
        domain: Any = env.domains[BIBLIOGRAPHY]
        for one in domain.citations:
            words = one.formatted_entry.text.render_as("html")
            yield one.bibliography_key.docname, one.citation_id, words


def _statements() -> Iterator[tuple[str, str, str]]:
    for tag, row in statements().items():
        if row.written:
            yield *targets.anchor(row), tooltip_text.of_statement(row, targets.records()[tag])


def _equations() -> Iterator[tuple[str, str, str]]:
    for entry in collect.load()["equations"]:
        number = entry["number"].strip("()")
        for docname in {one.docname for one in targets.displays(number)}:
            one = targets.shown()[number][docname]
            row = of_docname(docname)
            where = row.number if row else docname.rpartition("/")[2].replace("_", " ")
            yield (
                docname,
                f"eq-{number}",
                tooltip_text.of_equation(number, one.tex, one.display, where),
            )
        if targets.best(number) is None:
            yield (
                paths.document("equations"),
                f"eq-{number}",
                tooltip_text.of_unshown(number, entry),
            )


def _rows() -> Iterator[tuple[str, str, str]]:
    """Hypotheses, and the claims that are named away from their own row."""
    named = targets.named_claims()
    for docname in dict.fromkeys(row.docname for row in statements().values() if row.written):
        for id, row in targets.hypotheses(docname).items():
            yield docname, targets.hypothesis(id), tooltip_text.of_hypothesis(row)
        for id, (place, row) in targets.claims(docname).items():
            if (docname, id) in named:
                yield docname, place, tooltip_text.of_claim(row)


def data(env: BuildEnvironment) -> dict[str, Any]:
    """What the script reads: lines by document and place, and the places of symbols by number."""
    found = list(told(env))
    parts, packed = tooltip_text.packed([line for *_, line in found])
    pages: dict[str, dict[str, str]] = {}
    for (docname, place, _), line in zip(found, packed, strict=True):
        pages.setdefault(docname, {})[place] = line
    rows = [row.place for row in notation.symbols()]
    return {
        "parts": parts,
        "pages": pages,
        "symbols": rows,
        "notation": paths.document("notation"),
        "ledger": paths.document("ledger"),
        "homes": {nodes.make_id(tag): row.docname for tag, row in statements().items()},
    }


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the lines as a script, when the site is built."""
    if exception is None and app.builder.name == "html":
        data_scripts.write(Path(app.outdir), "previewed", data(app.env))


def moved(app: Sphinx, env: Any) -> list[str]:
    """All pages are to be written again if a place has moved that any of them may lead to."""
    now = fingerprint.digest([json.dumps(targets.all_places(), default=list)])
    before, env.ledgerbook_places = getattr(env, "ledgerbook_places", now), now
    return sorted(env.found_docs) if before != now else []


def setup(app: Sphinx) -> None:
    """Connect it, after the addresses of rows and before the evidence is folded."""
    app.connect("env-updated", moved)
    app.connect("doctree-resolved", autolink.link, priority=455)  # when rows have their links
    app.connect("doctree-resolved", mark, priority=460)
    app.connect("build-finished", write)
