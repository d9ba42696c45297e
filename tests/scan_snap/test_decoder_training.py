"""Ascent of the decoder over frozen attention: limits, invariances, closed forms."""

import numpy as np

from lib.scan_snap.decoder import h_star, zeta
from lib.scan_snap.decoder_training import decoder_ascent, decoder_epochs
from lib.scan_snap.equal_overlaps import equal_overlap_gram


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
