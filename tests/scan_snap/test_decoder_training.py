"""Ascent and flow of the decoder over frozen attention: limits, invariances, closed forms."""

import numpy as np
import pytest

from lib.scan_snap.decoder import h_star, zeta
from lib.scan_snap.decoder_training import (
    decoder_ascent,
    decoder_epochs,
    overlap_flow,
    scaled_errors,
)
from lib.scan_snap.equal_overlaps import equal_overlap_flow, equal_overlap_gram


def test_ascent_keeps_row_sums_zero_and_moves_rows_by_the_gram():
    gram = equal_overlap_gram(3, 0.4)
    W, alphas = decoder_ascent([1, 0, 2, 1], 8, 0.7, gram)
    np.testing.assert_allclose(W.sum(axis=2), 0, atol=1e-14)
    np.testing.assert_allclose(alphas[0], 1 / 8)
    first = 0.7 * (np.eye(8)[1] - 1 / 8)
    assert decoder_ascent([1, 0, 2, 1], 8, 0.7)[0].shape == (5, 3, 8)
    np.testing.assert_allclose(W[1], [0.4 * first, first, 0.4 * first], atol=1e-15)


def test_one_epoch_is_the_sum_of_the_first_steps_of_every_class():
    gram = equal_overlap_gram(3, 0.4)
    first = sum(decoder_ascent([n], 8, 0.7, gram)[0][-1] for n in range(3))
    np.testing.assert_allclose(decoder_epochs(1, 8, 0.7, gram), first, atol=1e-15)


def test_a_huge_rate_does_not_overflow():
    W, alphas = decoder_ascent([0, 1, 0, 0], 6, 1e5)
    assert np.isfinite(W).all() and np.isfinite(alphas).all()


def test_without_overlap_every_row_follows_h_star():
    rows = decoder_epochs(30, 9, 0.6, np.eye(4))
    for n in range(4):
        np.testing.assert_allclose(rows[n], 8 * h_star(30, 9, 0.6)[-1] * zeta(n, 9), atol=1e-13)


def test_flow_of_any_overlaps_is_the_limit_of_small_steps_and_has_equal_overlaps_as_its_case():
    F = np.abs(np.random.default_rng(0).normal(size=(3, 5)))
    F /= np.linalg.norm(F, axis=1, keepdims=True)
    W = overlap_flow(F @ F.T, 12, [-9, np.log(30.0)])[-1]
    np.testing.assert_allclose(
        W, decoder_epochs(30_000, 12, 1e-3, F @ F.T)[:, :4], rtol=1e-3, atol=1e-3
    )
    W = overlap_flow(equal_overlap_gram(3, 0.3), 12, [-9, 0.0, 60.0])[-1]
    gaps = equal_overlap_flow([-9, 0.0, 60.0], 3, 12, 0.3)[:, -1]
    np.testing.assert_allclose(W[0, 0] - W[0, [1, 3]], gaps, rtol=1e-6)


def test_scaled_errors_are_t_times_those_of_the_softmax_and_stay_finite():
    W = np.random.default_rng(1).normal(size=(2, 3))
    full = np.c_[W[:, :2], np.repeat(W[:, 2:], 5, axis=1)]  # five tokens that no class predicts
    alpha = np.exp(full) / np.exp(full).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(
        scaled_errors(np.log(8.0), W, 7), 8 * (np.eye(2, 7) - alpha)[:, :3], rtol=1e-12
    )
    late = np.array([[700.0, 0, 0], [0, 700.0, 0]])  # alpha underflows, t alpha does not
    assert np.isfinite(scaled_errors(699.0, late, 7)).all()
    np.testing.assert_allclose(scaled_errors(699.0, late, 7)[0, 1], -np.exp(-1.0))


def test_a_flow_needs_a_token_for_each_class():
    with pytest.raises(ValueError, match="M = 2"):
        overlap_flow(np.eye(3), 2, [0, 1])
