"""The part of the status page about other conditions: what is counted, listed, left out."""

import pytest

from ledgerbook import invariance, invariance_page

TAG, OTHER = "textbook.corollary-01", "textbook.theorem-01"
LINKS = {
    TAG: "[Corollary 1](textbook/corollary_01.ipynb)",
    OTHER: "[Theorem 1](textbook/theorem_01.ipynb)",
}
FOUND = {"rows": 5, "margins": 4, "shrunk": 2, "python": "3.12", "inputs": "now"}
FOUND |= {"statuses": [], "verdicts": [], "gone": [], "tight": []}
CHANGED = FOUND | {
    "statuses": [[TAG, "holds", "does not hold"]],
    "verdicts": [[f"{TAG}#one", 0.1, 2.0, "<=", 1.0], [f"{TAG}#two", 0.1, 3.0, "<=", 1.0]],
    "tight": [[f"{TAG}#three", 0.9, 0.0499], [f"{TAG}#four", 0.99, 0.0123]],
    "python": "3.11",
    "inputs": "before",
}


@pytest.fixture
def page(monkeypatch):
    """The page of what is stored."""

    def made(chapters, name="seed", allowed=()):
        stored = {name: {"words": "another seed", "chapters": chapters}} if chapters else {}
        monkeypatch.setattr(invariance, "load", lambda: stored)
        monkeypatch.setattr(invariance, "inputs", lambda row: "now")
        monkeypatch.setattr(invariance_page, "allowed_versions", lambda: [*allowed])
        return invariance_page.page()

    return made


def test_nothing_stored_is_said():
    assert invariance.load() == {}
    assert invariance_page.page() == "No chapter was run under other conditions so far."


def test_a_line_adds_up_the_chapters_that_ran_and_still_exist(page):
    chapters = {TAG: CHANGED, OTHER: FOUND, "textbook.gone": FOUND, "textbook.lemma": {}}
    lines = page(chapters).splitlines()
    head, cells = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines[:3:2])
    assert dict(zip(head, cells, strict=True)) == {
        "condition": "another seed",
        "Python": "3.11, 3.12",
        "chapters": "2",
        "as they stand now": "1",
        "verdicts asked": "10",
        "statuses changed": "1",
        "verdicts changed": "2",
        "margins below half": "4 of 8",
        "of these within 5 % of the bound": "2",
    }
    both = page({TAG: FOUND, OTHER: FOUND}).splitlines()[2].split("|")
    assert [cell.strip() for cell in both[2:5]] == ["3.12", "2", "2"]


def test_what_changed_and_what_came_close_is_folded_row_by_row(page):
    text = page({TAG: CHANGED, OTHER: FOUND | {"tight": [[f"{OTHER}#five", 0.5, 0.04]]}})
    said, chapter = text.split("\n\n", 1)[1], LINKS[TAG]
    assert said == "\n".join(
        [
            ":::{dropdown} What changed: 3",
            rf"- another seed, {chapter}: {TAG}: holds -> does not hold",
            rf"- another seed, {chapter}: {TAG}#one: 0.1 -> 2.0, wanted \<= 1.0",
            rf"- another seed, {chapter}: {TAG}#two: 0.1 -> 3.0, wanted \<= 1.0",
            ":::",
            "",
            ":::{dropdown} Margins below half and within 5 % of the bound: 3",
            "| condition | chapter | row | clear of its bound as stored | here |",
            "| --- | --- | --- | --- | --- |",
            f"| another seed | {chapter} | `four` | 99 % | 1.2 % |",
            f"| another seed | {LINKS[OTHER]} | `five` | 50 % | 4 % |",
            f"| another seed | {chapter} | `three` | 90 % | 5 % |",
            ":::",
            "",
            "",
        ]
    )
    assert "dropdown" not in page({OTHER: FOUND})


def test_what_was_not_run_and_which_python_nobody_asked(page):
    chapters = {
        TAG: {"unchanged": ["dtype", "seed"]},
        OTHER: {"unchanged": ["dtype", "seed"]},
        "textbook.gone": {"needs": "torch"},
    }
    text = page(chapters, "python-3.11", ["3.11", "3.12", "3.13"])
    assert text.partition(":::{dropdown} ")[2] == "\n".join(
        [
            "What was not run",
            f"- another seed, no parameter `dtype`, `seed`: {LINKS[TAG]}, {LINKS[OTHER]}.",
            "- Beside the stored run, not asked: Python 3.12, 3.13.",
            ":::",
        ]
    )
    assert f"- another seed, torch is not there: {LINKS[TAG]}.\n" in page({TAG: {"needs": "torch"}})


@pytest.mark.parametrize(
    ("asked", "versions"),
    [
        ("", []),
        (">=3.8,<3.12", ["3.9", "3.10", "3.11"]),
        (">=3.28", ["3.28", "3.29"]),
    ],
)
def test_the_pythons_that_the_project_allows(monkeypatch, asked, versions):
    monkeypatch.setattr(invariance_page.doctor, "requires_python", lambda: asked)
    assert invariance_page.allowed_versions() == versions
