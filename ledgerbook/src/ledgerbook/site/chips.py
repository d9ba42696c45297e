"""A status as a chip: its sign, its word and a colour, the same wherever a page shows one."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from ledgerbook.ledger.ledger_table import SYMBOLS


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
    """Register the role."""
    app.add_role("status", Chip())
