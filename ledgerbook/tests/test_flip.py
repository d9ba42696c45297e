"""Flipped signs without Coq and without a book: where they stand, what is asked, what is said."""

import os
import re
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from ledgerbook import flip, flip_rows, proofs

TEXT = """Definition two := 1 + 1.
Theorem here : 0 <= x - 1 + y.
Proof. lra. Qed.
"""
FLIPPED = """Definition two := 1 + 1.
Theorem here : 0 <= x + 1 + y.
Proof. lra. Qed.
"""


def test_a_conclusion_without_an_arrow_begins_at_the_colon():
    span = flip.conclusion(TEXT, "here")
    assert TEXT[slice(*span)] == ": 0 <= x - 1 + y."
    assert flip.flipped(TEXT, span, 0) == (2, FLIPPED)


@pytest.fixture
def source(tmp_path, monkeypatch):
    """The only file of proofs."""
    found = proofs.Source(tmp_path / "proofs" / "part" / "here.v", TEXT)
    monkeypatch.setattr(proofs, "find", lambda: [found])
    monkeypatch.setattr(flip.coq, "SCRATCH", tmp_path / "prove")
    return found


@pytest.mark.parametrize(("code", "said"), [(0, "holds"), (1, "refused")])
def test_coq_is_asked_of_the_flipped_file_beside_what_is_compiled(
    source, tmp_path, monkeypatch, capfd, code, said
):
    tool = tmp_path / "coqc"
    tool.write_text(
        f'#!/bin/sh\ncd {tmp_path}\necho "$@" > asked\nfor last; do :; done\ncp "$last" seen\n'
        f"echo No; echo no >&2; exit {code}\n"
    )
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    judged = flip.judge_theorem(source, flip.conclusion(TEXT, "here"), 0)
    assert judged == ("line 2", said, "holds")
    assert (tmp_path / "seen").read_text() == FLIPPED
    *options, file = (tmp_path / "asked").read_text().split()
    assert Path(file).name == "here.v"
    assert options[-3:] == ["-Q", str(tmp_path / "prove" / "part"), proofs.logical("part")]
    assert capfd.readouterr() == ("", "")


ROW = SimpleNamespace(before="", text="", flipped=lambda index: (f"sign {index}", ""))


def test_a_row_is_judged_by_the_last_line_that_its_process_prints(tmp_path, monkeypatch):
    monkeypatch.setattr(flip_rows, "environment", dict)
    monkeypatch.setattr(flip, "RUN", """print('words\\nof\\ncells\\n["holds", "fails"]')""")
    chapter = SimpleNamespace(tag="a.b", chapter=tmp_path / "b.ipynb")
    assert flip.judge_row(chapter, ROW, 2) == ("sign 2", "fails", "holds")
    monkeypatch.setattr(flip, "RUN", "raise SystemExit('first\\nsecond\\nlast words')")
    with pytest.raises(ValueError, match="^a.b: its cells stop: last words$"):
        flip.judge_row(chapter, ROW, 2)


@pytest.fixture
def steps(source, monkeypatch):
    """Twelve steps with a sign, of which two that fail as they stand, and one without."""
    made = [flip.Step(f"step {k}", k, None) for k in range(13)]
    monkeypatch.setattr(flip, "theorem_steps", lambda: made[:3])
    monkeypatch.setattr(flip, "row_steps", lambda: made[3:])
    monkeypatch.setattr(flip.coq, "missing_tools", list)
    file = (flip.coq.SCRATCH / source.place).with_suffix(".vo")
    file.parent.mkdir(parents=True)
    file.touch()
    return file


@pytest.mark.parametrize(
    ("green", "number", "red", "asked", "status"),
    [((), 4, 4, 4, 0), (range(13), 4, 0, 4, 1), ([5, 9], 99, 8, 10, 1)],
)
def test_as_many_steps_are_drawn_as_asked_and_one_that_stays_green_is_the_status(
    steps, monkeypatch, capsys, green, number, red, asked, status
):
    def judge(step, rng):
        verdict = "GREEN" if step.signs in green else "no step" if step.signs in (1, 2) else "red"
        return verdict, f"{verdict} {step.name}"

    monkeypatch.setattr(flip, "judge", judge)
    assert flip.main(number, 0) == status
    first, *lines, last = capsys.readouterr().out.splitlines()
    assert first == f"13 steps, 12 with a sign; {number} of them drawn with seed 0"
    assert last == f"{red} of {asked} turned red"
    drawn = [int(re.search(r"\d+$", line)[0]) for line in lines]
    assert len(set(drawn)) == len(drawn) and 0 not in drawn
    assert sum(line.startswith(("red", "GREEN")) for line in lines) == asked


def test_without_coq_or_its_compiled_files_nothing_is_flipped(steps, monkeypatch):
    steps.unlink()
    with pytest.raises(ValueError, match="not compiled here: make prove"):
        flip.main(1, 0)
    monkeypatch.setattr(flip.coq, "missing_tools", lambda: ["coqc", "coqdep"])
    with pytest.raises(ValueError, match="no coqc, coqdep here: make prove"):
        flip.main(1, 0)


CELL = """
import math
for k in range(3):
    other = k - 1
low = -x
ledger.show()
ledger.step("minus", "words", low, "==", [a - 1, b][i - 1], kind="exact")
"""


def test_signs_of_a_row_are_those_of_its_value_and_of_what_assignments_give_it():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    (row,) = flip_rows.rows(notebook)
    words = {row.flipped(k)[0] for k in range(row.signs)}
    assert words == {"`-x` becomes `+x`", "`a - 1` becomes `a + 1`"}
    assert sum("low = +x" in row.flipped(k)[1] for k in range(row.signs)) == 1


def test_a_long_formula_is_shown_by_its_ends():
    start, end = "s" * 40, "e" * 15
    assert flip_rows._short(f"{start}12345{end}") == f"{start}12345{end}"
    assert flip_rows._short(f"{start}123456{end}") == f"{start} … {end}"


def test_a_row_runs_alone_with_the_companion_s_packages_and_no_window(monkeypatch):
    monkeypatch.setenv("SET_BEFORE", "stays")
    found = flip_rows.environment()
    assert found["PYTHONPATH"] == flip_rows.paths.python_path() and found["MPLBACKEND"] == "agg"
    assert found["SET_BEFORE"] == "stays" and found["PATH"] == os.environ["PATH"]
