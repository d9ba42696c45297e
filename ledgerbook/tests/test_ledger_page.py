"""The ledger page: what stands in which column."""

from ledgerbook import ledger_page

CLAIM = {"id": "angle", "kind": "rate", "claim": "it shrinks", "as_printed": False, "passed": True}
CLAIM |= {"observed": 0.5, "relation": "<=", "bound": 1.0, "margin": 2.0, "strength": "certified"}
RECORD = {"tag": "textbook.theorem-01", "paper": "textbook", "status": "holds", "standing": "read"}
RECORD |= {"strength": "certified", "inherited_strength": "certified", "hypotheses": []}


def test_every_value_of_a_row_stands_below_its_word():
    statement = RECORD | {"claims": [CLAIM | {"resolution": 0.01}]}
    page = ledger_page.page({"statements": [statement], "errata": []})
    lines = [line for line in page.splitlines() if line.startswith(("| row |", "| `angle`"))]
    header, cells = (line.strip("| ").split(" | ") for line in lines)
    row = dict(zip(header, cells, strict=True))
    assert row["observed"] == "0.5" and row["margin"] == "2" and row["kind"] == "rate"
    assert (row["evidence"], row["sees"], row["verdict"]) == ("certified", "1 %", "✓ holds")
