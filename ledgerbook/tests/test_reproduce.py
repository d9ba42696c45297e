"""What a run here says of the stored chapter: each outcome with its lines, kept while it holds."""

from types import SimpleNamespace

import nbformat
import pytest
from ledgerbook.chapters import fingerprint, notebooks
from ledgerbook.chapters.statements import statement
from ledgerbook.execution import run_records
from ledgerbook.project import paths
from ledgerbook.regression import reproduce
from ledgerbook.regression.reproduce import (
    ALTERED,
    DRIFT,
    ELSEWHERE,
    FAILED,
    FROM_HERE,
    MEANWHILE,
    REPRODUCED,
    STORED,
)

ROW = statement("textbook.theorem-01")


class Moved:
    """A row that moved."""

    moved = f"{ROW.tag} row a: 1 -> 2"

    def __init__(self, words):
        self.words = words

    def __str__(self):
        return f"{ROW.tag} {self.words}"


FOUND, EXACT = [Moved("row a: 1, computed 2")], [Moved("row a: its last digit")]


@pytest.fixture
def chapter(project, monkeypatch):
    """A chapter that was executed here; what is found of it is said by the test."""
    made = SimpleNamespace(edited=False, altered=None, problem=None, found=[], why=None, asked=0)
    cell = nbformat.v4.new_code_cell("size = 7")
    notebook = notebooks.strip(nbformat.v4.new_notebook(cells=[cell]))
    for file in (ROW.chapter, run_records.executed(ROW)):
        notebooks.store(notebook, file)

    def differences(notebook, done, exact=False):
        made.asked += 1
        return EXACT if exact else made.found

    monkeypatch.setattr(fingerprint, "fingerprint", lambda notebook: "now")
    monkeypatch.setattr(reproduce.compare, "notebook_differences", differences)
    monkeypatch.setattr(reproduce, "not_comparable", lambda notebook: made.why)
    record = {True: {"inputs": "before"}, False: {"inputs": "now"}}
    stored = {
        "record": lambda notebook: record[made.edited],
        "record_problem": lambda notebook: made.altered,
        "execution_problem": lambda notebook: made.problem,
        "with_outputs": lambda notebook, done, inputs: notebook,
    }
    monkeypatch.setattr(reproduce, "snapshot", SimpleNamespace(**stored))
    run_records.save(ROW.tag, {"error": None, "inputs": "now"})
    return made


@pytest.mark.parametrize(
    ("state", "force", "outcome", "lines"),
    [
        ({}, False, REPRODUCED, []),
        ({}, True, REPRODUCED, []),
        ({"why": "no GPU"}, False, REPRODUCED, []),
        ({"found": FOUND}, False, DRIFT, ["row a: 1, computed 2", ...]),
        ({"found": FOUND, "why": "no GPU"}, False, ELSEWHERE, ["no GPU"]),
        ({"edited": True, "why": "no GPU"}, False, ELSEWHERE, ["no GPU"]),
        ({"altered": "by hand"}, False, ALTERED, ["by hand", "row a: its last digit", ...]),
        ({"altered": "by hand", "why": "no GPU"}, False, ALTERED, ["by hand", ..., ...]),
        (
            {"problem": "a tag", "found": FOUND},
            False,
            ALTERED,
            ["a tag", "row a: 1, computed 2", ...],
        ),
        ({"edited": True, "found": FOUND}, False, STORED, ["row a: 1 -> 2"]),
        ({"altered": "by hand", "found": FOUND}, True, STORED, ["row a: 1 -> 2"]),
        ({"found": FOUND}, True, STORED, ["row a: 1 -> 2"]),
        ({"edited": True, "problem": "no ledger row"}, False, FAILED, ["no ledger row"]),
    ],
)
def test_each_state_of_a_chapter_has_its_outcome_and_its_lines(
    chapter, state, force, outcome, lines
):
    vars(chapter).update(state)
    found = reproduce.verdict(ROW, force=force)
    assert found.outcome == outcome and len(found.lines) == len(lines)
    for said, line in zip(found.lines, lines, strict=True):
        assert line in (..., said)
    if outcome in (DRIFT, ALTERED):
        assert f"git checkout {paths.relative(ROW.chapter)};" in found.lines[-1]
        assert found.lines[-1].endswith(f" book --only {ROW.tag} --force")


@pytest.mark.parametrize(
    ("state", "later", "anew"),
    [
        ({}, REPRODUCED, False),
        ({"found": FOUND}, DRIFT, True),
        ({"altered": "by hand"}, ALTERED, True),
        ({"found": FOUND, "why": "no GPU"}, ELSEWHERE, False),
        ({"edited": True}, FROM_HERE, False),
    ],
)
def test_a_verdict_is_kept_and_where_one_insists_what_differs_is_asked_anew(
    chapter, state, later, anew
):
    vars(chapter).update(state)
    first = reproduce.verdict(ROW)
    before = chapter.asked
    again = reproduce.verdict(ROW)
    assert again.outcome == later and chapter.asked == before
    assert again.lines == (first.lines if later != FROM_HERE else ())
    reproduce.verdict(ROW, force=True)
    assert (chapter.asked > before) is anew


@pytest.mark.parametrize(
    ("record", "outcome", "line"),
    [
        (None, FAILED, "never executed here"),
        ({"error": "cell 3: no"}, FAILED, "cell 3: no"),
        (
            {"error": None, "inputs": "before"},
            MEANWHILE,
            "it is left as it is; run `make book` again",
        ),
    ],
)
def test_without_a_run_of_what_is_stored_nothing_is_compared(chapter, record, outcome, line):
    run_records.path(ROW.tag).unlink()
    if record:
        run_records.save(ROW.tag, record)
    found = reproduce.verdict(ROW)
    assert (found.outcome, found.lines, chapter.asked) == (outcome, (line,), 0)


def test_a_chapter_that_is_saved_while_it_is_compared_is_left(chapter, monkeypatch):
    def saved(notebook, done, inputs):
        ROW.chapter.write_text("saved", encoding="utf-8")
        return notebook

    chapter.edited = True
    monkeypatch.setattr(reproduce.snapshot, "with_outputs", saved)
    found = reproduce.verdict(ROW)
    assert found == reproduce.Verdict(MEANWHILE, ("it is left as it is; run `make book` again",))
    assert ROW.chapter.read_text(encoding="utf-8") == "saved"


def test_a_copy_that_cannot_be_read_is_named_and_made_again(chapter):
    run_records.executed(ROW).write_text("{", encoding="utf-8")
    found = reproduce.verdict(ROW)
    assert found.outcome == FAILED and found.lines[0].endswith("; run `make book` again")
    assert not run_records.path(ROW.tag).exists()
