"""The page of constants and orders that hold better than printed."""

import os

from ledgerbook.chapters.statements import Statement, statement
from ledgerbook.ledger.judgement import STRENGTHS, weakest
from ledgerbook.ledger.ledger import SHARPER, is_sharper
from ledgerbook.ledger.ledger_table import markdown_table, table_cell
from ledgerbook.pages.ledger_page import unlinked
from ledgerbook.pages.parts import link
from ledgerbook.project import paths
from ledgerbook.references.anchors import in_chapter

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
                if not claim["passed"] or claim["strength"] not in ENOUGH:
                    verdict = claim["strength"] if claim["passed"] else "fails"
                    raise ValueError(
                        f"{record['tag']}: {finding['id']}: {claim['id']} = {verdict}, allowed:"
                        f" a claim that holds and is {', '.join(ENOUGH)}"
                    )
            strength = weakest(claim["strength"] for claim in evidence)
            found.append({**finding, "tag": record["tag"], "strength": strength})
    return found


def page(ledger: dict) -> str:
    """The table of all sharper constants, in the reader's order."""
    found = rows(ledger)
    if not found:
        return "No sharper constant recorded so far."
    return unlinked(markdown_table(HEADER, [_cells(row) for row in found]))


def _cells(row: dict) -> list[str]:
    words = [table_cell(row["finding"][name]) for name in SHARPER]
    judged = statement(row["tag"])
    evidence = (_evidence(judged, id) for id in row["evidence"])
    return [link(judged, paths.document("sharper")), *words, row["strength"], *evidence]


def _evidence(judged: Statement, id: str) -> str:
    """A claim, as a link to its row on the chapter's page."""
    page = os.path.relpath(f"{judged.docname}.html", os.path.dirname(paths.document("sharper")))
    # in the element's own words: backticks would become a mention, a link within the link
    return f'<a href="{page}#{in_chapter(id)}"><code>{id}</code></a>'
