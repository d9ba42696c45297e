"""Constants and orders that hold better than printed, as a chapter records them."""

from ledgerbook.ledger import Ledger
from ledgerbook.validation import require

FIELDS = ("where", "printed", "best", "factor")


def sharper(
    ledger: Ledger,
    id: str,
    where: str,
    printed: str,
    best: str,
    factor: str,
    *,
    upper: str,
    lower: str,
) -> None:
    """Record that a printed constant or order can be replaced by a better one.

    where: equation or part of the statement.  printed, best: Markdown.  factor: what lies between
    the two.  upper, lower: the claims that show that the better one holds, and that nothing better
    than it does; one claim may show both.  Raises ``ValueError`` for an empty field, for two that
    say the same and for a claim that is not recorded.
    """
    found = dict(zip(FIELDS, (where, printed, best, factor), strict=True))
    for name, value in found.items():
        require(bool(value.strip()), name, value, "some words")
    require(printed != best, "best", best, "something else than what is printed")
    ledger.finding(id, found, [upper, lower])


def is_sharper(finding: dict) -> bool:
    """Whether a finding of the ledger is a sharper constant, and not words."""
    return isinstance(finding["finding"], dict)
