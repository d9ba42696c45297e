"""Pages that are made from the ledger: its rows, the status, sharper constants."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from ledgerbook.chapters.statements import Statement
from ledgerbook.execution import run_records
from ledgerbook.pages import ledger_page, row_tables, sharper_page, status

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


def test_a_statement_names_its_chapter_its_own_slips_its_status_and_its_evidence():
    errata = [{"id": "E1", "tag": TAG}, {"id": "E2", "tag": "textbook.corollary-01"}]
    page = ledger_page.page({"statements": [RECORD | {"claims": []}], "errata": errata})
    assert page.endswith(
        "(rows-textbook-theorem-01)=\n## Theorem 1 — The angle shrinks\n\n"
        "`textbook.theorem-01`, [chapter](textbook/theorem_01.ipynb), {ref}`E1 <e1>`,"
        " {status}`holds` certified; statement read"
    )


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
    values = ["it shrinks", "0.5", r"\<= 1"]
    behind = ["2", "limit", "certified", "✓ holds"]
    assert rows[0][0] == "`angle`"
    assert rows[1:] == [
        ["control of H1 `equal`", *values, *behind],
        ["control of H1 `zero`", *values, *behind],
        ["control of H2", "symmetric", *[""] * 5, "○ necessity unknown: nobody tried"],
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


def test_a_constant_stands_with_its_words_and_the_rows_that_show_it():
    made = ledger("certified", "proved")
    made["statements"][0]["tag"] = "textbook.theorem-01"
    head, _, row = sharper_page.page(made).splitlines()
    assert head.count("|") == row.count("|") == len(sharper_page.HEADER) + 1
    chapter = "textbook/theorem_01"
    assert row.startswith(f"| [Theorem 1]({chapter}.ipynb) | words |") and " | certified | " in row
    for id in ("c0", "c1"):
        assert f'<a href="{chapter}.html#claim-{id}"><code>{id}</code></a>' in row


COST = {"seconds": 61.25}
RUN = {"error": None, "time": "2026-01-02 03:04 UTC", "environment": "Python 3.11"}
ROWS = {
    "textbook.lemma-01": Statement("textbook.lemma-01", "Lemma 1", "It is small"),
    "textbook.remark-01": Statement(
        "textbook.remark-01", "Remark 1", "So", home="textbook.lemma-01"
    ),
}


@pytest.mark.parametrize(
    ("run", "cells"),
    [
        ({}, ["not run here", ""]),
        (RUN, ["executed, not yet compared, 2026-01-02 03:04 UTC, Python 3.11", ""]),
        (
            RUN | COST | {"error": "a `b`\nc"},
            [
                r"**failed**: a \`b\` c, 2026-01-02 03:04 UTC, Python 3.11",
                "61.2 s",
            ],
        ),
        (
            COST | {"error": None, "verdict": {"outcome": "drift"}},
            ["**drift**", "61.2 s"],
        ),
    ],
)
def test_a_row_says_how_a_chapter_s_run_went_and_what_it_cost(monkeypatch, run, cells):
    monkeypatch.setattr(status, "statement", ROWS.__getitem__)
    monkeypatch.setattr(run_records, "load", lambda tag: run)
    name, held, *said = status._row({"tag": "textbook.lemma-01", "status": "holds"})
    assert name.startswith("Lemma 1 — It is small") and held == "{status}`holds`" and said == cells


def row(*cells):
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", cell)) for cell in cells))


def test_a_control_is_as_expected_where_a_claim_holds():
    rows = [
        row("control of H1 a", "c", "✓ holds"),
        row("claim b", "c", "✓ holds"),
        row("control of H2 d", "c", "✗ fails"),
        row("control of H3", "c", "○ necessity unknown: e"),
    ]
    row_tables.say_of_controls(None, nodes.document(None, None, "", *rows))
    said = [one[-1].astext() for one in rows]
    assert said == ["✓ as expected", "✓ holds", "✗ not as expected", "○ necessity unknown: e"]


def test_a_chapter_s_own_table_says_whose_words_a_claim_takes(monkeypatch):
    def told(id, words, role="claim "):
        shown = row("", words, "✓ holds")
        shown[0][0] += [nodes.Text(role), nodes.literal("", id)]
        return shown

    labels = {"a": "as printed", "b": "as corrected", "c": "beyond the print", "d": ""}
    claims = [{"id": id, "label": label} for id, label in labels.items()]
    elsewhere = {"chapter": "two.ipynb", "claims": [{"id": "e", "label": "as corrected"}]}
    known = [{"chapter": "one.ipynb", "claims": claims}, elsewhere]
    monkeypatch.setattr(row_tables.collect, "load", lambda: {"statements": known})
    rows = [told("a", "x (as printed)"), told("b", "x"), told("c", "x", "step "), told("d", "x")]
    rows += [told("e", "x"), told("b", "x", "control of H1 "), row("b", "x"), row("", "x")]
    app = SimpleNamespace(env=SimpleNamespace(docname="one"))
    row_tables.say_whose_words(app, nodes.document(None, None, "", *rows))
    said = [one[1].astext() for one in rows]
    assert said[:3] == ["x (as printed)", "x (as corrected)", "x (beyond the print)"]
    assert {*said[3:]} == {"x"}
