"""Which claim answers for which displayed equation of a paper, and why some have none."""

from ledgerbook.ledger.judgement import NUMBERED
from ledgerbook.project import storage
from ledgerbook.project.project import current


def numbers(text: str | None) -> set[int]:
    """The equation numbers in "(31)–(33)", "(44), (45)" or "(43), second equality"."""
    ranges = NUMBERED.findall(text or "")
    return {k for first, last in ranges for k in range(int(first), int(last or first) + 1)}


def reasons() -> dict:
    """``equations.toml``: per paper how many equations it displays, and why one has no row."""
    return storage.table(current().equations)


def covered(rows: list[dict]) -> list[dict]:
    """One entry an equation: its number, the tag whose claims name it, the claims, or why none."""
    found = []
    for paper, table in reasons().items():
        own = [row for row in rows if row["paper"] == paper]
        named = [(row["tag"], claim) for row in own for claim in row["claims"]]
        for number in range(table["first"], table["last"] + 1):
            here = [(tag, one) for tag, one in named if number in numbers(one["equation"])]
            why = None if here else table.get("why_not", {}).get(str(number))
            claims = [f"{tag}#{one['id']}" for tag, one in here]
            tag = here[0][0] if here else None
            found.append({"number": f"({number})", "tag": tag, "claims": claims, "why_not": why})
    return found
