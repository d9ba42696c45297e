"""Verdicts asked again, without a run: clearance, what is told apart, what the page says."""

import contextlib
import signal

import pytest
from ledgerbook.conditions import Condition
from ledgerbook.judgement import compare, margin
from ledgerbook.statements import statement

from ledgerbook import invariance, invariance_page

TAG = "textbook.corollary-01"


def row(observed, relation, bound, id="one", kind="inequality"):
    """A row as a closing record has it."""
    return {
        "id": id,
        "observed": observed,
        "relation": relation,
        "bound": bound,
        "margin": margin(observed, relation, bound),
        "passed": compare(observed, relation, bound),
        "as_printed": False,
        "kind": kind,
    }


def record(*rows, tag=TAG):
    return {"tag": tag, "claims": list(rows), "hypotheses": [], "errata": []}


@pytest.mark.parametrize(
    ("observed", "relation", "bound", "clear"),
    [
        (0.75, "<=", 1.0, 0.25),
        (4.0, ">", 1.0, 0.75),
        (1.25, "<=", 1.0, -0.2),
        (-0.1, "<=", 0.4, 1.25),
        (0.0, "<", 0.0, 0.0),
        (0.75, "in", [0.0, 1.0], 0.5),
        (1.25, "in", [0.0, 1.0], -0.5),
        (3, "==", 3, None),
        (True, "==", True, None),
    ],
)
def test_clearance_is_the_share_of_the_way_to_the_bound(observed, relation, bound, clear):
    assert invariance.clearance(row(observed, relation, bound)) == (
        clear if clear is None else pytest.approx(clear)
    )


def test_verdicts_statuses_margins_and_lost_rows_are_told_apart():
    stored = {TAG: record(*(row(0.1, "<=", 1.0, id) for id in ("flips", "near", "far", "lost")))}
    here = record(
        row(1.1, "<=", 1.0, "flips"), row(0.97, "<=", 1.0, "near"), row(0.6, "<=", 1.0, "far")
    )
    found = invariance.compared(stored, [here], {TAG: "statement"})
    assert found["statuses"] == [[TAG, "holds", "does not hold"]]
    assert found["verdicts"] == [[f"{TAG}#flips", 0.1, 1.1, "<=", 1.0]]
    assert found["gone"] == [f"{TAG}#lost"]
    assert (found["rows"], found["margins"], found["shrunk"]) == (3, 2, 2)
    assert found["tight"] == [[f"{TAG}#near", 0.9, 0.03]]
    assert len(invariance.changes(found)) == 3


def test_a_statement_that_is_not_judged_any_more_is_a_change():
    found = invariance.compared({TAG: record(row(0.1, "<=", 1.0))}, [], {TAG: "statement"})
    assert found["statuses"] == [[TAG, "holds", "not there"]]


def test_a_bound_that_was_sharp_and_stays_so_is_no_news():
    stored = {TAG: record(row(0.99, "<=", 1.0))}
    found = invariance.compared(stored, [record(row(0.992, "<=", 1.0))], {TAG: "statement"})
    assert (found["shrunk"], found["tight"], invariance.changes(found)) == (0, [], [])


def test_what_a_kernel_accepted_is_not_asked_again():
    stored = {TAG: record(row("accepted", "==", "accepted", kind="kernel"))}
    here = record(row("changed since", "==", "accepted", kind="kernel"))
    found = invariance.compared(stored, [here], {TAG: "statement"})
    assert (found["rows"], invariance.changes(found)) == (1, [])


def test_the_page_says_how_many_chapters_were_asked_as_they_stand_now(monkeypatch):
    one = dict.fromkeys(("rows", "shrunk", "margins"), 3) | {"python": "3.11", "inputs": "now"}
    one |= dict.fromkeys(("statuses", "verdicts", "gone", "tight"), ())
    chapters = {"a": one, "b": one | {"inputs": "before"}, "c": {"unchanged": ["seed"]}}
    monkeypatch.setattr(invariance, "load", lambda: {"s": {"words": "w", "chapters": chapters}})
    monkeypatch.setattr(invariance_page, "statements", lambda: dict.fromkeys("ab"))
    monkeypatch.setattr(invariance_page, "written", lambda: [type("Row", (), {"tag": "a"})()])
    monkeypatch.setattr(invariance, "inputs", lambda row: "now")
    line = invariance_page.page().splitlines()[2]
    assert [cell.strip() for cell in line.split("|")[2:5]] == ["3.11", "2", "1"]


def test_a_change_of_a_chapter_that_is_gone_is_not_listed(monkeypatch):
    changed = {"stopped": "ValueError: 7", "inputs": "now"}
    chapters = {TAG: changed, "textbook.gone": changed}
    monkeypatch.setattr(invariance, "load", lambda: {"s": {"words": "w", "chapters": chapters}})
    page = invariance_page.page()
    assert "{dropdown} What changed: 1\n" in page
    assert page.count("stopped: ValueError: 7") == 1 and "textbook/corollary_01" in page


def test_margins_that_came_close_are_listed_the_closest_first(monkeypatch):
    one = dict.fromkeys(("rows", "shrunk", "margins"), 3) | {"python": "3.11", "inputs": "now"}
    one |= dict.fromkeys(("statuses", "verdicts", "gone"), ())
    tight = [[f"{TAG}#far", 0.2, 0.04], [f"{TAG}#near", 0.5, 0.01]]
    stored = {"s": {"words": "another seed", "chapters": {TAG: one | {"tight": tight}}}}
    (listed,) = invariance_page._lists(stored)
    assert "Margins below half and within" in listed.splitlines()[0]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in listed.splitlines()[3:-1]]
    assert [[row[0], *row[2:]] for row in cells] == [
        ["another seed", "`near`", "50 %", "1 %"],
        ["another seed", "`far`", "20 %", "4 %"],
    ]


def test_what_was_not_run_is_a_line_for_each_reason(monkeypatch):
    chapters = {TAG: {"needs": "torch"}, "textbook.theorem-01": {"unchanged": ["seed"]}}
    monkeypatch.setattr(invariance_page, "allowed_versions", lambda: ["3.11", "3.12"])
    stored = {"python-3.11": {"words": "Python 3.11", "chapters": chapters}}
    lines = invariance_page._not_run(stored).split("\n")
    assert lines[0] == ":::{dropdown} What was not run" and lines[-1] == ":::"
    assert [line.partition(":")[0] for line in lines[1:-1]] == [
        "- Python 3.11, torch is not there",
        "- Python 3.11, no parameter `seed`",
        "- Beside the stored run, not asked",
    ]


def run_that_ends(status, monkeypatch, tmp_path, said="a warning\nthe last words\n"):
    """The outcome of a run that writes none, says something, and ends with a status."""

    def run(command, stdout, **options):
        stdout.write(said)
        return status

    monkeypatch.setattr(invariance.lifeline, "run", run)
    monkeypatch.setattr(invariance.scratch, "folder", lambda: contextlib.nullcontext(tmp_path))
    return invariance.execute(statement(TAG), Condition("seed", "another seed"), {"seed": 1})


def test_a_run_that_ends_by_itself_without_outcome_says_why(monkeypatch, tmp_path):
    for status in (0, 1):
        found = run_that_ends(status, monkeypatch, tmp_path)
        assert found == {"stopped": "no outcome: the last words"}
    found = run_that_ends(-signal.SIGALRM, monkeypatch, tmp_path, said="")
    assert found == {"stopped": "no outcome: out of time"}


def test_a_run_that_somebody_ended_is_no_outcome(monkeypatch, tmp_path):
    with pytest.raises(OSError, match="ended by SIGKILL; run it again"):
        run_that_ends(-signal.SIGKILL, monkeypatch, tmp_path)
