"""The layer of previews: what a link leads to, or a symbol means, in one line of HTML.

Mentions are links (``autolink``), letters of formulas carry the number of their row on the notation
page, and one script of data, loaded when a reader first points at something, holds the lines.
"""

import html
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from ledgerbook.chapters import collect, data_scripts
from ledgerbook.chapters.statements import of_docname, statements
from ledgerbook.ledger.ledger_table import SYMBOLS, row_cells
from ledgerbook.project.project import current, per_project
from ledgerbook.references import autolink, mathml, notation, symbols, targets

BIBLIOGRAPHY = "cite"  # the domain of sphinxcontrib-bibtex
ROLE = re.compile(r"\{[\w:-]+\}`([^`<]*?)(?:\s*<[^`>]*>)?`")
Line = tuple[str, str, str]  # document, place, HTML


@per_project
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
    """Mark the symbols of a page."""
    own = of_docname(docname)
    for formula in doctree.findall(lambda n: isinstance(n, (nodes.math, nodes.math_block))):
        display = isinstance(formula, nodes.math_block)
        formula["mathml"] = marked(formula.astext(), display, own.paper if own else "")


def shown(tex: str, display: bool = False) -> str:
    """A formula without what repeats it as text."""
    return re.sub(r' alttext="[^"]*"', "", mathml.converted(tex, display), count=1)


@cache
def _reader() -> MarkdownIt:
    """Markdown of one line: formulas are set, links keep their words."""
    markdown = MarkdownIt("commonmark", {"html": False}).use(dollarmath_plugin)
    for rule in ("link_open", "link_close"):
        markdown.add_render_rule(rule, lambda *_: "")
    for rule in ("math_inline", "math_inline_double"):
        markdown.add_render_rule(rule, lambda _, parts, place, *__: shown(parts[place].content))
    return markdown


def inline(markdown: str) -> str:
    """A line of Markdown as HTML."""
    return _reader().renderInline(ROLE.sub(r"\1", " ".join(markdown.split()))).strip()


def line(head: str, words: str, small: str = "") -> str:
    """What is named, what is said of it, what is known of it."""
    parts = (f"<b>{head}</b>" if head else "", words, f"<small>{small}</small>" if small else "")
    return " ".join(filter(None, parts))


def told(env: BuildEnvironment) -> Iterator[Line]:
    """All that has a preview."""
    yield from _statements()
    yield from _equations()
    yield from _rows()
    here = current().document("notation")
    for row in notation.symbols():
        sign, *rest = map(inline, row.cells)
        yield (
            here,
            row.place,
            line(sign, rest[-1], html.escape(current().settings.papers[row.paper])),
        )
    for word in notation.words():
        yield here, word.place, line(html.escape(word.forms[0]), inline(word.meaning))
    for id, slip in targets.errata().items():
        words = f"{inline(slip['location'])}: {inline(slip['printed'])}"
        yield current().document("errata"), id.lower(), line(id, words, slip["reach"])
    if BIBLIOGRAPHY in env.domains:
        domain: Any = env.domains[BIBLIOGRAPHY]
        for one in domain.citations:
            said = one.formatted_entry.text.render_as("html")
            yield one.bibliography_key.docname, one.citation_id, said


def _statements() -> Iterator[Line]:
    """Number, the sentence below the title, status and strength."""
    for tag, row in statements().items():
        if row.written:
            record = targets.records()[tag]
            says = "" if row.home else targets.source(row.docname).sentence
            known = f"{SYMBOLS[record['status']]} {record['status']}"
            known += f", {record['strength']}" if record["strength"] else ""
            said = line(html.escape(row.number), inline(says or row.title), known)
            yield *targets.anchor(row), said


def _equations() -> Iterator[Line]:
    """The formula, and where it stands; of one that no page displays what is known of it."""
    for entry in collect.load()["equations"]:
        number = entry["number"].strip("()")
        places = targets.shown().get(number, {})
        for docname, tex in places.items():
            row = of_docname(docname)
            where = row.number if row else docname.rpartition("/")[2].replace("_", " ")
            yield docname, f"eq-{number}", line("", shown(tex, True), html.escape(where))
        if not places:
            known = f"{len(entry['claims'])} claims" if entry["claims"] else entry["why_not"]
            words = f"not displayed in this book; {inline(known or 'no claim')}"
            yield current().document("equations"), f"eq-{number}", line(f"({number})", words)


def _rows() -> Iterator[Line]:
    """Hypotheses, and the claims that are named away from their own row."""
    named = targets.named_claims()
    for docname in dict.fromkeys(row.docname for row in statements().values() if row.written):
        for id, row in targets.hypotheses(docname).items():
            yield docname, targets.address("hypothesis", id), line(id, inline(row["text"]))
        for id, row in targets.claims(docname).items():
            if (docname, id) in named:
                verdict = f"{row_cells('', row)[-1]}, {row['strength']}"
                said = line("", inline(row["claim"]), verdict)
                yield docname, targets.address("claim", id), said


def data(env: BuildEnvironment) -> dict[str, Any]:
    """What the script reads: lines by document and place, and the places of symbols by number."""
    pages: dict[str, dict[str, str]] = {}
    for docname, place, said in told(env):
        pages.setdefault(docname, {})[place] = said
    return {
        "pages": pages,
        "symbols": [row.place for row in notation.symbols()],
        "notation": current().document("notation"),
        "ledger": current().document("ledger"),
        "homes": {nodes.make_id(tag): row.docname for tag, row in statements().items()},
    }


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the lines as a script, when the site is built."""
    if exception is None:
        data_scripts.write(Path(app.outdir), "previewed", data(app.env))


def setup(app: Sphinx) -> None:
    """Connect it, after the addresses of rows and before the evidence is folded."""
    app.connect("doctree-resolved", autolink.link, priority=455)  # when rows have their links
    app.connect("doctree-resolved", mark, priority=460)
    app.connect("build-finished", write)
