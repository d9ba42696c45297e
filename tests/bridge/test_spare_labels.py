"""Seven numbers against the flow of the whole layer, and the late equations against their limit."""

import numpy as np
import pytest

from lib.bridge.joint_training import joint_flow
from lib.bridge.spare_labels import Alike, alike_flow, by_clock, gaps, law

DESIGNS = [
    Alike(4, 4, 4), Alike(4, 4, 7), Alike(4, 2, 5, 3, 2), Alike(4, 2, 4, one_query=True),
    Alike(3, 1, 5), Alike(6, 3, 6, 1, 2, True),
]  # fmt: skip


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("normalize", [False, True], ids=["plain", "normalized"])
def test_the_seven_numbers_are_those_of_the_whole_layer(design, normalize):
    data, K, times = design.data, design.K, [0.0, 3.0, 12.0]
    V = data.counts.shape[1]
    options = dict(eta_y=0.7, eta_z=1.3, normalize=normalize)
    path = joint_flow(
        data, np.zeros((V, design.labels)), np.zeros((V, V)), times, rtol=1e-9, **options
    )
    found = alike_flow(design, times, **options)
    logits = path.Z[:, data.last[0]]
    whole = [path.Y[:, 0, 0], path.Y[:, 0, -1], path.Y[:, K, 0], path.Y[:, K, -1]]
    here = found[:, [0, 2, 3, 4]]
    if design.labels == design.shared:  # there is no label outside of the group
        whole, here = whole[:1], here[:, :1]
    np.testing.assert_allclose(np.transpose(whole), here, atol=2e-4)
    np.testing.assert_allclose(logits[:, [0, K]], found[:, 5:], atol=2e-4)


def test_a_token_of_one_class_is_no_common_token():
    """s = 1: both tokens of a class are alike, and nothing moves between them."""
    np.testing.assert_allclose(gaps(Alike(3, 1, 5), [1.0, 50.0]), 0, atol=1e-9)
    assert law(1, 5) == 0 and law(4, 4) == 1


def test_what_makes_no_sense_is_named():
    with pytest.raises(ValueError, match="shared"):
        alike_flow(Alike(4, 3, 5), [1.0])
    with pytest.raises(ValueError, match="labels"):
        alike_flow(Alike(4, 2, 3), [1.0])


@pytest.mark.parametrize("one_query", [False, True])
@pytest.mark.parametrize("rates", [(1.0, 1.0), (5.0, 0.5)])
def test_the_error_received_is_a_clock_of_the_same_flow(one_query, rates):
    eta_y, eta_z = rates
    design = Alike(4, 2, 6, 3, 2, one_query)
    own, wrong, rest, shared, away, z_d, z_c = alike_flow(
        design, [2.0, 8.0, 30.0], eta_y=eta_y, eta_z=eta_z
    ).T
    received = own - wrong + 4 * (rest - wrong)
    run = by_clock(design, received, eta_y=eta_y, eta_z=eta_z)
    np.testing.assert_allclose(run.gap, z_d - z_c, atol=1e-5)
    np.testing.assert_allclose(run.shared, shared - away, rtol=1e-5)
    share = 2 / 3 * np.exp(z_c - z_d)
    np.testing.assert_allclose(run.share, share, rtol=1e-5)
    uneven = (wrong - rest + share * (shared - away)) / np.hypot(1, share)
    np.testing.assert_allclose(run.uneven, uneven, atol=1e-4)


def test_the_pace_is_the_slope_of_the_gap():
    ends = 50 * np.exp([-1e-3, 0, 1e-3])
    run = by_clock(Alike(4, 4, 7), ends)
    assert np.diff(run.gap[::2])[0] / 2e-3 == pytest.approx(run.pace[1], rel=1e-5)
