"""What a page names becomes a link: statements, equation numbers, hypotheses, errata, claims, and
the first mention of a word in each section.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache

from docutils import nodes
from sphinx.application import Sphinx

from ledgerbook.chapters.statements import of_docname
from ledgerbook.project import paths
from ledgerbook.references import notation, targets
from ledgerbook.references.targets import Target

# Where a name stands already for itself, or is part of something else.
CLOSED = (
    nodes.reference,
    nodes.title,
    nodes.rubric,
    nodes.literal,
    nodes.literal_block,
    nodes.math,
    nodes.math_block,
    nodes.raw,
    nodes.term,
    nodes.citation,
    nodes.Invisible,
)
# Classes: a link of its own covers it, or it is a list of links.
SEALED = {"sd-card", "sd-summary-title", "you-need", "linked"}
EQUATION = re.compile(r"\((\d{1,3})\)")
ANOTHER = re.compile(r"(?:,? and |,? to |, |–)(\d+)\b")  # after "Lemmas 3"


@cache
def pattern() -> re.Pattern[str]:
    """All that may be named in words."""
    kinds = sorted({number.rpartition(" ")[0] for number in targets.numbered()})
    forms = sorted((form for word in notation.words() for form in word.forms), key=len)[::-1]
    parts = [
        r"(?<![\w)])\((?P<equation>\d{1,3})\)",
        rf"\b(?P<kind>{'|'.join(kinds) or 'a^'})s?\s(?P<number>\d+|\([a-z]\))(?!\d)",
        r"\b(?P<hypothesis>H\d+)\b",
        r"\b(?P<erratum>E\d+)\b",
        rf"(?<![\w-])(?P<word>{'|'.join(map(_spaced, forms)) or 'a^'})(?:e?s)?(?![\w-])",
    ]
    return re.compile("|".join(parts), re.IGNORECASE)


def _spaced(form: str) -> str:
    return r"\s+".join(map(re.escape, form.split()))


@cache
def _words() -> dict[str, notation.Word]:
    return {form.lower(): word for word in notation.words() for form in word.forms}


class Page:
    """A page whose mentions are linked."""

    def __init__(self, docname: str, uri: Callable[[str, str], str]):
        self.docname, self._uri = docname, uri
        self.own = of_docname(docname)
        self.seen: set[tuple[int, str]] = set()

    def uri(self, target: Target) -> str:
        """A target as an address seen from this page."""
        page = "" if target.docname == self.docname else self._uri(self.docname, target.docname)
        return page + (f"#{target.place}" if target.place else "")

    def target(self, found: re.Match[str], section: int) -> Target | None:
        """Where what was found leads to; ``None`` where it is not to be linked."""
        named = found.groupdict()
        if named["equation"]:
            return self._equation(named["equation"])
        if named["number"]:
            return self.statement(f"{named['kind'].capitalize()} {named['number']}")
        if named["hypothesis"] in targets.hypotheses(self.docname):
            return Target(self.docname, targets.hypothesis(named["hypothesis"]))
        if named["erratum"] in targets.errata():
            return Target(paths.document("errata"), named["erratum"].lower())
        return self._word(named["word"], section) if named["word"] else None

    def _equation(self, number: str) -> Target | None:
        known = number in targets.numbers() and targets.counts(self.own)
        return targets.equation(number, self.docname) if known else None

    def statement(self, number: str) -> Target | None:
        """Where a statement of that number stands, of this page's paper if it has one."""
        rows = targets.numbered().get(number, [])
        paper = self.own.paper if self.own else ""
        row = next((row for row in rows if row.paper == paper), rows[0] if rows else None)
        return targets.anchor(row) if row and row != self.own else None

    def _word(self, form: str, section: int) -> Target | None:
        word = _words()[" ".join(form.lower().split())]
        here = self.docname == paths.document("notation")
        if here or (section, word.place) in self.seen:
            return None
        self.seen.add((section, word.place))
        return Target(paths.document("notation"), word.place)


def link(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Link what a page names."""
    if app.builder.format != "html":
        return
    page = Page(docname, app.builder.get_relative_uri)
    if docname == paths.document("notation"):
        notation.address(doctree)
    _address_hypotheses(doctree, docname)
    _address_equations(doctree, docname)
    for text in list(doctree.findall(nodes.Text)):
        section = _outside(text)
        if section is not None:
            _replace(text, list(_pieces(text.astext(), page, section)))
    for literal in list(doctree.findall(nodes.literal)) if page.own else ():
        _link_row(literal, page)
    for heading in list(doctree.findall(nodes.thead)) if page.own else ():
        _link_columns(heading, page)


def _outside(text: nodes.Node) -> int | None:
    """Which section a text stands in; ``None`` where nothing in it is to be linked."""
    section, node = 0, text.parent
    while node is not None:
        if isinstance(node, CLOSED) or SEALED & set(node.attributes.get("classes", ())):
            return None
        if isinstance(node, nodes.section) and isinstance(node.parent, nodes.section):
            section = id(node)
        node = node.parent
    return section


def _pieces(words: str, page: Page, section: int) -> Iterator[nodes.Node]:
    end = 0
    for found in pattern().finditer(words):
        target = page.target(found, section)
        if target is not None:
            yield nodes.Text(words[end : found.start()])
            yield reference(page.uri(target), nodes.Text(found.group()))
            end = found.end()
            while found["kind"] and (more := ANOTHER.match(words, end)):
                target = page.statement(f"{found['kind'].capitalize()} {more[1]}")
                if target is None:
                    break
                yield nodes.Text(words[end : more.start(1)])
                yield reference(page.uri(target), nodes.Text(more[1]))
                end = more.end()
    yield nodes.Text(words[end:])


def reference(uri: str, *inside: nodes.Node) -> nodes.reference:
    """A link that is a mention."""
    return nodes.reference("", "", *inside, refuri=uri, internal=True, classes=["mention"])


def _replace(text: nodes.Text, pieces: list[nodes.Node]) -> None:
    if len(pieces) > 1:
        text.parent.replace(text, [piece for piece in pieces if piece.astext()])


def _address_hypotheses(doctree: nodes.document, docname: str) -> None:
    """Give the first bold name of each hypothesis its address."""
    missing = set(targets.hypotheses(docname))
    for strong in doctree.findall(nodes.strong):
        if strong.astext() in missing:
            missing.remove(strong.astext())
            strong["ids"].append(targets.hypothesis(strong.astext()))
            strong["classes"].append("linked")


def _address_equations(doctree: nodes.document, docname: str) -> None:
    """Give addresses to the rows of the table of equations."""
    if docname == paths.document("equations"):
        for row in doctree.findall(nodes.row):
            number = EQUATION.fullmatch(row[0].astext())
            if number:
                row["ids"] = [*row["ids"], f"eq-{number.group(1)}"]
                row[0]["classes"].append("linked")


def _link_row(literal: nodes.literal, page: Page) -> None:
    """Link a row's name in a sentence of its chapter."""
    name = literal.astext()
    place = targets.claims(page.docname).get(name, ("", {}))[0]
    said = name in targets.codes(page.docname)  # not what a cell prints
    if place and said and not isinstance(literal.parent, nodes.reference):
        link = reference(page.uri(Target(page.docname, place)))
        literal.parent.replace(literal, link)
        link += literal


def _link_columns(heading: nodes.thead, page: Page) -> None:
    """Link the headings of a table of rows to what the page of words says of such a column."""
    for cell in heading.findall(nodes.entry):
        word = _words().get(f"column {cell.astext()}")
        if word and cell.children:
            target = Target(paths.document("notation"), word.place)
            link = reference(page.uri(target), *cell[0].children)
            cell[0].clear()
            cell[0] += link
