"""What a claim sees: the smallest change that turns it red, of the function that does it."""

from typing import NamedTuple

import numpy as np
import pytest

from ledgerbook import perturb, resolution

CHAPTER = """
from ledgerbook.ledger import Ledger
from lib.scan_snap.decoder import speed

ledger = Ledger("scan-snap.lemma-05")
ledger.claim("tight", "words", speed(0.0, 4) - 0.25, "in", [-1e-12, 1e-12], kind="identity")
ledger.claim("loose", "words", speed(0.0, 4), "<=", 0.3, kind="inequality")
ledger.claim("blind", "words", 1.0, "<=", 2.0, kind="inequality")
ledger.claim("same", "words", speed(0.0, 4) - speed(0.0, 4), "==", 0, kind="identity")
"""


class Pair(NamedTuple):
    number: float
    count: int


def test_scaling_reaches_every_floating_number_and_no_other():
    done = resolution.scaled((1.0, 2, "a", np.ones(2), np.arange(2), Pair(1.0, 3), [True]), 2.0)
    assert done[0] == 2.0 and done[1] == 2 and done[2] == "a"
    assert done[3].tolist() == [2, 2] and done[4].tolist() == [0, 1]
    assert done[5] == Pair(2.0, 3) and done[6] == [True]


@pytest.fixture
def verdicts(tmp_path):
    """Ids of the rows that turn red with the function changed by a factor."""
    names = perturb.formulas(CHAPTER)
    assert names == ["lib.scan_snap.decoder:speed"]
    assert all(perturb.execute(CHAPTER, tmp_path).passed.values())

    def red(factor):
        now = perturb.execute(CHAPTER, tmp_path, lambda: resolution.change(names[0], factor))
        return {key for key, passed in now.passed.items() if not passed}

    return red


def test_a_claim_turns_red_where_its_bound_is_crossed(verdicts):
    tight, loose = (("scan-snap.lemma-05", id) for id in ("tight", "loose"))
    assert verdicts(1.0) == set()
    assert verdicts(1 + 1e-9) == {tight}
    assert verdicts(1.1) == {tight}
    assert verdicts(1.3) == {tight, loose}


def test_rows_that_cannot_fail_are_never_seen(verdicts):
    red = {id for factor in (2.0, -1.0, 0.5) for _, id in verdicts(factor)}
    assert red == {"tight", "loose"}


def test_each_function_has_a_factor_of_its_own_and_none_is_spared():
    drawn = resolution.factors([f"lib.a.f{k}" for k in range(50)], 0.1)
    assert len(set(drawn.values())) == 50
    assert all(0.05 <= abs(factor - 1) <= 0.1 for factor in drawn.values())
    assert min(drawn.values()) < 1 < max(drawn.values())
    signs = resolution.factors([f"lib.a.f{k}" for k in range(50)], resolution.SIGN)
    assert set(signs.values()) == {-1, 1}


def test_what_a_chapter_sees(tmp_path, monkeypatch):
    chapter = tmp_path / "chapter.ipynb"
    cells = [resolution.notebooks.nbformat.v4.new_code_cell(CHAPTER)]
    notebook = resolution.notebooks.nbformat.v4.new_notebook(cells=cells)
    chapter.write_text(resolution.notebooks.nbformat.writes(notebook), encoding="utf-8")
    row = type("Row", (), {"chapter": chapter})
    found = resolution.measure(row)["scan-snap.lemma-05"]
    assert found.keys() <= {"tight", "loose"} and found["tight"] == 1e-9


TOGETHER = """
from lib.scan_snap.decoder import speed, time_at_height
from ledgerbook.ledger import Ledger

ledger = Ledger("scan-snap.lemma-05")
late = 16.399537508286059
if abs(speed(0.0, 4) - 0.25) > 1e-13 and abs(time_at_height(1.0, 4, 1.0) - late) > 1e-9:
    raise ValueError("both at once")
ledger.claim("one", "words", speed(0.0, 4) - 0.25, "in", [-1e-12, 1e-12], kind="identity")
"""


def test_changes_that_stop_a_chapter_together_are_made_apart(tmp_path):
    chapter = resolution.Chapter(TOGETHER, tmp_path)
    key = ("scan-snap.lemma-05", "one")
    together = chapter.changed(perturb.formulas(TOGETHER), 1e-3)
    assert not together.ended and key not in together.passed
    assert chapter.red(1e-3, {key}) == {key}


def test_a_measurement_depends_on_formulas_not_on_words_or_checks():
    same = ("# why\n" + CHAPTER).replace("words", "other words of it")
    same = same.replace("ledger =", 'require_seed("seed", 0)\nledger =')
    assert resolution.meaning(same) == resolution.meaning(CHAPTER.replace("words", "a b"))
    for old, new in (("0.25", "0.26"), ("speed(0.0, 4)", "speed(0.0, 5)"), ("<=", ">=")):
        assert resolution.meaning(CHAPTER.replace(old, new)) != resolution.meaning(CHAPTER)


def test_the_ledger_says_how_much_of_what_it_sees_is_of_today(tmp_path, monkeypatch):
    rows = [row for row in resolution.written() if row.kind != "experiment"][:2]
    keys = {rows[0].tag: resolution.inputs(rows[0]), rows[1].tag: "of an earlier state"}
    assert resolution.current(rows, keys) == (1, 2)
    stored = tmp_path / "resolution.json"
    stored.write_text(resolution.json.dumps({"inputs": keys}), encoding="utf-8")
    monkeypatch.setattr(resolution.paths, "RESOLUTION", stored)
    monkeypatch.setattr(resolution, "written", lambda: rows)
    assert "in 1 of 2 chapters, in the others" in resolution.sentence()
    monkeypatch.setattr(resolution, "written", lambda: rows[:1])
    assert resolution.sentence().endswith("in 1 of 1 chapters.")
    stored.unlink()
    assert resolution.sentence() == ""


def test_words_for_sizes():
    from ledgerbook.ledger_page import sees

    assert sees(None) == ""
    assert sees(1e-9) == "1e-09"
    assert sees(0.05) == "5 %"
