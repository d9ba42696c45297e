"""What a chapter draws with: the book's role colours, beside the look that every figure has.

The roles' colours are from the Okabe-Ito palette, told apart by colour-blind readers; the same
thing has the same colour in the whole book, and what has no role takes one of ``SEQUENCE``.
"""

from ledgerbook.ledger import dark
from ledgerbook.ledger.figures import HEATMAP, SEQUENCE, STYLE, Picture, subplots

__all__ = ["COLORS", "HEATMAP", "SEQUENCE", "STYLE", "Picture", "subplots"]

COLORS = {
    "common": "#E69F00",  # common tokens
    "distinct": "#0072B2",  # distinct tokens
    "query": "#CC79A7",  # the query token
    "theory": "#000000",  # what a formula predicts
    "simulation": "#009E73",  # what a run gives
    "printed": "#D55E00",  # a formula as printed, where it fails
    "muted": "#7F7F7F",  # guides, references
}
# In the dark, where blue and black would be lost; the moving pictures have the same.
dark.ROLES |= {
    COLORS["common"]: "#E69F00",
    COLORS["distinct"]: "#56B4E9",
    COLORS["query"]: "#CC79A7",
    COLORS["theory"]: dark.INK,
    COLORS["simulation"]: "#22B98C",
    COLORS["printed"]: "#F0813B",
    COLORS["muted"]: "#8F949B",
}
