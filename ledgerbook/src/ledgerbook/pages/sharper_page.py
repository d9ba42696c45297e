"""The page of constants and orders that hold better than printed."""

from ledgerbook.chapters.statements import statement
from ledgerbook.ledger.judgement import STRENGTHS, weakest
from ledgerbook.ledger.ledger import SHARPER, is_sharper
from ledgerbook.ledger.ledger_table import markdown_table, table_cell
from ledgerbook.pages.ledger_page import unlinked
from ledgerbook.pages.parts import link, row_link
from ledgerbook.project.project import current
from ledgerbook.project.validation import require

HEADER = ["statement", *SHARPER, "evidence", "it holds", "nothing better does"]
ENOUGH = STRENGTHS[STRENGTHS.index("certified") :]


def rows(ledger: dict) -> list[dict]:
    """Every sharper constant: tag, the fields, the two claims, and the weaker one's strength.

    Raises ``ValueError`` where a claim behind it fails or is weaker than certified: what was only
    looked at sharpens nothing.
    """
    found = []
    for record in ledger["statements"]:
        claims = {claim["id"]: claim for claim in record["claims"]}
        for finding in filter(is_sharper, record["findings"]):
            evidence = [claims[id] for id in finding["evidence"]]
            for claim in evidence:
                verdict = claim["strength"] if claim["passed"] else "fails"
                name = f"{record['tag']}: {finding['id']}: {claim['id']}"
                allowed = f"a claim that holds and is {', '.join(ENOUGH)}"
                require(verdict in ENOUGH, name, verdict, allowed)
            strength = weakest(claim["strength"] for claim in evidence)
            found.append({**finding, "tag": record["tag"], "strength": strength})
    return found


def page(ledger: dict) -> str:
    """The table of all sharper constants, in the reader's order."""
    cells = [_cells(row) for row in rows(ledger)]
    table = markdown_table(HEADER, cells) if cells else "No sharper constant recorded so far."
    return unlinked(table)


def _cells(row: dict) -> list[str]:
    words = [table_cell(row["finding"][name]) for name in SHARPER]
    judged, here = statement(row["tag"]), current().document("sharper")
    evidence = (row_link(judged, id, here) for id in row["evidence"])
    return [link(judged, here), *words, row["strength"], *evidence]
