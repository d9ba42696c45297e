"""Flipped signs: where they stand, that each gives another step, that red and green are told."""

import ast
import json
import random
import shutil
import subprocess
import sys

import nbformat
import pytest

from ledgerbook import coq, flip, flip_rows, proofs

CELLS = [
    "from lib.decide import follows\nimport z3\nx, y = z3.Reals('x y')",
    """
low = y - 1
half = 3 - 2
ledger.trusts("nothing - at all")
ledger.step("first", "words", follows(x - low > 0, x - y >= -1 + 1), "==", True, kind="decided")
ledger.claim("measured", "words", 2.0 - 1.0, "<=", 1.0, kind="identity")
ledger.step("weak", "words", follows((x - y) ** 2 >= 0), "==", True, kind="decided")
ledger.step("bare", "words", follows(x * x >= 0), "==", True, kind="decided")
""",
]


@pytest.fixture
def rows():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in CELLS])
    return {row.id: row for row in flip_rows.rows(notebook)}


def test_only_proved_rows_are_steps_and_assumptions_are_left_alone(rows):
    assert set(rows) == {"first", "weak", "bare"}
    words = {rows["first"].flipped(k)[0] for k in range(rows["first"].signs)}
    assert words == {"`x - low` becomes `x + low`", "`y - 1` becomes `y + 1`"}
    assert rows["bare"].signs == 0


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ('ledger.step("a", "words", 1, "==", 1, kind="decided")', "decided"),
        ('ledger.step(name, "words", 1, "==", 1, kind="decided")', None),
        ('ledger.step("words", 1, "==", 1, kind="decided")', None),
        ('ledger.step("a", "words", 1, "==", 1, kind=some)', None),
        ('ledger.step("a", "words", 1, "==", 1)', None),
        ('ledger.show("a", "words", 1, "==", 1, kind="decided")', None),
    ],
)
def test_the_kind_of_a_row_is_known_where_name_and_kind_are_written_out(call, kind):
    assert flip_rows._kind(ast.parse(call, mode="eval").body) == kind


def verdicts(row):
    return answers(row.before, [row.text, *(row.flipped(k)[1] for k in range(row.signs))])


def answers(before, texts):
    task = {"before": before, "texts": texts, "result": flip_rows.RESULT, "seconds": 60}
    done = subprocess.run(
        [sys.executable, "-c", flip.RUN],
        input=json.dumps(task),
        env=flip_rows.environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_a_flipped_sign_turns_a_step_red_and_a_square_hides_it(rows):
    assert verdicts(rows["first"]) == ["holds", "fails", "fails"]
    assert verdicts(rows["weak"]) == ["holds", "holds"]


def test_a_flipped_step_starts_from_what_its_cell_found():
    text = "if recorded: raise ValueError('recorded twice')\nrecorded.append(1)\n_held = True"
    assert answers("recorded = []", [text, text]) == ["holds", "holds"]


def test_a_step_that_stays_green_is_named(rows, monkeypatch, capsys):
    step = flip.Step("a: row weak", rows["weak"].signs, (None, rows["weak"]))
    monkeypatch.setattr(flip, "judge_row", lambda *given: ("x - y", "holds", "holds"))
    assert flip.judge(step, random.Random(0)) == (
        "GREEN",
        "GREEN a: row weak, x - y: holds, flipped holds",
    )
    monkeypatch.setattr(flip, "judge_row", lambda *given: ("x - y", "fails", "fails"))
    assert flip.judge(step, random.Random(0))[0] == "no step"


STATEMENT = """Theorem here : forall x, - 1 < x ->
  (x -> y) -> 0 <= x - 1 + (- 2 * y) <-> a - b = 0.
Proof. auto. Qed.
"""


def test_signs_of_a_theorem_stand_in_its_conclusion():
    span = flip.conclusion(STATEMENT, "here")
    assert STATEMENT[slice(*span)] == " 0 <= x - 1 + (- 2 * y) <-> a - b = 0."
    signs = len(flip.SIGN.findall(STATEMENT[slice(*span)]))
    texts = {flip.flipped(STATEMENT, span, k) for k in range(signs)}
    assert signs == 4
    assert all(line == 2 and text != STATEMENT for line, text in texts)
    assert len({text for _, text in texts}) == 4


def test_every_announced_theorem_has_a_conclusion():
    assert len(list(flip.theorem_steps())) == sum(len(s.theorems) for s in proofs.find())


@pytest.mark.skipif(bool(coq.missing_tools()), reason="no Coq here")
def test_coq_refuses_a_theorem_with_a_flipped_sign(tmp_path, monkeypatch):
    text = (
        "From Coq Require Import Reals Lra.\nOpen Scope R_scope.\n"
        "Theorem here : forall x, x - 1 < x.\nProof. intros. lra. Qed.\n"
        "(* THEOREM here | holds-as-printed | less *)\n"
    )
    source = proofs.Source(tmp_path / "proofs" / "part" / "here.v", text)
    monkeypatch.setattr(flip, "mapping", list)
    monkeypatch.setattr(flip, "folders", set)
    assert flip.judge_theorem(source, flip.conclusion(text, "here"), 0)[1] == "refused"
    assert shutil.which("coqc")
