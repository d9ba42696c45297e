"""What an entry of the errata says: numbers, evidence, answers, reach."""

import pytest
from ledgerbook.pages import errata
from ledgerbook.project.project import current

TAG = "textbook.corollary-01"
ROW = {"claim": "words", "relation": "<=", "margin": None, "as_printed": False, "strength": "exact"}
CLAIMS = {
    (TAG, "printed"): {**ROW, "id": "printed", "passed": False, "observed": 2.5, "bound": 1},
    (TAG, "mended"): {**ROW, "id": "mended", "passed": True, "observed": 0.5, "bound": 1},
}
SLIP = {
    "id": "E1",
    "tag": TAG,
    "location": "equation (2)–(3)",
    "reach": "harmless",
    "printed": "$a$",
    "corrected": "$b$",
    "numbers": [1.23456789, None, 2],
    "misprint": False,
    "evidence": ["printed", "mended"],
    "consequences": [],
    "downstream": [],
}


@pytest.fixture(autouse=True)
def book(project, varied):
    """A book without a page; the authors have answered to the second erratum."""
    varied(errata=current().book / "errata")
    return project


def test_an_entry_says_what_was_printed_what_holds_and_by_which_rows():
    said = errata._entry(SLIP, CLAIMS)
    assert "At one point\n: printed 1.23457, corrected —, measured 2\n" in said
    assert "`mended` holds (observed 0.5, bound ≤ 1, exact)\n" in said
    assert said.endswith("Reach\n: nothing else in this book\n\n\n\n")  # nothing folded, no script
    assert "harmless" in said


def test_an_entry_opens_with_one_sentence_and_folds_the_rest():
    text = r"it is $a. B$, and $\frac12$ (E3). $C$ is another. The numbers are its own."
    said = errata._entry({**SLIP, "corrected": text}, CLAIMS)
    assert "Holds\n: it is $a. B$, and $\\frac12$ (E3).\n" in said
    folded = said.partition(":::{dropdown}")[2]
    assert "\n$C$ is another. The numbers are its own.\n:::" in folded
    assert "dropdown" not in errata._entry(SLIP, CLAIMS)  # one sentence has nothing to fold


def test_the_page_begins_with_a_table_and_has_the_findings_in_words_alone():
    found = {"finding": "it is faster", "evidence": ["mended"]}
    sharper = {"finding": {"name": "C"}, "evidence": ["printed"]}
    row = {"tag": TAG, "claims": [*CLAIMS.values()], "findings": [sharper, found]}
    page = errata.page({"errata": [SLIP], "statements": [row]})
    table, _, rest = page.partition("\n\n## Slips\n\n")
    line = table.splitlines()[2]
    assert table.startswith("| reach | erratum | location |")
    assert line.startswith("| harmless | {ref}`E1 <e1>` | ") and "| (2), (3) | exact |" in line
    _, _, findings = rest.partition("## Findings\n\n")
    assert findings.splitlines()[2].endswith(": it is faster (`mended`)")
    assert len(findings.splitlines()) == 3


def test_how_much_holds_downstream_is_said_beside_what_follows():
    follows = {"tag": TAG, "evidence": ["printed", "mended"]}
    rest = {"tag": "textbook.theorem-01", "survive": 3, "claims": 5}
    slip = {**SLIP, "consequences": [follows], "downstream": [{"tag": TAG}, rest]}
    said = errata._entry(slip, CLAIMS)
    assert "(a consequence); 3 of 5 further claims downstream hold; the rest fails by other" in said
