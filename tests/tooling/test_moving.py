"""The figures that move: their numbers in Chromium are lib's, their table, and how they begin."""

import json
import random
import re

import numpy as np
import pytest
from ledgerbook.project.project import current

from checks import figures
from lib.mechanics.descent import descend
from lib.scan_snap.four_classes import RATE, four_classes
from lib.scan_snap.phase_transition import first_c0
from lib.scan_snap.sparsity import entropy
from tooling import moving

FOLDER = current().book / "_extra/lab"
SCRIPTS = {name: (FOLDER / f"{name}.js").read_text() for name in ("engine", "draw", "figures")}
MOST = 40  # states that are tried of a figure


@pytest.fixture(params=moving.figures())
def about(request):
    return moving.figures()[request.param]


def states(about):
    """Some states that the controls can be in: the first one, and others drawn at random."""
    draw = random.Random(48)
    yield moving.start(about)
    for _ in range(3 if about["name"] == "explorable" else MOST):  # a run each
        yield {one["name"]: draw.choice(one["values"]) for one in about["controls"]}


def computed(browser, about):
    """For some states the values and the sentence that the scripts give."""
    tried = list(states(about))
    shown = [
        {
            f"{one['name']}_text": one["texts"][one["values"].index(state[one["name"]])]
            for one in controls
        }
        for controls, state in ((about["controls"], state) for state in tried)
    ]
    asked = json.dumps([list(zip(tried, shown)), about["says"], moving.data(about["name"])])
    browser.get("about:blank")
    found = browser.execute_script(
        "\n".join(SCRIPTS.values()) + f"\nconst [states, says, data] = {asked};"
        f"const formula = globalThis.Moving.FORMULAS.{about['name']};"
        "return JSON.stringify(states.map(([state, shown]) => { const found = formula(state, data);"
        "return [found, globalThis.Moving.fill(says, {...found, ...shown})]; }))"
    )
    return list(zip(tried, json.loads(found), strict=True))


def differences(about, found):
    """What the scripts and lib do not agree on, to 1e-9 of a number's size (or of 1e-6)."""
    for state, (values, sentence) in found:
        for key, expected in moving.VALUES[about["name"]](state).items():
            same = values[key] == expected
            if not isinstance(expected, str):
                same = abs(values[key] - expected) <= 1e-9 * max(1e-6, abs(expected))
            if not same:
                yield state, key, values[key], expected
        if sentence != moving.sentence(about, state):
            yield state, sentence


def test_scripts_say_what_lib_computes(browser, about):
    assert list(differences(about, computed(browser, about))) == []


def test_colours_are_those_of_every_other_figure():
    style = (FOLDER / "lab.css").read_text(encoding="utf-8")
    light = style[: style.index("data-theme")]
    found = dict(re.findall(r"\.moving \.(\w+) \{ --role: (#\w+); \}", light))
    roles = {role: color for role, color in figures.COLORS.items() if role != "theory"}
    assert found == roles  # what a formula predicts has the colour of the words


def test_theorem_4_begins_with_the_example_of_the_first_hour():
    about, classes = moving.figures()["theorem_04"], four_classes()
    given = moving.data("theorem_04") | moving.start(about)
    assert (given["M"], given["K"]) == (classes.vocab_size, classes.num_classes)
    assert (given["eta_y"], given["eta_z"]) == (RATE, RATE)
    assert given["c0"] == pytest.approx(first_c0(classes, 0), rel=1e-12)


def test_the_second_shared_word_turns_where_theorem_2_says():
    about = moving.figures()["theorem_02"]
    found = {(one["loud"], one["side"]) for one in map(moving.theorem_02, states(about))}
    assert found == {("rises", "more"), ("falls", "less")}


def test_the_runs_of_global_convergence_are_those_of_small_steps():
    """Gradient descent in steps of 1/1000 up to t = 1, from scores turned the wrong way."""
    for size in moving.STARTS:
        start = np.zeros((5, 5))
        start[:, 4] = size * moving.WRONG_WAY
        W, _ = descend(start, moving.PROBLEM.data, 1e-3, 1000)
        assert moving.flow(size)[0] == pytest.approx(W, abs=1e-3)


def test_a_faster_decoder_freezes_attention_from_the_start_setting_but_not_everywhere():
    def flat(eta_z, common, classes):
        rates = moving.figures()["explorable"]["controls"][0]["values"][::2]  # a run each
        ends = [moving.course(eta_y, eta_z, common, classes)[-1, 1:] for eta_y in rates]
        return np.diff([entropy(one / one.sum()) for one in ends])

    assert (flat(1.0, 0.6, 2) > 0).all()
    assert (flat(4.0, 0.8, 10) < 0).all()


def test_readers_without_scripts_see_settings_at_which_something_happened():
    """The explorable's table is of a step after the start, and each row says something else."""
    rows = list(moving.table(moving.figures()["explorable"]))
    said = [sentence for _, sentence in rows]
    assert len(set(said)) == len(said)
    assert [how for how, sentence in rows if sentence.startswith("Iteration 0:")] == [
        "iteration = 0"
    ]
