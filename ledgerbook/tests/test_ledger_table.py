"""Cells of the ledger's tables: nothing in a text breaks the table or becomes markup."""

import pytest
from ledgerbook.ledger.ledger_table import Summary, row_cells, table_cell


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("a | b", r"a \| b"),
        (r"$|x|$ and $\|y\|$", r"$\mid x\mid $ and $\Vert y\Vert $"),
        ("<script>alert(2)</script>", r"\<script>alert(2)\</script>"),
        ("{ref}`zzz`", r"\{ref}`zzz`"),
        ("`a|b` or `c|d`", r"`a\|b` or `c\|d`"),
        ("`a < {b}`, $a < {b}$", "`a < {b}`, $a < {b}$"),
        ("costs $ <b>", r"costs $ \<b>"),
        (r"\<=", r"\<="),
    ],
)
def test_no_markup_comes_out_of_a_text(text, cell):
    assert table_cell(text) == cell


def test_every_text_of_a_row_is_a_cell():
    row = {"id": "r", "claim": "<i>", "observed": "<i>", "relation": "<=", "bound": "<i>"}
    row |= {"margin": None, "passed": True, "as_printed": False, "condition": "<i>"}
    cells = row_cells("claim", row | {"strength": "measured"})
    assert not any("<" in cell.replace(r"\<", "") for cell in cells)


def test_a_closed_statement_counts_what_holds_what_fails_and_what_has_a_control():
    verdicts = [(True, True), (True, False), (False, True), (False, True), (False, True)]
    claims = [{"as_printed": printed, "passed": passed} for printed, passed in verdicts]
    record = {"tag": "the-paper.lemma-05", "standing": "read", "claims": claims, "errata": [{}]}
    record["hypotheses"] = [{"control": {}}, {"control": {}}, {"control": None}]
    assert repr(Summary(record)) == (
        "the-paper.lemma-05: 4 of 5 claims hold, 1 fail as printed,"
        " 2 of 3 hypotheses have a control, 1 errata"
    )
