"""The figures with sliders as they are drawn: axes, values to choose, words, the table without
scripts, and runs that no script computes.
"""

import html
import re
from itertools import pairwise

import numpy as np
import pytest
from ledgerbook.chapters import notebooks, summary
from ledgerbook.chapters.statements import statement

from lib.mechanics.descent import descend
from lib.scan_snap.four_classes import COMMON_WEIGHT
from tests.tooling.test_sliders import figure as each_figure
from tooling import sliders
from tooling.sliders import drawing, global_convergence

figure = each_figure  # a fixture: one figure after the other
POINT = re.compile(r"(-?[\d.]+) (-?[\d.]+)")
MOST_WORDS = 80  # of a figure's own: what it says, and its caption


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


def test_ticks_stand_evenly_and_where_they_say_and_axes_end_near_a_tick_or_a_value(figure):
    data = figure.data()
    states = [figure.values(state, data) for state in figure.states()]
    for axis, keys in axes(figure):
        ticks = np.array([value for value, _ in axis.ticks])
        says = np.array([said(text) for _, text in axis.ticks])
        assert (says == ticks).all() or (says == 10.0**ticks).all()
        assert np.diff(axis.place(ticks), 2) == pytest.approx(0)
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


def test_large_values_of_a_slider_have_one_digit_that_is_not_zero(figure):
    for control in figure.controls:
        assert [v for v in control.values if v > 20 and v != float(f"{v:.0e}")] == []


def test_the_weight_of_theorem_2_doubles():
    figure = next(one for one in sliders.FIGURES if one.name == "theorem_02")
    weights = np.array(figure.controls[0].values)
    assert weights[1:] == pytest.approx(2 * weights[:-1])


def test_rates_and_vocabularies_go_in_steps_of_one_two_and_five():
    figure = next(one for one in sliders.FIGURES if one.name == "theorem_04")
    for control in figure.controls:
        for value in control.values:
            assert value == float(f"{value:.0e}") and f"{value:e}"[0] in "125"


def test_theorem_4_begins_as_its_chapter_does():
    figure = next(one for one in sliders.FIGURES if one.name == "theorem_04")
    chapter = notebooks.parameters(notebooks.read(statement(figure.tag).chapter))
    given = figure.data() | figure.start()
    assert {name: given[name] for name in chapter if name in given} == {
        name: chapter[name] for name in ("M", "K", "eta_y", "eta_z", "c0")
    }


def test_theorem_2_begins_at_the_weights_of_the_setting_with_no_second_shared_word():
    figure = next(one for one in sliders.FIGURES if one.name == "theorem_02")
    assert figure.start() == {"play": COMMON_WEIGHT, "ratio": 0}


def test_a_figure_has_few_words(figure):
    text = f"{figure.sentence(figure.start(), figure.data())} {figure.caption}"
    assert summary.words(text) <= MOST_WORDS


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


def test_panels_side_by_side_are_equally_high(figure):
    assert len({panel.height for panel in figure.panels}) == 1


def test_without_scripts_a_table_says_what_each_control_does_at_its_ends(figure):
    text = html.unescape(drawing.html(figure, "../"))
    found = dict(re.findall("<tr><td>(.*?)</td><td>(.*?)</td></tr>", text))
    data, start = figure.data(), figure.start()
    expected = {"as drawn": figure.sentence(start, data)}
    for control in figure.controls:
        first, last = control.values[0], control.values[-1]
        for value in {first, last} - {start[control.name]}:
            shown = control.shown[control.values.index(value)]
            name = f"{control.label} = {shown}"
            if control.box:
                name = f"{'with' if value else 'without'} {control.label}"
            expected[name] = figure.sentence(start | {control.name: value}, data)
    assert found == expected


def test_the_runs_of_global_convergence_are_those_of_small_steps():
    """Gradient descent in steps of 1/1000 up to t = 1, from scores turned the wrong way."""
    for size in global_convergence.STARTS:
        start = np.zeros((5, 5))
        start[:, 4] = size * global_convergence.WRONG_WAY
        W, _ = descend(start, global_convergence.problem().data, 1e-3, 1000)
        assert global_convergence.flow(size)[0] == pytest.approx(W, abs=1e-3)


def test_a_start_the_wrong_way_is_as_far_off_as_it_says():
    start = global_convergence.WRONG_WAY
    assert np.abs(start).max() == 1 and start.sum() == 0
    wanted = np.array(global_convergence.data()["direction"])
    assert wanted @ start < 0
