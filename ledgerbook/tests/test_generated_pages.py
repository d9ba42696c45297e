"""Pages that are made from the ledger: its rows, the status, sharper constants."""

import pytest
from docutils import nodes
from ledgerbook.pages import ledger_page, row_tables, sharper_page, status
from ledgerbook.references.targets import Target
from ledgerbook.site import collapsible

TAG = "textbook.theorem-01"
CLAIM = {"id": "angle", "kind": "rate", "claim": "it shrinks", "as_printed": False, "passed": True}
CLAIM |= {"observed": 0.5, "relation": "<=", "bound": 1.0, "margin": 2.0, "strength": "certified"}
RECORD = {"tag": TAG, "paper": "textbook", "status": "holds", "standing": "read"}
RECORD |= {"strength": "certified", "kind": "setting", "hypotheses": []}


def cells(table):
    """The cells of a table, line by line, without the rule below its header."""
    lines = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line] for line in lines if line[0].strip() != "---"]


def test_every_value_of_a_row_stands_below_its_word():
    statement = RECORD | {"claims": [CLAIM]}
    page = ledger_page.page({"statements": [statement], "errata": []})
    lines = [line for line in page.splitlines() if line.startswith(("| row |", "| `angle`"))]
    header, cells = (line.strip("| ").split(" | ") for line in lines)
    row = dict(zip(header, cells, strict=True))
    assert row["observed"] == "0.5" and row["margin"] == "2" and row["kind"] == "rate"
    assert (row["evidence"], row["verdict"]) == ("certified", "✓ holds")


def test_the_parts_of_a_conclusion_stand_above_its_rows():
    parts = [{"part": "existence", "strength": "proved", "rows": ["a", "b"]}]
    parts.append({"part": "(2)", "strength": "measured", "rows": []})
    more = {"parts": parts, "beside": ["c"], "trusted": [{"words": "Picard"}]}
    said = ledger_page.conclusion(RECORD | more)
    assert said == (
        "Parts of the conclusion: existence (proved: `a`, `b`); (2) (measured); beside it: `c`;"
        " on trust: Picard."
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
    values = ["it shrinks", "0.5", "≤ 1"]
    behind = ["2", "limit", "certified", "✓ as expected"]
    assert rows[0][0] == "`angle`"
    assert rows[1:] == [
        ["control of H1 `equal`", *values, *behind],
        ["control of H1 `zero`", *values, *behind],
        ["control of H2", "symmetric", *[""] * 5, "○ necessity unknown: nobody tried"],
    ]


def test_an_equation_shows_its_formula_and_names_its_claims_or_why_there_is_none(monkeypatch):
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
    told = {"1": {"theorem_01": r"\|x\| = 1 . \qquad\text{(1)}"}}
    monkeypatch.setattr(ledger_page.targets, "shown", lambda: told)
    led = lambda number, _: Target("theorem_01", "") if number in told else None
    monkeypatch.setattr(ledger_page.targets, "equation", led)
    formula, chapter = r"$\Vert x\Vert  = 1$", "[Theorem 1](textbook/theorem_01.ipynb)"
    assert cells(ledger_page.equations_page(ledger))[1:] == [
        ["(1)", formula, chapter, "`angle`, `failed`", "certified"],
        ["(2)", "", chapter, "`failed`", "measured"],
        ["(3)", "", "", "none: a definition", "none"],
        ["(4)", "", "", "none: nobody said why", "none"],
    ]


def ledger(*strengths, passed=True):
    ids = [f"c{number}" for number, _ in enumerate(strengths)]
    claims = [
        {"id": id, "passed": passed, "strength": strength}
        for id, strength in zip(ids, strengths, strict=True)
    ]
    words = dict.fromkeys(sharper_page.SHARPER, "words")
    finding = {"id": "one", "finding": words, "evidence": ids}
    return {"statements": [{"tag": "a.b", "claims": claims, "findings": [finding]}]}


def test_what_holds_and_is_certified_sharpens_and_nothing_else():
    (row,) = sharper_page.rows(ledger("kernel-checked", "certified"))
    assert row["strength"] == "certified" and row["tag"] == "a.b"
    with pytest.raises(ValueError, match="a.b: one: c1 = 'measured', allowed: a claim that holds"):
        sharper_page.rows(ledger("proved", "measured"))
    with pytest.raises(ValueError, match="c0 = 'fails'"):
        sharper_page.rows(ledger("proved", passed=False))


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ({}, "not run here"),
        ({"error": None, "time": "noon"}, "executed, not yet compared, noon"),
        ({"error": "a `b`\nc", "environment": "Python 3"}, r"**failed**: a \`b\` c, Python 3"),
        ({"error": None, "verdict": {"outcome": "drift"}}, "**drift**"),
    ],
)
def test_a_row_says_how_a_chapter_s_run_went(run, said):
    assert status.outcome(run) == said


def row(id, **more):
    """A row as the ledger has it."""
    kind = {"claim": "x", "observed": 1e-13, "relation": "<=", "bound": 1e-12, "margin": None}
    verdict = {"passed": True, "as_printed": False, "strength": "measured"}
    return {"id": id} | kind | verdict | more


def test_a_chapter_s_own_table_says_whose_words_a_claim_takes_and_what_a_control_showed(
    monkeypatch,
):
    claims = [row("a", label="as printed", as_printed=True), row("b", label="as corrected")]
    claims[1]["role"] = "step"
    control = {"control": row("c"), "further_controls": [row("d", passed=False)]}
    known = {"tag": "p.one", "claims": claims, "hypotheses": [{"id": "H1"} | control]}
    other = {"tag": "p.two", "claims": [row("a", label="beyond")], "hypotheses": []}
    monkeypatch.setattr(row_tables.targets, "records", lambda: {"p.two": other, "p.one": known})
    shown = [{"id": id} for id in "abcd"]
    found = row_tables.stored({"tag": "p.one", "rows": shown})
    assert row_tables.table(found).splitlines()[2:] == [
        "| claim `a` | x *(as printed)* | 10⁻¹³ | ≤ 10⁻¹² |  | measured | ✓ holds |",
        "| step `b` | x *(as corrected)* | 10⁻¹³ | ≤ 10⁻¹² |  | measured | ✓ holds |",
        "| control of H1 `c` | x | 10⁻¹³ | ≤ 10⁻¹² |  | measured | ✓ as expected |",
        "| control of H1 `d` | x | 10⁻¹³ | ≤ 10⁻¹² |  | measured | ✗ not as expected |",
    ]
    for unknown in ({}, {"tag": "p.none", "rows": shown}, {"tag": "p.two", "rows": shown}):
        assert row_tables.stored(unknown) == []


def test_rows_are_counted_as_they_are_stored():
    claims = [row("a"), row("b", passed=False, as_printed=True), row("c", passed=False)]
    table = nodes.table(stored=[("claim", one) for one in claims])
    section = nodes.section("", nodes.paragraph("", "✓ words"), table, nodes.table())
    assert collapsible.badge(section, "Check") == "1 of 3 hold, 1 fail as printed"
    table["stored"] = [("control of H1", row("a"))]
    assert collapsible.badge(section, "Control") == "1 of 1 as expected"
    assert collapsible.badge(nodes.section(), "Check") == ""
