"""The generated parts of pages, as Markdown."""

import pytest
from ledgerbook.chapters.statements import statement
from ledgerbook.pages import parts

THEOREM, COROLLARY = (statement(f"textbook.{name}-01") for name in ("theorem", "corollary"))


@pytest.mark.parametrize(
    ("standing", "slips", "more"),
    [
        ("read", [], ""),
        ("read", ["E1", "E2"], " · errata {ref}`E1 <e1>`, {ref}`E2 <e2>`"),
        ("established", [], " · statement established, not read in print"),
    ],
)
def test_what_became_of_a_statement_is_one_line(standing, slips, more):
    known = {"status": "holds", "strength": "proved", "inherited_strength": "proved"}
    line = parts.what_became(known | {"standing": standing, "slips": slips}, THEOREM)
    assert line == f"**✓ holds** · evidence: **proved**{more}"


def test_what_is_known_is_counted():
    def row(status, kind, strength, claims, *controls):
        asked = [{"control": control} for control in controls]
        return {
            "status": status,
            "kind": kind,
            "strength": strength,
            "claims": [{}] * claims,
            "hypotheses": asked,
        }

    rows = [
        row("holds", "statement", "proved", 2, {}, None),
        row("holds", "remark", "kernel-checked", 3, {}),
        row("does not hold", "statement", "certified", 1),
        row("replicated", "experiment", "kernel-checked", 1),
        row("not checked", "statement", None, 0),
    ]
    errata = [{"misprint": False}, {"misprint": True}]
    assert [parts.erratum_class(one) for one in errata] == ["slip", "misprint"]
    said = parts.counts_sentence({"statements": rows, "errata": errata})
    for words in (
        "**4** of 5 statements and experiments",
        "checked by **7** claims and 2 controls",
        "**1** formulas or sentences did not hold as printed",
        "under errata.",
        "Of 4 statements and remarks **2** rest on a proof",
        "speak of, 1 of these accepted by a proof assistant's kernel.",
    ):
        assert words in said, words


@pytest.mark.parametrize(
    ("own", "inherited", "words"),
    [
        ("proved", "proved", "proved"),
        ("proved", "measured", "proved (the weakest of what it uses: measured)"),
        ("proved", None, "proved (the weakest of what it uses: not checked)"),
        (None, "measured", "no evidence (the weakest of what it uses: measured)"),
    ],
)
def test_evidence_is_named_with_the_weakest_it_stands_on(own, inherited, words):
    assert parts.evidence({"strength": own, "inherited_strength": inherited}) == words
