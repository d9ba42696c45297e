"""Wrong formulas: what is made wrong, and that the claims alone are asked."""

import json

import pytest

from ledgerbook import notebooks, perturb, wrong_formulas
from lib.scan_snap import decoder

SPEED = "lib.scan_snap.decoder:speed"
CHAPTER = """
from ledgerbook.ledger import Ledger
from lib.scan_snap.decoder import speed

ledger = Ledger("scan-snap.lemma-05")
ledger.claim("tight", "words", speed(0.5, 4) * (3 + 7.38905609893065), "in", [0.99, 1.01],
             kind="limit")
ledger.claim("blind", "words", 1.0, "<=", 2.0, kind="inequality")
"""


def test_signs_factors_indices_and_terms_are_made_wrong_and_checks_are_not():
    words = {wrong.what for wrong in wrong_formulas.wrongs(SPEED)}
    assert words >= {"minus dropped", "Sub becomes Add", "1 becomes 2", "Mult becomes Div"}
    terms = [w.what for w in wrong_formulas.wrongs("lib.scan_snap.decoder:time_at_height")]
    assert "term missing" in terms
    right = wrong_formulas.ast.unparse(wrong_formulas._tree("lib.scan_snap.decoder:zeta")[0])
    checks = [line for line in right.splitlines() if "require" in line]
    for wrong in wrong_formulas.wrongs("lib.scan_snap.decoder:zeta"):
        assert set(checks) <= set(wrong_formulas.source(wrong).splitlines())


def test_each_place_is_one_change_of_the_source():
    right = wrong_formulas.ast.unparse(wrong_formulas._tree(SPEED)[0])
    sources = {wrong_formulas.source(wrong) for wrong in wrong_formulas.wrongs(SPEED)}
    assert len(sources) == len(wrong_formulas.wrongs(SPEED)) and right not in sources


def test_the_number_of_an_axis_is_no_formula():
    for name in ("samples:NextTokenData.shape", "compiled_descent:weights"):
        name = f"lib.mechanics.{name}"
        right = wrong_formulas.ast.unparse(wrong_formulas._tree(name)[0])
        axes = [part for part in ("shape[1]", "swapaxes(moves, -1, -2)") if part in right]
        for wrong in wrong_formulas.wrongs(name):
            whole = wrong.what == "term missing" or axes[0] in wrong_formulas.source(wrong)
            assert whole, wrong


@pytest.mark.parametrize(
    "code, number",
    [("np.sum(x, axis=-1)", 0), ("torch.sum(x, dim=-1)", 0), ("np.sum(x, initial=-1)", 1)],
)
def test_an_argument_that_names_an_axis_is_no_formula(code, number):
    assert len(list(wrong_formulas.places(wrong_formulas.ast.parse(code)))) == number


def test_a_tolerance_is_no_formula():
    name = "lib.mechanics.token_priority_graph:orthonormal_basis"
    kept = "tolerance * max(singular[0], 1e-300)"
    assert kept in wrong_formulas.ast.unparse(wrong_formulas._tree(name)[0])
    assert all(kept in wrong_formulas.source(wrong) for wrong in wrong_formulas.wrongs(name))


def test_a_tolerance_that_its_module_names_is_no_formula():
    name = "lib.bridge.frozen_decoder:sharp_winners"
    kept = "TIE * np.abs(Y).max()"
    assert kept in wrong_formulas.ast.unparse(wrong_formulas._tree(name)[0])
    assert all(kept in wrong_formulas.source(wrong) for wrong in wrong_formulas.wrongs(name))


@pytest.fixture
def row(tmp_path):
    """A chapter of two claims, one of which the function moves."""
    cells = [notebooks.nbformat.v4.new_code_cell(CHAPTER)]
    file = tmp_path / "chapter.ipynb"
    notebook = notebooks.nbformat.v4.new_notebook(cells=cells)
    file.write_text(notebooks.nbformat.writes(notebook), encoding="utf-8")
    return type("Row", (), {"chapter": file, "__hash__": lambda self: 1})()


def test_a_wrong_formula_turns_a_claim_red_and_leaves_this_process_alone(row):
    before = decoder.speed(0.5, 4)
    for wrong in wrong_formulas.wrongs(SPEED):
        done = wrong_formulas.judge(wrong, [row])
        assert done["noticed"] == "a claim" and done["claims"] == ["scan-snap.lemma-05.tight"]
        json.dumps(done)
    assert decoder.speed(0.5, 4) == before


def test_what_no_claim_notices_survives(row, monkeypatch):
    monkeypatch.setattr(wrong_formulas, "install", lambda wrong: None)
    wrong = wrong_formulas.wrongs(SPEED)[0]
    assert wrong_formulas.judge(wrong, [row])["noticed"] == "survived"


@pytest.mark.parametrize("text, noticed", [("1 / 0", "does not run"), ("'x'", "stopped")])
def test_a_function_that_gives_no_number_is_told_from_a_chapter_that_stops(
    row, monkeypatch, text, noticed
):
    monkeypatch.setattr(wrong_formulas, "source", lambda wrong: f"def speed(h, M): return {text}")
    assert wrong_formulas.judge(wrong_formulas.wrongs(SPEED)[0], [row])["noticed"] == noticed


def test_another_is_drawn_for_one_that_does_not_run(monkeypatch, capsys, tmp_path):
    def judge(wrong, rows):
        noticed = "does not run" if wrong.what == "Mult becomes Div" else "a claim"  # the first
        return {**wrong_formulas.asdict(wrong), "noticed": noticed, "claims": ["a.b"]}

    monkeypatch.setattr(wrong_formulas, "judge", judge)
    monkeypatch.setattr(wrong_formulas, "calls", lambda rows: {SPEED: []})
    monkeypatch.setattr(wrong_formulas.paths, "BUILD", tmp_path)
    places = wrong_formulas.wrongs(SPEED)
    wrong_formulas.main(len(places) - 1, 0)
    stored = [done["noticed"] for done in json.loads((tmp_path / "wrong.json").read_text())]
    assert stored.count("a claim") == len(places) - 1 and "does not run" in stored


def test_a_sample_takes_every_function_before_any_twice():
    names = {SPEED: [], "lib.scan_snap.decoder:gamma": [], "lib.scan_snap.decoder:h": []}
    chosen = wrong_formulas.sample(6, 0, names)
    assert len(set(chosen)) == 6
    assert {wrong.name for wrong in chosen[:3]} == names.keys()


def test_properties_of_an_imported_class_are_among_the_formulas():
    names = perturb.formulas("from lib.mechanics.problem import Problem")
    assert "lib.mechanics.problem:Problem.fin" in names


def test_a_function_that_draws_is_told_by_its_generator():
    assert wrong_formulas.draws("lib.mechanics.draws:random_law")
    assert not wrong_formulas.draws("lib.scan_snap.decoder:speed")


def test_what_draws_is_not_asked(monkeypatch, tmp_path):
    drawn = "lib.mechanics.draws:random_law"
    asked = []
    monkeypatch.setattr(wrong_formulas, "calls", lambda rows: {SPEED: [], drawn: []})
    monkeypatch.setattr(wrong_formulas.paths, "BUILD", tmp_path)

    def judge(wrong, rows):
        asked.append(wrong.name)
        return {**wrong_formulas.asdict(wrong), "noticed": "a claim", "claims": ["a.b"]}

    monkeypatch.setattr(wrong_formulas, "judge", judge)
    wrong_formulas.main(100, 0)
    assert asked and set(asked) == {SPEED}


def test_a_campaign_ends_with_how_many_were_noticed_how_the_commonest_first():
    results = [{"noticed": noticed} for noticed in ("survived", "claims", "stopped", "claims")]
    said = wrong_formulas.counted(results).split(", ")
    assert said[0] == "2 claims" and sorted(said[1:]) == ["1 stopped", "1 survived"]
