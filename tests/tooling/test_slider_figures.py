"""The figures with sliders as they are drawn: axes, values to choose, words, the table without
scripts, and runs that no script computes.
"""

import html
import re

import numpy as np
import pytest
from ledgerbook.chapters import notebooks
from ledgerbook.chapters.statements import statement

from lib.mechanics.descent import descend
from lib.scan_snap.four_classes import COMMON_WEIGHT
from tests.tooling.test_sliders import figure as each_figure
from tooling import sliders
from tooling.sliders import drawing, global_convergence

figure = each_figure  # a fixture: one figure after the other


def test_theorem_4_begins_as_its_chapter_does():
    figure = next(one for one in sliders.FIGURES if one.name == "theorem_04")
    chapter = notebooks.parameters(notebooks.read(statement(figure.tag).chapter))
    given = figure.data() | figure.start()
    assert {name: given[name] for name in chapter if name in given} == {
        name: chapter[name] for name in ("M", "K", "eta_y", "eta_z", "c0")
    }


def test_theorem_2_begins_at_the_weights_of_the_setting_and_a_loud_that_is_shared_unevenly():
    figure = next(one for one in sliders.FIGURES if one.name == "theorem_02")
    assert figure.start() == {"play": COMMON_WEIGHT, "ratio": 0.1}


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
