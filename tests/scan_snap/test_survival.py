"""Survival of signs and order: against counts by hand, token by token, of made-up runs."""

from itertools import combinations

import numpy as np
import pytest

from lib.scan_snap.engine.batches import Layout
from lib.scan_snap.engine.train import Trajectory
from lib.scan_snap.one_common_token import padded_classes
from lib.scan_snap.sequence_classes import normalized_attention
from lib.scan_snap.survival import survival

K, D, M = 2, 3, 14


@pytest.fixture(scope="module")
def made_up():
    """Classes with a query each, and logits of two seeds, two ratios, two times: one of noise."""
    classes = padded_classes(K, D, 0.4, M, groups=[1, 0])
    z = np.random.default_rng(4).normal(size=(2, 2, 2, 2, M))
    run = Trajectory(Layout.of(classes), z, np.zeros((2, 2, 0)), *np.ones((2, 2)), (0, 1), (1, 2))
    return classes, run, survival(run, classes, D)


def ends(classes, run, ratio, time=-1):
    """(seed, class, logit of the common token, logits of its distinct ones) one by one."""
    rows = sorted(set(classes.query.tolist()))
    for seed in range(2):
        for n in range(K):
            row = run.z[seed, ratio, time, rows.index(classes.query[n])]
            yield row[0], [row[1 + n * D + d] for d in range(D)]


def kendall(values):
    """Kendall's tau of values that should rise, by counting pairs."""
    signs = [np.sign(b - a) for a, b in combinations(values, 2)]
    return sum(signs) / len(signs)


@pytest.mark.parametrize("ratio", [0, 1])
def test_every_share_is_that_of_a_count(made_up, ratio):
    classes, run, found = made_up
    common, own = zip(*ends(classes, run, ratio), strict=True)
    assert found.rise[ratio] == sum(x > 0 for one in own for x in one) / (2 * K * D)
    assert found.fall[ratio] == sum(x < 0 for x in common) / (2 * K)
    assert found.tau[ratio] == pytest.approx(sum(map(kendall, own)) / (2 * K))
    assert found.winner[ratio] == sum(max(one) == one[-1] for one in own) / (2 * K)
    for time in (0, 1):
        last = [one[-1] for _, one in ends(classes, run, ratio, time)]
        assert found.dominant[ratio, time] == pytest.approx(sum(last) / (2 * K))
    for d in range(D):
        each = [one[d] for one in own]
        assert found.tokens[ratio, d] == pytest.approx(sum(each) / (2 * K))


def test_the_standard_error_is_over_seeds_and_classes(made_up):
    classes, run, found = made_up
    for d in range(D):
        each = np.array([one[d] for _, one in ends(classes, run, 0)])
        # seeds and classes are drawn alike: N values, N - 1 degrees of freedom, over sqrt(N)
        wanted = np.sqrt(((each - each.mean()) ** 2).sum() / (len(each) - 1) / len(each))
        assert found.blur[0, d] == pytest.approx(wanted)


def test_a_line_has_the_four_shares_of_each_ratio(made_up):
    _, _, found = made_up
    words = found.line("noise").split("|")
    assert words[0].startswith("noise ") and len(words) == 2
    for ratio, part in enumerate(words):
        told = [float(word) for word in part.split()[-4:]]
        assert told == pytest.approx([float(one[ratio]) for one in found[:4]], abs=5e-3)


@pytest.mark.parametrize("rho", [0.1, 0.45, 0.9])
def test_padded_classes_overlap_by_rho_and_rank_their_tokens(rho):
    classes = padded_classes(3, 4, rho, 20, prior=np.array([0.5, 0.3, 0.2]))
    F = normalized_attention(classes, np.zeros((20, 20)))
    np.testing.assert_allclose(F @ F.T, rho + (1 - rho) * np.eye(3), atol=1e-14)
    law = classes.conditional
    for n in range(3):
        own = law[n, 1 + 4 * n : 5 + 4 * n]
        np.testing.assert_allclose(own / own[-1], [0.2, 0.2 + 0.8 / 3, 0.2 + 1.6 / 3, 1])
    assert law.shape == (3, 20) and classes.prior.tolist() == [0.5, 0.3, 0.2]
    with pytest.raises(ValueError, match="M = 13, allowed: at least 14"):
        padded_classes(3, 4, rho, 13)
