"""The generated parts of pages, as Markdown."""

import re

import pytest
from ledgerbook.chapters.statements import statement
from ledgerbook.ledger.judgement import STRENGTHS
from ledgerbook.pages import parts

THEOREM, COROLLARY = (statement(f"textbook.{name}-01") for name in ("theorem", "corollary"))


KNOWN = {"status": "holds", "strength": "proved", "kind": "statement", "parts": []}
KNOWN |= {"trusted": [], "against": [], "conditions": [], "inherited": {}}


@pytest.mark.parametrize(
    ("standing", "slips", "more"),
    [
        ("read", [], ""),
        ("read", ["E1", "E2"], " · errata {ref}`E1 <e1>`, {ref}`E2 <e2>`"),
        ("established", [], " · statement established, not read in print"),
        ("ours", [], " · this book's own statement"),
    ],
)
def test_what_became_of_a_statement_is_one_line(standing, slips, more):
    known = KNOWN | {"standing": standing, "slips": slips}
    assert parts.what_became(known, THEOREM) == f"{{status}}`holds` · evidence: **proved**{more}"


@pytest.mark.parametrize("kind", ["assumption", "setting"])
def test_what_has_no_truth_value_has_no_evidence(kind):
    known = KNOWN | {"standing": "read", "slips": ["E1"], "kind": kind, "status": "an assumption"}
    assert parts.what_became(known, THEOREM) == "{status}`an assumption` · errata {ref}`E1 <e1>`"


def test_what_is_taken_on_trust_is_folded_below_with_its_chapter_and_its_parts():
    trusted = [
        {"kind": "textbook", "words": "Picard", "of": "", "parts": ["existence"]},
        {"kind": "chapter", "words": "the gap", "of": COROLLARY.tag, "parts": ["rate", "limit"]},
        {"kind": "textbook", "words": "Perron", "of": "", "parts": ["beyond the print"]},
        {"kind": "unproved", "words": "the limit", "of": "", "parts": []},
    ]
    known = KNOWN | {"standing": "read", "slips": [], "trusted": trusted}
    assert parts.what_became(known, THEOREM).endswith(
        ":::{dropdown} What this page uses without checking it\n"
        "- Picard (from textbooks), for the part “existence”\n"
        "- the gap (from [Corollary 1](corollary_01.ipynb)), for the parts “rate” and “limit”\n"
        "- Perron (from textbooks), for what this book adds to the print\n"
        "- the limit (not proved in this book)\n:::"
    )


def test_conditions_stand_below_those_that_come_with_a_trust_with_where_they_come_from():
    known = KNOWN | {"standing": "read", "slips": [], "conditions": ["K is even"]}
    known["inherited"] = {"no class is rare": COROLLARY.tag}
    assert parts.what_became(known, THEOREM).endswith(
        "\n\n*Extra conditions:* K is even;"
        " no class is rare (a condition of [Corollary 1](corollary_01.ipynb), which is used here)."
    )
    experiment = known | {"kind": "experiment"}
    assert "conditions" not in parts.what_became(experiment, THEOREM)


def test_what_is_known_is_counted():
    row = {"status": "holds", "kind": "remark", "strength": "proved"}
    row |= {"claims": [{}, {}], "hypotheses": [{"control": {"id": "a"}}, {"control": None}]}
    false = row | {"status": "does not hold", "strength": "certified"}
    setting = row | {"kind": "setting", "strength": "kernel-checked", "status": "not checked"}
    errata = [{"misprint": False}, {"misprint": True}]
    said = parts.counts_sentence({"statements": [row, false, setting], "errata": errata})
    for words in (
        "**2** of 3 statements and experiments",
        "checked by **6** claims and 3 controls",
        "**1** formulas or sentences did not hold as printed, and 1 more are misprints",
        "Of the 2 that are statements or remarks **1** are proved",
        "speak of, and for 0 of these a proof assistant has checked the proof.",
    ):
        assert words in said, words


def test_a_readme_gets_the_counts_between_its_markers_and_keeps_all_else():
    ledger = {"statements": [], "errata": []}
    begin, end = "<!-- counts: by the build -->\n", parts.END_OF_COUNTS
    text = f"# Title\n\n{begin}At the last build **9** of 9.\n{end}\n\nMore.\n"
    found = parts.with_counts(text, ledger)
    assert parts.with_counts(found, ledger) == found != text
    before, between, after = re.split(f"{begin}|{end}", found)
    assert (before, after) == ("# Title\n\n", "\n\nMore.\n")
    assert " ".join(between.split()) == parts.counts_sentence(ledger).replace("](/", "](")
    assert max(map(len, between.splitlines())) <= 100 and between.endswith("proof.\n")
    assert parts.with_counts("# Title\n", ledger) == "# Title\n"
    with pytest.raises(ValueError, match="README.md = '<!-- counts: by the build -->', allowed"):
        parts.with_counts(text.replace(end, ""), ledger)


@pytest.mark.parametrize(
    ("strengths", "words"),
    [
        (["proved"], "proved"),
        (["kernel-checked"], "kernel-checked"),
        (["kernel-checked"] * 2, "kernel-checked (all parts)"),
        (["proved", "kernel-checked"], "proved for the part “a”, kernel-checked for all else"),
        (
            ["measured", "proved", "measured"],
            "measured for the parts “a” and “c”, proved for all else",
        ),
        (["certified", "measured"], "measured"),
    ],
)
def test_beside_the_evidence_stands_that_parts_are_stronger_and_which_are_not(strengths, words):
    rows = [{"part": name, "strength": own} for name, own in zip("abc", strengths, strict=False)]
    own = min(strengths, key=STRENGTHS.index)
    assert parts.evidence(KNOWN | {"strength": own, "parts": rows}) == words
    assert parts.evidence(KNOWN | {"strength": own, "parts": rows, "kind": "experiment"}) == own


def test_beside_what_does_not_hold_stands_the_row_that_says_so():
    false = {"status": "does not hold", "strength": "measured", "against": ["drift"]}
    assert parts.evidence(KNOWN | false) == "measured (decided by `drift`)"
