"""The ledger page, the equations page and the strengths: what stands in which column."""

from ledgerbook.pages import ledger_page

TAG = "textbook.theorem-01"
CLAIM = {"id": "angle", "kind": "rate", "claim": "it shrinks", "as_printed": False, "passed": True}
CLAIM |= {"observed": 0.5, "relation": "<=", "bound": 1.0, "margin": 2.0, "strength": "certified"}
RECORD = {"tag": TAG, "paper": "textbook", "status": "holds", "standing": "read"}
RECORD |= {"strength": "certified", "inherited_strength": "certified", "hypotheses": []}


def cells(table):
    """The cells of a table, line by line, without the rule below its header."""
    lines = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line] for line in lines if line[0].strip() != "---"]


def test_every_value_of_a_row_stands_below_its_word():
    statement = RECORD | {"claims": [CLAIM | {"resolution": 0.01}]}
    page = ledger_page.page({"statements": [statement], "errata": []})
    lines = [line for line in page.splitlines() if line.startswith(("| row |", "| `angle`"))]
    header, cells = (line.strip("| ").split(" | ") for line in lines)
    row = dict(zip(header, cells, strict=True))
    assert row["observed"] == "0.5" and row["margin"] == "2" and row["kind"] == "rate"
    assert (row["evidence"], row["sees"], row["verdict"]) == ("certified", "1 %", "✓ holds")


def test_a_statement_names_its_chapter_its_own_slips_its_status_and_its_evidence():
    errata = [{"id": "E1", "tag": TAG}, {"id": "E2", "tag": "textbook.corollary-01"}]
    page = ledger_page.page({"statements": [RECORD | {"claims": []}], "errata": errata})
    assert page.endswith(
        "(rows-textbook-theorem-01)=\n## Theorem 1 — The angle shrinks\n\n"
        "`textbook.theorem-01`, [chapter](textbook/theorem_01.ipynb), {ref}`E1 <e1>`,"
        " **✓ holds**, certified; statement read"
    )


def test_controls_stand_behind_the_claims_and_a_hypothesis_without_says_why():
    controls = [CLAIM | {"id": name, "kind": "limit"} for name in ("equal", "zero")]
    hypotheses = [
        {"id": "H1", "text": "a gap", "control": controls[0], "further_controls": controls[1:]},
        {"id": "H2", "text": "symmetric", "control": None, "why": "nobody tried"},
    ]
    record = RECORD | {"claims": [CLAIM], "hypotheses": hypotheses}
    page = ledger_page.page({"statements": [record], "errata": []})
    rows = cells(page.partition("## Theorem 1")[2])[1:]
    values = ["it shrinks", "0.5", r"\<= 1"]
    behind = ["2", "limit", "certified", "", "✓ holds"]
    assert rows[0][0] == "`angle`"
    assert rows[1:] == [
        ["control of H1 `equal`", *values, *behind],
        ["control of H1 `zero`", *values, *behind],
        ["control of H2", "symmetric", *[""] * 6, "○ necessity unknown: nobody tried"],
    ]


def test_an_equation_names_its_claims_with_the_strongest_that_holds_or_why_there_is_none():
    proved = CLAIM | {"id": "proved", "strength": "proved"}
    failed = CLAIM | {"id": "failed", "strength": "kernel-checked", "passed": False}
    statements = [RECORD | {"claims": [CLAIM, proved, failed]}]
    names = {"(1)": ["angle", "failed"], "(2)": ["failed"], "(3)": [], "(4)": []}
    entries = [
        {"number": number, "claims": [f"{TAG}#{name}" for name in some], "why_not": None}
        for number, some in names.items()
    ]
    entries[2]["why_not"] = "a definition"
    ledger = {"statements": statements, "equations": entries}
    part, chapter = "A textbook theorem", "[Theorem 1](textbook/theorem_01.ipynb)"
    assert cells(ledger_page.equations_page(ledger))[1:] == [
        ["(1)", part, chapter, "`angle`, `failed`", "certified"],
        ["(2)", part, chapter, "`failed`", "measured"],
        ["(3)", "", "", "none: a definition", "none"],
        ["(4)", "", "", "none: nobody said why", "none"],
    ]
    assert ledger_page.strongest({"claims": []}, ledger) == "none"
