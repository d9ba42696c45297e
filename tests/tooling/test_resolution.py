"""What a claim sees: the smallest change that turns it red, of the function that does it."""

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
from ledgerbook.alterations import SIGN, Size, altered, change, changes

from ledgerbook import blind, measured, notebooks, perturb, resolution

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


def test_a_change_reaches_every_floating_number_and_no_other():
    done = altered((1.0, 2, "a", np.ones(2), np.arange(2), Pair(1.0, 3), [True]), lambda x: 2 * x)
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
        now = perturb.execute(CHAPTER, tmp_path, lambda: change(names[0], lambda x: factor * x))
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


def test_each_function_has_a_change_of_its_own_and_none_is_spared():
    names = [f"lib.a.f{k}" for k in range(50)]
    drawn = [how(1.0) for how in changes(names, Size(0.1)).values()]
    assert len(set(drawn)) == 50
    assert all(0.05 <= abs(factor - 1) <= 0.1 for factor in drawn)
    assert min(drawn) < 1 < max(drawn)
    signs = {how(1.0) for how in changes(names, Size(SIGN)).values()}
    assert signs == {-1, 1}


def test_an_exponent_keeps_signs_and_zero_and_one():
    numbers = np.array([-4.0, -1.0, 0.0, 1.0, 4.0])
    (how,) = changes(["lib.a.f"], Size(1.0, exponent=True)).values()
    done = how(numbers)
    assert done[[1, 2, 3]].tolist() == [-1, 0, 1] and done[0] == -done[4]
    assert 1.5 <= np.log(done[4]) / np.log(4) <= 2


def test_what_a_chapter_sees(tmp_path, monkeypatch):
    chapter = tmp_path / "chapter.ipynb"
    cells = [notebooks.nbformat.v4.new_code_cell(CHAPTER)]
    notebook = notebooks.nbformat.v4.new_notebook(cells=cells)
    chapter.write_text(notebooks.nbformat.writes(notebook), encoding="utf-8")
    row = type("Row", (), {"chapter": chapter})
    found = resolution.measure(row).sizes["scan-snap.lemma-05"]
    assert found.keys() <= {"tight", "loose"} and found["tight"] == 1e-9


def test_exponents_are_asked_of_claims_that_see_no_factor_below_two(monkeypatch):
    asked = []

    class Chapter(SimpleNamespace):
        def smallest(self, ladder, open_):
            asked.append({id for _, id in open_})
            return {("a.b", "one"): 0.05}

    keys = [("a.b", id) for id in ("finer", "one", "two", "nothing", "proved", "red")]
    kinds = dict.fromkeys(keys, "limit") | {keys[4]: "symbolic"}
    base = SimpleNamespace(passed={key: key != keys[5] for key in keys}, kinds=kinds, claims=set())
    chapter = Chapter(base=base, names=[], code="", folder=None, limit=1)
    monkeypatch.setattr(resolution, "Chapter", lambda code, folder: chapter)
    monkeypatch.setattr(notebooks, "read", lambda path: None)
    monkeypatch.setattr(notebooks, "code", lambda notebook: "")
    row = SimpleNamespace(chapter=measured.paths.ROOT)
    known = {"a.b": {"finer": 0.2, "one": 1.0, "two": SIGN}}
    found = resolution.measure(row, known).sizes
    assert asked == [{"one", "two", "nothing"}]
    assert found == {"a.b": {"finer": 0.2, "one": 0.05, "two": SIGN}}


SLOPE = """
from lib.scan_snap.decoder import speed
from ledgerbook.ledger import Ledger

ledger = Ledger("scan-snap.lemma-05")
ratio = speed(9.0, 4) / speed(8.0, 4)  # exp(-4)
ledger.claim("slope", "words", ratio / 0.018315638888734827 - 1, "in", [-0.015, 0.015], kind="rate")
"""


def test_a_fitted_exponent_sees_an_exponent_and_no_factor(tmp_path):
    chapter, key = resolution.Chapter(SLOPE, tmp_path), ("scan-snap.lemma-05", "slope")
    assert chapter.base.passed[key]
    assert chapter.smallest(resolution.FACTORS[:-2], {key}) == {}
    assert chapter.smallest(resolution.EXPONENTS, {key}) == {key: 1e-2}


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
    together = chapter.changed(perturb.formulas(TOGETHER), Size(1e-3))
    assert not together.ended and key not in together.passed
    assert chapter.red(Size(1e-3), {key}) == {key}


STOPPED = """
from lib.scan_snap.decoder import speed
from ledgerbook.ledger import Ledger

if abs(speed(0.0, 4) - 0.25) > 1e-12:
    raise ValueError("no chapter")
ledger = Ledger("scan-snap.lemma-05")
ledger.claim("one", "words", speed(0.0, 4), "<=", 0.3, kind="inequality")
"""


def test_a_function_that_stops_a_chapter_is_left_out_but_for_a_sign(tmp_path):
    chapter = resolution.Chapter(STOPPED, tmp_path)
    for size, left in ((SIGN, chapter.names), (1e-3, [])):
        assert chapter.red(Size(size), {*chapter.base.passed}) == set()
        assert chapter.names == left


BLIND = """
from lib.scan_snap.decoder import speed
from ledgerbook.ledger import Ledger

ledger = Ledger("scan-snap.lemma-05")
rises = speed(0.0, 4) < speed(-1.0, 4)
ledger.claim("order", "words", rises, "==", True, kind="exact")
small = 3 - 2
ledger.claim("small", "words", small < 2, "==", True, kind="exact")
ledger.claim("nothing", "words", True, "==", True, kind="exact")
"""


def test_rows_without_a_size_are_asked_with_wrong_formulas(tmp_path):
    chapter = resolution.Chapter(BLIND, tmp_path)
    open_ = set(chapter.base.claims)
    assert resolution.by_factors(chapter, {key for key in open_ if key[1] != "order"}) == {}
    words = blind.asked(BLIND, tmp_path, chapter.names, open_, 30)
    assert {id: said.partition(":")[0] for (_, id), said in words.items()} == {
        "order": "`speed`",
        "small": blind.OWN,
    }


def test_beside_the_named_functions_stand_the_others_of_their_modules():
    names = ["lib.scan_snap.decoder:speed"]
    others = blind.beside(names)
    assert names[0] not in others and "lib.scan_snap.decoder:h_star" in others
    assert all(name.startswith("lib.scan_snap.decoder:") for name in others)
    asked = blind.drawn(others)
    assert len(asked) == 12 and {wrong.name for wrong in asked} <= set(others)


def test_own_lines_reach_back_to_the_claim_before():
    found = [blind.with_line(BLIND, line) for line in blind.own_lines(BLIND, "small")]
    assert found and all("speed(0.0, 4) < speed(-1.0, 4)" in code for code in found)
    assert any("small = 3 + 2" in code for code in found)
    assert blind.own_lines(BLIND, "nothing") == []
