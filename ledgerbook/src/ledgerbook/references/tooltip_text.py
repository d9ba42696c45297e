"""What a preview says, in one line of HTML: of a statement, an equation, a hypothesis, a claim, an
erratum, a symbol, a word.
"""

import html
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any
from xml.etree import ElementTree

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from ledgerbook.chapters.statements import PAPERS, Statement
from ledgerbook.ledger.ledger_table import SYMBOLS, row_cells
from ledgerbook.references import symbols, targets
from ledgerbook.references.notation import Explained, Word

ROLE = re.compile(r"\{[\w:-]+\}`([^`<]*?)(?:\s*<[^`>]*>)?`")
# A tag with, where it is a leaf of a formula, the sign in it: what formulas are made of.
PART = re.compile(r"<(m[a-z]+)[^<>]*>[^<]{1,4}</\1>|<[^<>]*>")
CODES = range(0x0180, 0x0370)  # letters of two bytes, of languages that are not written here


@cache
def reader() -> MarkdownIt:
    """Markdown of one line: formulas are set, links keep their words."""
    markdown = MarkdownIt("commonmark", {"html": False}).use(dollarmath_plugin)
    for rule in ("link_open", "link_close"):
        markdown.add_render_rule(rule, lambda *_: "")
    for rule in ("math_inline", "math_inline_double"):
        markdown.add_render_rule(rule, lambda _, parts, place, *__: formula(parts[place].content))
    return markdown


@cache
def formula(tex: str, display: bool = False) -> str:
    """A formula without what repeats it as text, and without groups of one."""
    root = ElementTree.fromstring(ElementTree.tostring(symbols.read(tex, display)))
    del root.attrib["alttext"]
    if not display:
        root.attrib.pop("display", None)
    _ungroup(root)
    if len(root) == 1 and root[0].tag == "mrow":
        root[:] = list(root[0])
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)


def _ungroup(element: ElementTree.Element) -> None:
    for place, child in enumerate(element):
        _ungroup(child)
        if child.tag == "mrow" and len(child) == 1 and not child.attrib:
            element[place] = child[0]


def inline(markdown: str) -> str:
    """A line of Markdown as HTML."""
    return reader().renderInline(ROLE.sub(r"\1", " ".join(markdown.split()))).strip()


def of_statement(row: Statement, record: dict[str, Any]) -> str:
    """Number, the sentence below the title, status and strength."""
    says = targets.source(row.docname).sentence if row.written and not row.home else ""
    known = f"{SYMBOLS[record['status']]} {record['status']}"
    known += f", {record['strength']}" if record["strength"] else ""
    return f"<b>{html.escape(row.number)}</b> {inline(says or row.title)} <small>{known}</small>"


def of_equation(number: str, tex: str, display: bool, where: str) -> str:
    """The formula, and where it stands."""
    shown = "" if display else f"({number}), "  # a display carries its number
    return f"{formula(tex, display)} <small>{shown}{html.escape(where)}</small>"


def of_unshown(number: str, entry: dict[str, Any]) -> str:
    """An equation that no page displays: what is known of it."""
    claims = len(entry["claims"])
    known = (
        f"{claims} claim{'s' * (claims != 1)} on it" if claims else entry["why_not"] or "no claim"
    )
    return f"<b>({number})</b> not displayed in this book; {inline(known)}"


def of_hypothesis(hypothesis: dict[str, Any]) -> str:
    """What is assumed."""
    return f"<b>{hypothesis['id']}</b> {inline(hypothesis['text'])}"


def of_claim(claim: dict[str, Any]) -> str:
    """What is claimed, its verdict and its strength."""
    return (
        f"{inline(claim['claim'])} <small>{row_cells('', claim)[-1]}, {claim['strength']}</small>"
    )


def of_erratum(erratum: dict[str, Any]) -> str:
    """Where it is, and how far it reaches."""
    return (
        f"<b>{erratum['id']}</b> {inline(erratum['location'])}: {inline(erratum['printed'])}"
        f" <small>{erratum['reach']}</small>"
    )


def of_symbol(row: Explained) -> str:
    """A row of the notation page."""
    sign, *rest = (inline(cell) for cell in row.cells)
    return f"<b>{sign}</b> {rest[-1]} <small>{html.escape(PAPERS[row.paper])}</small>"


def of_word(word: Word) -> str:
    """A word and what it means."""
    return f"<b>{html.escape(word.forms[0])}</b> {inline(word.meaning)}"


def packed(lines: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Lines with one character for each part that recurs; what each character stands for."""
    counts = Counter(part.group() for line in lines for part in PART.finditer(line))
    free = (chr(code) for code in CODES if not any(chr(code) in line for line in lines))
    recurring = (part for part, count in counts.most_common() if count > 1)
    codes = dict(zip(recurring, free, strict=False))

    def code(found: re.Match[str]) -> str:
        return codes.get(found.group(), found.group())

    return {code: part for part, code in codes.items()}, [PART.sub(code, line) for line in lines]
