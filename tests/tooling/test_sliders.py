"""The figures with sliders: their formulas in JavaScript are lib's."""

import json
import re
import shutil
import subprocess
import tempfile

import numpy as np
import pytest
from ledgerbook.chapters.statements import statement
from ledgerbook.project import paths

from tooling import sliders
from tooling.sliders.figure import fill

SCRIPTS = paths.BOOK / "_extra/sliders"
NODE = shutil.which("node")
# In node and in the browser alike: the values and the sentence of every state.
EVALUATE = """
const about = {about};
return JSON.stringify({states}.map(([state, shown]) => {{
  const found = globalThis.SLIDERS[{name}](state, {data});
  return [found, globalThis.fillSliders(about, found, shown)];
}}));
"""
# One slip in each file of formulas, of the kind that a hand makes.
SLIPS = {
    "theorem_04": ("h / (M - 1", "h / (M"),
    "lemma_05": ("1 / (M - 1 + Math.exp(M * h))", "1 / (M - 1 + Math.exp((M - 1) * h))"),
    "theorem_02": ("overlap * f - drums", "f - drums"),
    "token_priority_graph": ("context.includes(i) ? 1 / sum(context)", "true ? 1 / sum(context)"),
    "global_convergence": ("Math.exp(score - ", "Math.exp(score / 2 - "),
}


@pytest.fixture(scope="module", params=sliders.FIGURES, ids=lambda figure: figure.name)
def figure(request):
    return request.param


@pytest.fixture(scope="module")
def run(request):
    """A function that runs a source, then a function's body, and gives what that returns."""
    if NODE:
        return in_node
    browser = request.getfixturevalue("chromium")
    return lambda source, body: browser.execute_script(f"{source}{body}")


def in_node(source, body):
    with tempfile.NamedTemporaryFile("w", suffix=".cjs") as file:
        file.write(f"{source}console.log((() => {{{body}}})())")
        file.flush()
        return subprocess.run([NODE, file.name], capture_output=True, text=True, check=True).stdout


def computed(figure, run, source):
    """For each state the values and the sentence that the scripts give."""
    states = [
        [state, {c.name: c.shown[c.values.index(state[c.name])] for c in figure.controls}]
        for state in figure.states()
    ]
    body = EVALUATE.format(
        states=json.dumps(states),
        data=json.dumps(figure.data()),
        about=json.dumps(figure.says),
        name=json.dumps(figure.name),
    )
    found = json.loads(run(f"{source}\n{(SCRIPTS / 'sliders.js').read_text()}\n", body))
    return zip((state for state, _ in states), found, strict=True)


def differences(figure, run, source):
    """What the scripts and lib do not agree on, to 1e-9 of a number's size (or of 1e-6)."""
    data = figure.data()
    for state, (found, sentence) in computed(figure, run, source):
        expected = figure.values(state, data)
        if found.keys() != expected.keys():
            yield state, found.keys() ^ expected.keys()
        for key in found.keys() & expected.keys():
            if not agree(found[key], expected[key]):
                yield state, key
        if sentence != figure.sentence(state, data):
            yield state, sentence


def agree(found, expected):
    if isinstance(expected, str) or (isinstance(expected, list) and str in map(type, expected)):
        return found == expected
    found, expected = np.array(found, dtype=float), np.array(expected, dtype=float)
    if found.shape != expected.shape or not np.isfinite(found).all():
        return False
    return bool((np.abs(found - expected) <= 1e-9 * np.maximum(1e-6, np.abs(expected))).all())


def test_scripts_compute_what_lib_does_in_every_state(figure, run):
    source = (SCRIPTS / f"{figure.name}.js").read_text()
    assert list(differences(figure, run, source)) == []


def test_a_slip_in_a_script_is_seen(figure, run):
    source, (right, wrong) = (SCRIPTS / f"{figure.name}.js").read_text(), SLIPS[figure.name]
    assert source.count(right) == 1
    assert next(differences(figure, run, source.replace(right, wrong)), None) is not None


def test_a_sentence_is_filled_in():
    values = {"a": 0.12345, "b": -2.0, "c": "{0, 1}"}
    template = "{a:2}, {a:1%}, {b:falls|rises}, {a:falls|rises}, {c} at {@t}"
    assert fill(template, values, {"t": "10⁴"}) == "0.12, 12.3 %, falls, rises, {0, 1} at 10⁴"


def test_the_second_shared_word_turns_where_theorem_2_says():
    figure = next(one for one in sliders.FIGURES if one.name == "theorem_02")
    found = [figure.values(state, figure.data()) for state in figure.states()]
    assert {np.sign(one["loud"]) for one in found} == {-1, 1}
    assert all(np.sign(one["loud"]) == np.sign(one["beyond"]) for one in found)


def test_every_figure_is_written_for_its_chapter_and_not_for_the_site(tmp_path, monkeypatch):
    monkeypatch.setattr(sliders.paths, "BUILD", tmp_path)
    sliders.write(tmp_path / "site")
    written = json.loads((tmp_path / sliders.PLACED).read_text())
    assert not [*(tmp_path / "site").iterdir()]
    assert list(written) == [figure.tag for figure in sliders.FIGURES]
    for tag, text in written.items():
        up = re.search(r'src="((?:\.\./)+)sliders/', text).group(1)
        assert up.count("../") == statement(tag).docname.count("/")
