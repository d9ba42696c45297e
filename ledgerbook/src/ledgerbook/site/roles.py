"""Roles of the ledger in a sentence: ``value``, a number of a stored row; ``status``, a chip."""

import difflib

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from ledgerbook.chapters.statements import statement, statements
from ledgerbook.ledger.ledger_table import SYMBOLS, typeset
from ledgerbook.project.project import current
from ledgerbook.references.anchors import page
from ledgerbook.references.search_index import said
from ledgerbook.references.targets import address, rows

FIELDS = ("observed", "bound", "margin")


def shown(words: str, known: dict[str, dict]) -> str:
    """The number that ``tag#id``, ``tag#id .2f``, ``tag#id bound`` or ``tag#id bound .0%`` names.

    Raises ``ValueError`` for a row that is not stored, and where there is no number to show.
    """
    name, *how = words.split() or [""]
    if name not in known:
        near = difflib.get_close_matches(name, known, cutoff=0.4)
        raise ValueError(f"no row {name!r} is stored; near: {', '.join(near) or 'none'}")
    field = how.pop(0) if how and how[0] in FIELDS else "observed"
    number = known[name][field]
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise ValueError(f"{name}: {field} is {number!r}, which is no number")
    return format(number, "".join(how) or ".3g")


class Value(SphinxRole):
    """The number, a power of ten as one, as a link to its row, whose words are its title."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        self.env.note_dependency(str(current().ledger))
        tag = self.text.partition("#")[0]
        if tag in statements() and not any(name.startswith(f"{tag}#") for name in rows()):
            return [nodes.Text("…")], []  # until its rows are stored for the first time
        try:
            number = typeset(shown(self.text, rows()))
        except ValueError as error:
            said = self.inliner.reporter.error(f"{{value}}: {error}", line=self.lineno)
            return [self.inliner.problematic(self.rawtext, self.rawtext, said)], [said]
        number = number.replace("%", "\N{NO-BREAK SPACE}%")
        return [self.linked(number, *self.text.split()[0].split("#"))], []

    def linked(self, number: str, tag: str, id: str) -> nodes.reference:
        """A number that leads to the row of a statement."""
        there, here = statement(tag).docname, self.env.docname
        link = (page(there, here) if there != here else "") + f"#{address('claim', id)}"
        told = said(rows()[f"{tag}#{id}"]["claim"])
        return nodes.reference(
            "", number, refuri=link, internal=True, reftitle=told, classes=["value"]
        )


def chip(status: str) -> nodes.inline:
    """The chip of a status; ``book.css`` has its colour."""
    return nodes.inline("", f"{SYMBOLS[status]} {status}", classes=["chip", nodes.make_id(status)])


class Chip(SphinxRole):
    """A status named in Markdown, as in ``{status}`holds```."""

    def run(self):
        if self.text not in SYMBOLS:
            raise ValueError(f"{{status}}`{self.text}`: not among {', '.join(SYMBOLS)}")
        return [chip(self.text)], []


def setup(app: Sphinx) -> None:
    """Register the roles."""
    app.add_role("status", Chip())
    app.add_role("value", Value())
