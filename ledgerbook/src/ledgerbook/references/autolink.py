"""What a page names becomes a link: statements, equation numbers, hypotheses, errata, claims, and
the first mention of a word.
"""

import re
from collections.abc import Callable, Iterator

from docutils import nodes
from sphinx.application import Sphinx

from ledgerbook.chapters.statements import of_docname
from ledgerbook.project import markup
from ledgerbook.project.project import current, per_project
from ledgerbook.references import notation, targets
from ledgerbook.references.targets import Target

# Where a name stands already for itself, or is part of something else.
CLOSED = (
    *(nodes.reference, nodes.title, nodes.rubric, nodes.term, nodes.citation, nodes.Invisible),
    *(nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.raw),
)
# Classes: a link of its own covers it, or it is a list of links.
SEALED = {"sd-card", "sd-summary-title", "you-need", "linked"}


@per_project
def pattern() -> re.Pattern[str]:
    """All that may be named in words."""
    kinds = sorted({number.rpartition(" ")[0] for number in targets.numbered()})
    forms = sorted((form for word in notation.words() for form in word.forms), key=len)[::-1]
    words = [r"\s+".join(map(re.escape, form.split())) for form in forms]
    parts = [
        r"(?<![\w)])\((?P<equation>\d{1,3})\)",
        rf"\b(?P<kind>{'|'.join(kinds) or 'a^'})s?\s(?P<number>\d+|\([a-z]\))(?!\d)",
        r"\b(?P<hypothesis>H\d+)\b",
        r"\b(?P<erratum>E\d+)\b",
        rf"(?<![\w-])(?P<word>{'|'.join(words) or 'a^'})(?:e?s)?(?![\w-])",
    ]
    return re.compile("|".join(parts), re.IGNORECASE)


@per_project
def _words() -> dict[str, notation.Word]:
    return {form.lower(): word for word in notation.words() for form in word.forms}


class Page:
    """A page whose mentions are linked."""

    def __init__(self, docname: str, uri: Callable[[str, str], str]):
        self.docname, self._uri = docname, uri
        self.own = of_docname(docname)
        self.seen: set[str] = set()

    def link(self, target: Target, *inside: nodes.Node) -> nodes.reference:
        """A link that is a mention."""
        uri = self._uri(self.docname, target.docname)
        uri += f"#{target.place}" if target.place else ""
        return nodes.reference("", "", *inside, refuri=uri, internal=True, classes=["mention"])

    def target(self, found: re.Match[str]) -> Target | None:
        """Where what was found leads to; ``None`` where it is not to be linked."""
        named = found.groupdict()
        if number := named["equation"]:
            known = number in targets.numbers() and targets.counts(self.own)
            return targets.equation(number, self.docname) if known else None
        if named["number"]:
            return self.statement(f"{named['kind'].capitalize()} {named['number']}")
        if named["hypothesis"] in targets.hypotheses(self.docname):
            return Target(self.docname, targets.address("hypothesis", named["hypothesis"]))
        if named["erratum"] in targets.errata():
            return Target(current().document("errata"), named["erratum"].lower())
        return self._word(named["word"]) if named["word"] else None

    def statement(self, number: str) -> Target | None:
        """Where a statement of that number stands, of this page's paper if it has one."""
        rows = targets.numbered().get(number, [])
        paper = self.own.paper if self.own else ""
        row = next((row for row in rows if row.paper == paper), rows[0] if rows else None)
        return targets.anchor(row) if row and row != self.own else None

    def _word(self, form: str) -> Target | None:
        word, page = _words()[" ".join(form.lower().split())], current().document("notation")
        if self.docname == page or word.place in self.seen:
            return None
        self.seen.add(word.place)
        return Target(page, word.place)

    def pieces(self, words: str) -> Iterator[nodes.Node]:
        """A text with its mentions as links."""
        end = 0
        for found in pattern().finditer(words):
            if (target := self.target(found)) is not None:
                yield nodes.Text(words[end : found.start()])
                yield self.link(target, nodes.Text(found[0]))
                end = found.end()
        yield nodes.Text(words[end:])


def link(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Link what a page names."""
    page = Page(docname, app.builder.get_relative_uri)
    if docname == current().document("notation"):
        notation.address(doctree)
    missing = set(targets.hypotheses(docname))
    for strong in doctree.findall(nodes.strong):  # the first bold name of each has its address
        if (name := strong.astext()) in missing:
            missing.remove(name)
            strong["ids"].append(targets.address("hypothesis", name))
            strong["classes"].append("linked")
    for text in list(doctree.findall(nodes.Text)):
        pieces = list(page.pieces(text.astext())) if _is_open(text) else []
        if len(pieces) > 1:
            markup.exchange(text, *(piece for piece in pieces if piece.astext()))
    if page.own:
        for literal in list(doctree.findall(nodes.literal)):
            _link_row(literal, page)
        for heading in doctree.findall(nodes.thead):
            _link_columns(heading, page)


def _is_open(text: nodes.Node) -> bool:
    """Whether what a text names is to be linked."""
    node = text.parent
    while node is not None:
        if isinstance(node, CLOSED) or SEALED & set(node.attributes.get("classes", ())):
            return False
        node = node.parent
    return True


def _link_row(literal: nodes.literal, page: Page) -> None:
    """Link a row's name in a sentence of its chapter."""
    name = literal.astext()
    said = name in targets.codes(page.docname)  # not what a cell prints
    known = said and name in targets.claims(page.docname)
    if known and not isinstance(literal.parent, nodes.reference):
        link = page.link(Target(page.docname, targets.address("claim", name)))
        literal.parent.replace(literal, link)
        link += literal


def _link_columns(heading: nodes.thead, page: Page) -> None:
    """Link the headings of a table of rows to what the page of words says of such a column."""
    for cell in heading.findall(nodes.entry):
        word = _words().get(f"column {cell.astext()}")
        if word and cell.children:
            target = Target(current().document("notation"), word.place)
            link = page.link(target, *cell[0].children)
            cell[0].clear()
            cell[0] += link
