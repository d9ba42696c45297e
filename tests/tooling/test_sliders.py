"""The figures with sliders: their formulas in JavaScript are lib's."""

import json
import re
import shutil
import subprocess
import tempfile
from itertools import pairwise

import numpy as np
import pytest
from ledgerbook.statements import statement

from ledgerbook import essence, paths
from lib.scan_snap.four_classes import COMMON_WEIGHT
from tooling import sliders
from tooling.sliders import drawing, global_convergence
from tooling.sliders.figure import fill

SCRIPTS = paths.BOOK / "_extra/sliders"
NODE = shutil.which("node")
POINT = re.compile(r"(-?[\d.]+) (-?[\d.]+)")
MOST_WORDS = 80  # of a figure's own: what it says, and its caption
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


def axes(figure):
    """Each axis of a figure with the names of the values that are drawn along it."""
    for panel in figure.panels:
        if panel.kind == "bars":
            yield panel.y, [panel.key, *filter(None, [panel.outlines])]
        if panel.kind == "lines":
            yield panel.x, [panel.over]
            yield panel.y, [curve.key for curve in panel.curves]


def said(text):
    """The number that a tick's label says: "50 %", "10⁴", "0.1"."""
    power = re.fullmatch("10([⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text)
    if power:
        return 10.0 ** int(power[1].translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")))
    return float(text.removesuffix(" %")) / (100 if text.endswith(" %") else 1)


def test_an_axis_says_where_its_ticks_stand_and_ends_near_a_tick_or_a_value(figure):
    data = figure.data()
    states = [figure.values(state, data) for state in figure.states()]
    for axis, keys in axes(figure):
        ticks = np.array([value for value, _ in axis.ticks])
        says = np.array([said(text) for _, text in axis.ticks])
        assert (says == ticks).all() or (says == 10.0**ticks).all()
        drawn = np.concatenate([np.atleast_1d(s[key]) for s in states for key in keys])
        if axis.low == -axis.high:  # as far down as up, for values of either sign
            drawn = np.append(drawn, -drawn)
        seen = np.append(axis.place(ticks), axis.place(drawn))
        seen = seen[(seen >= -1e-12) & (seen <= 1 + 1e-12)]  # a curve may leave the plot
        assert (0 <= axis.place(ticks)).all() and (axis.place(ticks) <= 1).all()
        assert (seen.min(), seen.max()) == pytest.approx((0, 1), abs=0.05)


def test_the_values_of_a_slider_rise(figure):
    for control in figure.controls:
        assert all(low < high for low, high in pairwise(control.values)), control.name


def test_rates_and_vocabularies_go_in_steps_of_one_two_and_five():
    figure = next(one for one in sliders.FIGURES if one.name == "theorem_04")
    for control in figure.controls:
        for value in control.values:
            assert value == float(f"{value:.0e}") and f"{value:e}"[0] in "125"


def test_theorem_2_begins_at_the_weights_of_the_setting_with_no_second_shared_word():
    figure = next(one for one in sliders.FIGURES if one.name == "theorem_02")
    assert figure.start() == {"play": COMMON_WEIGHT, "ratio": 0}


def test_a_figure_has_few_words(figure):
    text = f"{figure.sentence(figure.start(), figure.data())} {figure.caption}"
    assert essence.words(text) <= MOST_WORDS


@pytest.mark.parametrize("there", [(70, 0), (0, 90), (-60, 80)])
def test_an_edge_ends_at_the_rim_of_its_node_and_is_no_other_s(there):
    path = drawing._bent(0, 0, *there)
    _, by, end = (np.array([float(x), float(y)]) for x, y in POINT.findall(path))
    there = np.array(there)
    assert np.hypot(*(there - end)) == pytest.approx(drawing.RADIUS + 1, abs=0.1)
    along = (there - by) / np.hypot(*(there - by))  # as it leaves its bend
    assert end == pytest.approx(there - along * (drawing.RADIUS + 1), abs=0.1)
    back = POINT.findall(drawing._bent(*there, 0, 0))[1]
    assert by + [float(x) for x in back] == pytest.approx(there, abs=0.1)  # on the other side
    assert np.hypot(*(by - there / 2)) > 5


def test_every_figure_is_written_for_its_chapter_and_not_for_the_site(tmp_path, monkeypatch):
    monkeypatch.setattr(sliders.paths, "BUILD", tmp_path)
    sliders.write(tmp_path / "site")
    written = json.loads((tmp_path / sliders.PLACED).read_text())
    assert not [*(tmp_path / "site").iterdir()]
    assert list(written) == [figure.tag for figure in sliders.FIGURES]
    for tag, text in written.items():
        up = re.search(r'src="((?:\.\./)+)sliders/', text).group(1)
        assert up.count("../") == statement(tag).docname.count("/")


def test_a_start_the_wrong_way_is_as_far_off_as_it_says():
    start = global_convergence.WRONG_WAY
    assert np.abs(start).max() == 1 and start.sum() == 0
    wanted = np.array(global_convergence.data()["direction"])
    assert wanted @ start < 0
