"""Facts about counts: bounds are bounds, exact laws agree with independent references."""

from itertools import product
from math import ceil, comb

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
    worst_ratio,
    worst_slowdown,
)
from lib.scan_snap.decoder import h, speed


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


@pytest.mark.parametrize("trials", [1, 2, 9, 60, 700])
def test_hoeffding_holds_exactly_for_every_probability_and_deviation(trials):
    p = np.linspace(0.01, 0.99, 99)[:, None]
    t = np.abs(np.arange(trials + 1) / trials - p)
    tail = miss_probability(trials, p, trials * (p - t) + 1e-6, trials * (p + t) - 1e-6)
    assert (tail <= hoeffding_tail(trials, t) + 1e-12).all()
    assert (tail > 0.4 * hoeffding_tail(trials, t)).any()  # and it is not vacuous


def test_joint_coverage_of_one_restricted_token_is_binomial():
    high = np.array([40, 300, 300])
    exact = stats.binom.cdf(40, 300, 0.1)
    assert joint_coverage(300, [0.1, 0.6, 0.3], 0, high) == pytest.approx(exact, rel=1e-9)


def test_joint_coverage_of_two_tokens_is_that_of_one():
    assert joint_coverage(200, [0.3, 0.7], [50, 0], [70, 200]) == pytest.approx(
        1 - miss_probability(200, 0.3, 50, 70), rel=1e-9
    )


def test_joint_coverage_lies_between_the_union_bound_and_the_worst_token():
    p, trials = np.array([0.5, 0.3, 0.1, 0.1]), 150
    low, high = trials * (p - 0.06), trials * (p + 0.06)
    single = miss_probability(trials, p, low, high)
    assert single.max() <= 1 - joint_coverage(trials, p, low, high) <= single.sum()


def test_covariance_is_the_delta_method(rng):
    """Jacobian of the attention in the frequencies, by finite differences, around the multinomial
    covariance.
    """
    p, z = rng.dirichlet(np.ones(6)), rng.normal(size=6)
    step = 1e-6
    jacobian = np.array(
        [(attention(p + step * e, z) - attention(p - step * e, z)) / (2 * step) for e in np.eye(6)]
    ).T
    expected = jacobian @ (np.diag(p) - np.outer(p, p)) @ jacobian.T
    np.testing.assert_allclose(attention_covariance(attention(p, z), p), expected, atol=1e-8)


def test_no_logits_beat_the_worst_gap_and_some_reach_it(rng):
    for _ in range(20):
        p = rng.dirichlet(np.ones(7))
        q = rng.multinomial(500, p) / 500
        bound = worst_attention_gap(q, p)
        gaps = [
            0.5 * np.abs(attention(q, z) - attention(p, z)).sum()
            for z in rng.normal(size=(50, 7)) * 4
        ]
        assert max(gaps) <= bound + 1e-12
        ratios, z = q / p, np.full(7, -80.0)
        high, low = ratios.argmax(), ratios.argmin()
        if ratios[low] > 0:
            z[high], z[low] = (
                -np.log(p[high]),
                -np.log(p[low]) + 0.5 * np.log(ratios[high] / ratios[low]),
            )
            assert 0.5 * np.abs(attention(q, z) - attention(p, z)).sum() == pytest.approx(
                bound, rel=1e-9
            )
        else:
            assert bound == 1


@pytest.mark.parametrize("M", [10, 1000, 10**6])
@pytest.mark.parametrize("lost", [1e-3, 0.5, 3.0])
def test_worst_slowdown_is_the_supremum_over_the_clock(M, lost):
    x = np.linspace(lost, lost + 3 * np.log(M) + 30, 100_001)  # eta_Y times the expected visits
    ratio = speed(h(x - lost, M, 1.0), M) / speed(h(x, M, 1.0), M) - 1
    assert ratio.max() <= worst_slowdown(lost, M) * (1 + 1e-9)
    assert ratio.max() == pytest.approx(worst_slowdown(lost, M), rel=1e-6)


def test_worst_slowdown_starts_at_a_quarter_and_never_reaches_one():
    lost = np.geomspace(1e-6, 1e6, 60)
    share = worst_slowdown(lost, 10**9) / lost
    assert (
        share[0] == pytest.approx(0.25, rel=1e-4) and (np.diff(share) > 0).all() and share[-1] < 1
    )


def by_enumeration(trials, chance, level_at, inside_at):
    """max P(|N_n - ceil(N p)| > inside) / level, count by count in whole numbers."""
    worst = 0.0
    for p in chance.ravel():
        law = [comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(trials + 1)]
        center = ceil(round(trials * p, 9))
        for j in range(1, trials + 1):
            level = float(level_at(trials, np.array([j]))[0])
            if 1e-250 < level < 1:
                inside, level = inside_at(j, level)
                missed = sum(law[k] for k in range(trials + 1) if abs(k - center) > inside)
                worst = max(worst, missed / level)
    return worst


@pytest.mark.parametrize("trials", [2, 7, 12])
def test_the_worst_ratio_is_that_of_an_enumeration(trials):
    chance = np.array([0.07, 0.25, 0.5, 0.5 + 1e-8, 0.9])[:, None]
    tail = lambda N, j: hoeffding_tail(N, (j - 1) / N)
    radius = lambda N, level: N * hoeffding_radius(N, level) + 1
    plain = by_enumeration(trials, chance, tail, lambda j, level: (j - 1, level))
    assert worst_ratio(trials, chance, tail) == pytest.approx(plain, rel=1e-9)

    def above(j, level):
        return radius(trials, level * (1 + 1e-7)), level * (1 + 1e-7)

    asked = by_enumeration(trials, chance, tail, above)
    assert worst_ratio(trials, chance, tail, radius) == pytest.approx(asked, rel=1e-9)
    assert asked > 0


def test_no_level_below_one_leaves_no_ratio():
    assert worst_ratio(5, np.array([[0.5]]), lambda N, j: np.ones(j.shape)) == 0
