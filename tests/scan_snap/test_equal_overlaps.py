"""Three numbers where all classes overlap alike, beside the decoder's whole matrix."""

import numpy as np
import pytest

from lib.scan_snap.decoder import h
from lib.scan_snap.decoder_training import decoder_epochs
from lib.scan_snap.equal_overlaps import (
    equal_overlap_flow,
    equal_overlap_gram,
    equal_overlap_ratio,
    equal_overlap_rounds,
)


@pytest.mark.parametrize("K", [2, 4])
def test_rounds_at_equal_overlap_are_three_numbers_and_their_gradient_one_ratio(K):
    M, rho = 30, 0.3
    gram = equal_overlap_gram(K, rho)
    assert equal_overlap_rounds(0, K, M, rho, 0.7).tolist() == [0, 0, 0]
    entries = equal_overlap_rounds(40, K, M, rho, 0.7)
    W = decoder_epochs(40, M, 0.7, gram)
    np.testing.assert_allclose(W[0], np.repeat(entries, [1, K - 1, M - K]), rtol=1e-12)
    weights = np.exp(W[0]) / np.exp(W[0]).sum()
    pushes = np.linalg.solve(gram, W @ (np.eye(M)[0] - weights))
    ratio = equal_overlap_ratio(entries, K, M, rho)
    np.testing.assert_allclose(-pushes[1] / pushes[0], ratio, rtol=1e-10)


def test_overlap_flow_is_the_limit_of_small_steps_and_decouples_without_overlap():
    late = np.log(30.0)
    assert equal_overlap_flow([-9, late], 2, 2, 0.3).shape == (2, 2)
    rows = decoder_epochs(30_000, 12, 1e-3, equal_overlap_gram(3, 0.3))[0]
    np.testing.assert_allclose(
        equal_overlap_flow([-9, late], 3, 12, 0.3)[:, -1], rows[0] - rows[[1, -1]], rtol=1e-3
    )
    np.testing.assert_allclose(
        equal_overlap_flow([-9, -8.5, -8], 3, 12, 0.3)[:, -1],
        np.exp(-8) * np.array([0.7, 1.0]),
        rtol=1e-3,
    )
    np.testing.assert_allclose(
        equal_overlap_flow([-9, late], 3, 12, 0.0)[:, -1], 12 * h(30.0, 12, 1.0), rtol=1e-6
    )


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: equal_overlap_gram(3, 1.5), "rho = 1.5"),
        (lambda: equal_overlap_flow([0, 1], 3, 12, 1.0), "rho = 1.0"),
        (lambda: equal_overlap_flow([0, 1], 1, 12, 0.3), "K = 1"),
        (lambda: equal_overlap_rounds(1, 3, 12, 1.0, 0.5), "rho = 1.0"),
    ],
)
def test_nonsense_is_rejected_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()
