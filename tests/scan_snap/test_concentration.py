"""Facts about counts: bounds are bounds, exact laws agree with independent references."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from lib.scan_snap.concentration import (
    attention_covariance,
    effective_share,
    hoeffding_radius,
    hoeffding_tail,
    joint_coverage,
    miss_probability,
    outside,
    some_outside,
    worst_attention_gap,
    worst_slowdown,
)


@pytest.fixture
def rng():
    return np.random.default_rng(11)


@pytest.mark.parametrize("delta", [0.5, 0.05, 1e-6])
def test_radius_inverts_the_tail(delta):
    trials = np.array([1, 17, 4000])
    several = hoeffding_radius(trials[:, None], np.array([delta, delta / 2]))
    assert several[1, 1] == hoeffding_radius(17, delta / 2) and several.shape == (3, 2)
    np.testing.assert_allclose(
        hoeffding_tail(trials, hoeffding_radius(trials, delta)), delta, rtol=1e-12
    )


def test_miss_probability_against_summed_masses(rng):
    for _ in range(100):
        trials, p = int(rng.integers(1, 40)), float(rng.random())
        low, high = np.sort(rng.uniform(-1, trials + 1, size=2))
        k = np.arange(trials + 1)
        outside = stats.binom.pmf(k, trials, p)[(k < low) | (k > high)].sum()
        assert miss_probability(trials, p, low, high) == pytest.approx(outside, rel=1e-9, abs=1e-15)


def test_interval_ends_on_a_count_are_inside():
    assert miss_probability(10, 0.5, 10 * 0.3, 10 * (0.5 + 0.2)) == pytest.approx(
        2 * stats.binom.cdf(2, 10, 0.5)
    )
    assert miss_probability(10, 0.5, 4.2, 4.8) == 1  # no whole number in between
    assert miss_probability(1000, 0.5, 0, 999) == pytest.approx(
        0.5**1000, rel=1e-6
    )  # tiny, still precise


def test_joint_coverage_against_enumeration(rng):
    for _ in range(30):
        trials, size = int(rng.integers(1, 8)), int(rng.integers(2, 5))
        p = rng.dirichlet(np.ones(size))
        low, high = np.sort(rng.uniform(-1, trials + 1, size=(2, size)), axis=0)
        bags = np.array([b for b in product(range(trials + 1), repeat=size) if sum(b) == trials])
        inside = ((bags >= low) & (bags <= high)).all(axis=1)
        exact = stats.multinomial.pmf(bags[inside], trials, p).sum() if inside.any() else 0.0
        assert joint_coverage(trials, p, low, high) == pytest.approx(exact, abs=1e-11)


@pytest.mark.parametrize("trials", range(1, 31))
def test_joint_coverage_is_a_probability_to_the_last_bit(trials):
    """Rounding alone leads to 1 + 2e-16 after three trials, to -6e-19 after thirty."""
    assert joint_coverage(trials, np.full(10, 0.1), 0, trials) <= 1
    too_many = trials // 3 + 1  # of each of three tokens
    assert joint_coverage(trials, [0.5, 0.3, 0.2], too_many, trials) >= 0


def attention(q, z):
    weights = q * np.exp(z)
    return weights / weights.sum(axis=-1, keepdims=True)


def test_covariance_at_zero_logits_is_multinomial(rng):
    p = rng.dirichlet(np.ones(5))
    np.testing.assert_allclose(attention_covariance(p, p), np.diag(p) - np.outer(p, p), atol=1e-15)
    assert effective_share(p, p) == pytest.approx(1)


def test_tokens_outside_the_support_do_not_count():
    q, p = np.array([0.5, 0.3, 0.2]), np.array([0.4, 0.4, 0.2])
    assert worst_attention_gap(np.r_[q, 0.0], np.r_[p, 0.0]) == pytest.approx(
        worst_attention_gap(q, p)
    )
    assert worst_attention_gap(np.array([[0.5, 0.5], [0.4, 0.6]]), [0.4, 0.6]).shape == (2,)
    assert worst_attention_gap([0.4, 0.6], [0.4, 0.6]) == pytest.approx(0, abs=1e-15)


def test_worst_slowdown_needs_two_tokens():
    assert worst_slowdown(0.5, 2) > worst_slowdown(0.5, 3) > worst_slowdown(0.5, 4) > 0
    with pytest.raises(ValueError, match="M = 1"):
        worst_slowdown(0.5, 1)


@pytest.mark.parametrize(
    "call, name",
    [
        (lambda: hoeffding_radius(10, 0.0), "delta"),
        (lambda: hoeffding_radius(10, 1.0), "delta"),
        (lambda: hoeffding_radius(10, np.array([0.5, np.nan])), "delta"),
        (lambda: hoeffding_radius(0, 0.1), "trials"),
        (lambda: joint_coverage(0, [1.0], 0, 1), "trials"),
        (lambda: joint_coverage(5, [0.5, 0.6], 0, 5), "probabilities"),
        (lambda: attention_covariance([0.5, 0.5], [1.0]), "attention.shape"),
    ],
)
def test_nonsense_is_refused_by_name(call, name):
    with pytest.raises(ValueError, match=name):
        call()


def test_shares_that_are_off_are_counted_over_all_sequences():
    law, trials, radius = np.array([0.5, 0.3, 0.2]), 5, 0.25
    rows = list(product(range(3), repeat=trials))
    chance = np.array([law[list(row)].prod() for row in rows])
    off = np.array([np.abs(np.bincount(row, minlength=3) / trials - law) > radius for row in rows])
    np.testing.assert_allclose(outside(trials, law, radius), chance @ off, rtol=1e-12)
    assert some_outside(trials, law, radius) == pytest.approx(chance @ off.any(axis=1), rel=1e-9)
