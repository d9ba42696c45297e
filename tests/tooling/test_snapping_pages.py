"""Whole numbers and percentages of Theorem 4's page and of the stress test are the example's."""

import re

import numpy as np
import pytest
from ledgerbook.chapters import notebooks, summary
from ledgerbook.chapters.statements import statement

from lib.scan_snap.decoder import h, snap_time, stages
from lib.scan_snap.engine.train import train
from lib.scan_snap.four_classes import MOMENTS, SNAP, VOCABULARY, WORDS, four_classes
from lib.scan_snap.joint_ascent import joint_ascent
from lib.scan_snap.phase_transition import big_gamma, gain_at
from tests.tooling.shares import shares

K, RATE = 4, 1.0
T0 = snap_time(VOCABULARY, K, RATE)


def section(tag, title):
    """The words of a section of a chapter, on one line."""
    found = summary.sections(notebooks.read(statement(tag).chapter))[title]
    return " ".join(found.split())


@pytest.fixture(scope="module")
def snaps():
    return section("scan-snap.theorem-04", "The idea")


@pytest.fixture(scope="module")
def stress():
    return section("scan-snap.stress", "The idea")


def said(pattern, text):
    """The numbers that a sentence names."""
    return [float(one) for one in re.search(pattern, text).groups()]


def test_the_accumulated_push_of_the_example(snaps):
    clock = [big_gamma(h(t / K, VOCABULARY, RATE), VOCABULARY, K, 1.0) for t in (44, 4400)]
    assert said(r"it is (\d+) at step 44 and (\d+) at step 4400", snaps) == pytest.approx(
        clock, abs=0.5
    )


def test_the_clock_and_its_estimates(snaps):
    scanned = stages(VOCABULARY, RATE, K)[0]
    estimates = said(r"here step (\d+)\. .* \$t_0'=K.*? This is step (\d+), shortly after", snaps)
    assert estimates == pytest.approx([2 * scanned, scanned], abs=0.5)
    assert f"$t_0$ is step {SNAP}." in snaps


def test_a_hundred_times_as_many_steps_take_less_than_a_third_more(snaps):
    early, late = gain_at(T0 * np.array([1, 100]), VOCABULARY, K, RATE, RATE, 2.44140625)
    assert "a hundred times $t_0$ take from the score of *play* less than a third" in snaps
    assert 1 / 4 < late / early - 1 < 1 / 3


def test_a_fast_decoder_leads_until_a_fifth_of_t_0():
    times = np.linspace(0.5, SNAP, 2000)
    slow, fast = (gain_at(times, VOCABULARY, K, rate, RATE, 2.44140625) for rate in (1.0, 10.0))
    assert times[np.argmax(slow > fast)] / T0 == pytest.approx(1 / 5, abs=0.01)


def test_from_how_many_classes_on_scanning_ends_before_theorem_1_begins():
    ends = [stages(36 * k**2, 0.5, k)[0] <= k**2 for k in range(2, 40)]
    assert ends == [k >= 19 for k in range(2, 40)]
    text = section("scan-snap.theorem-04", "What you may believe")
    assert "With $\\eta_Y=\\frac12$ and $M=36K^2$" in text


def test_both_runs_at_t_0(stress):
    play = [100 * shares([SNAP], name)[0, 0, 0] for name in ("modified", "gradient")]
    found = said(r"from 33 % to (\d+) % at \$t_0\$ .* it has fallen to (\d+) %", stress)
    assert found == pytest.approx(play, abs=0.5)


def test_what_each_run_adds_to_the_score_of_strum_after_t_0(stress):
    band, strum = WORDS.index("band"), WORDS.index("strum")
    grown = []
    for name in ("modified", "gradient"):
        early, late = joint_ascent(four_classes(), RATE, RATE, list(MOMENTS[2::2]), name).Z
        grown.append(100 * (late[band, strum] / early[band, strum] - 1))
    found = said(r"adds another (\d+) % to the score, and ordinary training adds (\d+) %", stress)
    assert found == pytest.approx(grown, abs=0.5)


def test_at_the_paper_s_length_the_rare_word_rises():
    seeds = dict(batch_size=256, T=128, momentum=0.0, seeds=range(3))
    run = train(four_classes(), RATE, RATE, steps=440, keep=(440,), **seeds)
    chord = 100 * run.attention[:, 0, 0, 0, 2].mean()
    predict = section("scan-snap.stress", "Predict")
    assert said(r"It rises to (\d+) %", predict) == pytest.approx([chord], abs=0.5)
