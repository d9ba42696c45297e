"""What another run of a chapter is compared with, what is stored of it, what is told: no run."""

import contextlib
import json

import pytest
from ledgerbook.conditions import Condition
from ledgerbook.judgement import compare, margin
from ledgerbook.statements import statement

from ledgerbook import invariance, notebooks, paths

TAG, OTHER = "textbook.corollary-01", "textbook.theorem-01"
SEED = Condition("seed", "another seed", {"seed": 7}, {"OMP_NUM_THREADS": "2"}, "/a/python")
SAME = {"rows": 3, "margins": 2, "shrunk": 1}


def row(observed, relation="<=", bound=1.0, id="one", kind="limit"):
    """A row as a closing record has it."""
    made = {"id": id, "observed": observed, "relation": relation, "bound": bound, "kind": kind}
    made["passed"] = compare(observed, relation, bound)
    return made | {"margin": margin(observed, relation, bound), "as_printed": False}


def record(*claims, tag=TAG, control=None):
    hypotheses = [{"id": "H1", "control": control}] if control else []
    return {"tag": tag, "claims": [*claims], "hypotheses": hypotheses, "errata": []}


@pytest.mark.parametrize(
    ("before", "now", "counts"),
    [
        (row(0.5), row(0.6), (1, 0, 0)),  # 0.5 of the way, and 0.4
        (row(0.5), row(0.75), (1, 0, 0)),  # just half of it
        (row(0.5), row(0.8), (1, 1, 0)),
        (row(0.5), row(0.95), (1, 1, 0)),  # the last that is not tight
        (row(0.5), row(0.96), (1, 1, 1)),
        (row(1.5), row(1.6), (0, 0, 0)),  # it failed and fails
        (row(True, "==", True), row(True, "==", True), (0, 0, 0)),
        (row("a", "==", "a"), row(0.5), (0, 0, 0)),
        (row(0.5), row(True, "==", True), (0, 0, 0)),
    ],
)
def test_of_a_verdict_that_stands_the_margin_is_compared(before, now, counts):
    found = invariance.compared({TAG: record(before)}, [record(now)], {TAG: "statement"})
    assert (found["margins"], found["shrunk"], len(found["tight"])) == counts
    assert found["rows"] == 1 and found["verdicts"] == found["gone"] == found["statuses"] == []


def test_controls_are_compared_and_what_is_new_is_not():
    stored = {TAG: record(row(0.1), control=row(0.1, id="two"))}
    here = [record(row(0.1), row(0.1, id="new"), control=row(2.0, id="two")), record(tag=OTHER)]
    found = invariance.compared(stored, here, {TAG: "statement"})
    assert found["rows"] == 2 and found["gone"] == []
    assert found["verdicts"] == [[f"{TAG}#two", 0.1, 2.0, "<=", 1.0]]


def test_a_kernels_row_that_is_not_stored_stays_as_it_is():
    new = record(row("a", "==", "b", kind="kernel"), tag=OTHER)
    assert invariance._kernel_as({TAG: record()}, new) == new
    stored = record(row("a", "==", "a"), row(0.5, id="two"))
    here = record(row("a", "==", "b", kind="kernel"), row(2.0, id="two"))
    asked = invariance._kernel_as({TAG: stored}, here)["claims"]
    assert [one["passed"] for one in asked] == [True, False]


@pytest.mark.parametrize(
    ("found", "lines"),
    [
        ({"unchanged": ["dtype", "seed"]}, ["seed a.b: has no dtype, seed"]),
        ({"needs": "torch"}, ["seed a.b: needs torch"]),
        ({"stopped": "ValueError: 7"}, ["CHANGED seed a.b: stopped: ValueError: 7"]),
        (
            {
                "statuses": [["a.b", "holds", "does not hold"]],
                "verdicts": [["a.b#one", 0.1, 2.0, "<=", 1.0]],
                "gone": ["a.b#two"],
            },
            [
                "CHANGED seed a.b: a.b: holds -> does not hold",
                "CHANGED seed a.b: a.b#one: 0.1 -> 2.0, wanted <= 1.0",
                "CHANGED seed a.b: a.b#two: no such row",
            ],
        ),
        (SAME, ["seed a.b: 3 verdicts the same, 1 of 2 margins below half"]),
    ],
)
def test_a_person_is_told_what_is_not_as_stored_or_that_all_is(found, lines):
    assert list(invariance.told("a.b", "seed", found)) == lines


def test_other_values_stand_behind_the_cell_of_parameters():
    chapter = statement(OTHER)
    cells = [cell.source for cell in notebooks.code_cells(notebooks.read(chapter.chapter))]
    cells[0] += "\nseed = 7\ndtype = 'float32'"
    text = invariance.code(chapter, {"seed": 7, "dtype": "float32"})
    assert text == "\n# ---\n".join(cells)


def test_a_run_has_its_conditions_and_its_outcome_is_read(monkeypatch, tmp_path):
    def run(command, *, cwd, env, stdout, stderr):
        (tmp_path / "outcome.json").write_text('{"records": []}', encoding="utf-8")
        assert command[:3] == ["/a/python", "-m", "ledgerbook.lifeline"]
        assert command[3:] == ["ledgerbook.verdicts", *map(str, written)]
        assert "\nseed = 7" in written[0].read_text(encoding="utf-8")
        assert cwd == statement(TAG).chapter.parent and stdout is stderr
        assert env["OMP_NUM_THREADS"] == "2" and env[invariance.project.VARIABLE] == str(paths.ROOT)
        return 0

    written = tmp_path / f"{TAG}.py", tmp_path / "outcome.json"
    monkeypatch.setattr(invariance.lifeline, "run", run)
    monkeypatch.setattr(invariance.scratch, "folder", lambda: contextlib.nullcontext(tmp_path))
    assert invariance.execute(statement(TAG), SEED, {"seed": 7}) == {"records": []}


@pytest.mark.parametrize(
    ("outcome", "found"),
    [
        ({"needs": "torch", "python": "3.11"}, {"needs": "torch", "python": "3.11"}),
        ({"stopped": "why"}, {"stopped": "why"}),
        ({"records": [record(row(0.5))], "python": "3.11"}, {"python": "3.11", "rows": 1}),
    ],
)
def test_a_chapter_that_ends_is_compared_and_another_says_why(monkeypatch, outcome, found):
    monkeypatch.setattr(invariance, "execute", lambda *given: dict(outcome))
    stored = {TAG: record(row(0.5))}
    monkeypatch.setattr(invariance.notebooks, "closing_records", lambda notebook: stored)
    assert invariance.measure(statement(TAG), SEED).items() >= found.items()


def test_a_chapter_without_the_parameter_is_not_run(monkeypatch):
    monkeypatch.setattr(invariance, "execute", lambda *given: pytest.fail("it was run"))
    other = Condition("both", "both", {"seed": 1, "dtype": "float32"})
    assert invariance.measure(statement(TAG), other) == {"unchanged": ["dtype", "seed"]}


def test_a_run_depends_on_formulas_and_on_no_words_nor_on_this_package(monkeypatch):
    def inputs(code):
        monkeypatch.setattr(invariance.notebooks, "code", lambda notebook: code)
        return invariance.inputs(statement(TAG))

    first = inputs("from power.iteration import path\nf('some words')")
    assert first == inputs("from power.iteration import path\nf('other words')")
    assert first != inputs("from power.iteration import path\ng('some words')")
    assert first != inputs("from power.iteration import rate, path\nf('some words')")
    reached = [paths.ROOT / "power/iteration.py", paths.ROOT / "power/__init__.py"]
    own = invariance.Path(invariance.__file__)
    closures = [reached, [*reached, own], reached[:1]]
    monkeypatch.setattr(invariance.fingerprint, "closure", lambda text: closures.pop(0))
    one, beside, fewer = (inputs("x") for _ in range(3))
    assert one == beside != fewer


def test_what_is_out_of_date_lacks_a_module_or_changed_is_asked_again(monkeypatch, project, capsys):
    stored = {
        "seed": {TAG: SAME | {"inputs": "now"}, OTHER: SAME | {"inputs": "before"}},
        "threads": {TAG: {"needs": "torch", "inputs": "now"}, OTHER: {"stopped": "x"}},
    }
    stored["threads"][OTHER]["inputs"] = "now"
    monkeypatch.setattr(paths, "INVARIANCE", project / "book" / "invariance.json")
    text = json.dumps({name: {"chapters": chapters} for name, chapters in stored.items()})
    paths.INVARIANCE.write_text(text, encoding="utf-8")
    known = {name: Condition(name, f"other {name}") for name in ("seed", "threads", "none")}
    monkeypatch.setattr(invariance, "conditions", lambda pythons: known)
    monkeypatch.setattr(invariance, "inputs", lambda row: "now")
    monkeypatch.setattr(invariance, "written", lambda: [statement(TAG), statement(OTHER)])
    asked = []

    def measure(row, one):
        asked.append((one.name, row.tag))
        return {"gone": ["a#b"]} if len(asked) == 3 else dict(SAME)

    monkeypatch.setattr(invariance, "measure", measure)
    assert invariance.main([], ["seed", "threads"], []) == 1
    assert asked == [("seed", OTHER), ("threads", TAG), ("threads", OTHER)]
    assert capsys.readouterr().out.splitlines() == [
        f"2 of 4: seed {OTHER}: 3 verdicts the same, 1 of 2 margins below half",
        f"3 of 4: threads {TAG}: 3 verdicts the same, 1 of 2 margins below half",
        f"4 of 4: CHANGED threads {OTHER}: a#b: no such row",
        "1 of 4 runs changed a verdict",
    ]
    kept = invariance.load()["threads"]
    assert kept["words"] == "other threads"
    assert kept["chapters"][TAG] == SAME | {"inputs": "now"}
    assert invariance.main([TAG], [], []) == 0 and asked[3:] == [("none", TAG)]
    with pytest.raises(
        ValueError, match=r"conditions = \['moon'\], allowed: of seed, threads, none"
    ):
        invariance.main([], ["moon"], [])
