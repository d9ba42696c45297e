"""The exercises without a book: what is changed, what is left as it is, what is written, scored."""

import json
import random
from types import SimpleNamespace

import nbformat
import pytest

from ledgerbook import hunt, paths

MADE = [
    hunt.Exercise(f"H{k:03}", "Lemma 1", "$a=b^2$", wrong, "sign")
    for k, wrong in ((1, 2), (2, None))
]


@pytest.mark.parametrize(
    ("kind", "tex", "changed"),
    [
        ("exponent", "w=x^2+y^2-ab", "w=x^3+y^2-ab"),
        ("rate", r"w=\eta_Y x^2+\eta_Y y", r"w=\eta_Z x^2+\eta_Y y"),
        ("factor", "w=-x^2+y-abc", r"w=-2\,x^2+y-abc"),
    ],
)
def test_one_place_is_changed_and_no_other(kind, tex, changed):
    assert dict(hunt.changes(tex))[kind] == changed


def test_exercises_are_counted_from_one_in_an_order_of_the_seed(monkeypatch):
    found = [(str(k), "text", None, "clean") for k in range(30)]
    monkeypatch.setattr(hunt, "_slips", lambda: found[:10])
    monkeypatch.setattr(hunt, "_own", lambda rng: found[10:])
    made = hunt.exercises(3)
    assert [one.number for one in made] == [f"H{k:03}" for k in range(1, 31)]
    assert sorted(int(one.title) for one in made) == [*range(30)]
    assert [one.title for one in made] != [row[0] for row in found]


def test_one_of_the_book_s_own_in_four_is_left_as_it_is(monkeypatch):
    text = "Then $w=x^2+y-abc$."
    row = SimpleNamespace(tag="a.b", name="Lemma 1")
    monkeypatch.setattr(hunt.collect, "collect", lambda: {"errata": []})
    monkeypatch.setattr(hunt, "written", lambda: [row])
    monkeypatch.setattr(hunt, "_statements", lambda row: [text] * 200)
    made = [hunt.Exercise("H001", *values) for values in hunt._own(random.Random(0))]
    clean = [one for one in made if one.kind == "clean"]
    changed = [one for one in made if one.kind != "clean"]
    assert len(changed) == 200 * len([*hunt.changes("w=x^2+y-abc")]) == 600
    assert 110 < len(clean) < 190 and {(one.text, one.wrong) for one in clean} == {(text, None)}


def test_a_chapter_states_its_theorems_and_what_its_walk_displays(tmp_path):
    cells = [
        "# Title\n\nWords with $a=b$ alone.",
        ":::{prf:lemma} Name\n:label: one\nLet $x$ be\n$$y=x$$\n:::",
        "A step displays $$z=y^2$$ here.",
    ]
    file = tmp_path / "chapter.ipynb"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(c) for c in cells])
    notebook.cells.append(nbformat.v4.new_code_cell("'$$no words$$'"))
    nbformat.write(notebook, file)
    assert hunt._statements(SimpleNamespace(chapter=file)) == ["Let $x$ be\n$$y=x$$", cells[2]]


def test_an_answer_that_flags_nothing_is_precise_and_finds_nothing(monkeypatch):
    monkeypatch.setattr(hunt, "exercises", lambda seed: MADE)
    said = {"exercises": 2, "wrong": 1, "found": 0, "recall": 0, "precision": 1}
    assert hunt.score({"seed": 0, "answers": {"H001": None, "H002": None}}) == said
    said = {"exercises": 2, "wrong": 1, "found": 1, "recall": 1, "precision": 0.5}
    assert hunt.score({"seed": 0, "answers": {"H001": 2, "H002": 1}}) == said


def test_the_command_writes_the_exercises_or_scores_a_file_of_answers(project, monkeypatch, capsys):
    monkeypatch.setattr(hunt, "exercises", lambda seed: MADE[: seed + 1])
    assert hunt.main(None, 1) == 0
    assert capsys.readouterr().out.startswith("2 exercises in ")
    written = sorted(file.name for file in (paths.BUILD / "hunt").iterdir())
    assert written == ["H001.md", "H002.md", "exercises.json"]
    answers = project / "answers.json"
    answers.write_text(json.dumps({"seed": 1, "answers": {"H001": 2}}), encoding="utf-8")
    assert hunt.main(answers, 0) == 0
    assert capsys.readouterr().out.splitlines() == [
        *("exercises: 2", "wrong: 1", "found: 1", "recall: 1", "precision: 1")
    ]
