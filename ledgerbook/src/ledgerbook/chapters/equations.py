"""Which claim answers for which displayed equation of a paper, and why some have none."""

from ledgerbook.ledger.judgement import NUMBERED
from ledgerbook.project import paths, storage


def numbers(text: str | None) -> set[int]:
    """The equation numbers in "(31)–(33)", "(44), (45)" or "(43), second equality"."""
    ranges = NUMBERED.findall(text or "")
    return {k for first, last in ranges for k in range(int(first), int(last or first) + 1)}


def reasons() -> dict:
    """``equations.toml``: per paper how many equations it displays, and why one has no row."""
    return storage.table(paths.EQUATIONS)


def covered(rows: list[dict]) -> list[dict]:
    """One entry an equation: its number, the tag whose claims name it, the claims, or why none."""
    return [
        _entry(number, paper, table.get("why_not", {}), rows)
        for paper, table in reasons().items()
        for number in range(table["first"], table["last"] + 1)
    ]


def _entry(number: int, paper: str, why_not: dict, rows: list[dict]) -> dict:
    claims = [
        (row["tag"], claim["id"])
        for row in rows
        if row["paper"] == paper
        for claim in row["claims"]
        if number in numbers(claim["equation"])
    ]
    return {
        "number": f"({number})",
        "tag": claims[0][0] if claims else None,
        "claims": [f"{tag}#{id}" for tag, id in claims],
        "why_not": None if claims else why_not.get(str(number)),
    }
