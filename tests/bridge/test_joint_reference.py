"""The loss in many digits against a closed form and against the fast pass."""

import mpmath as mp
import numpy as np
import pytest

from lib.bridge.joint_training import gradients, one_hot_data
from tests.bridge.joint_reference import loss_in_digits, slopes_in_digits

DATA = one_hot_data([[2, 1, 0], [0, 1, 3]], [0, 2], [0, 1], [0.25, 0.75])
RNG = np.random.default_rng(3)
Y, Z = RNG.normal(size=(3, 2)), RNG.normal(size=(3, 3))


def test_one_sample_of_two_tokens_in_closed_form():
    # f = (2, 1) / 3 or / sqrt 5 at Z = 0, and Y = y (e_1 e_1^T): log(1 + e^{-y f_1})
    one = one_hot_data([[2, 1]], [0], [0])
    decoder = mp.matrix([[3, 0], [0, 0]])
    with mp.workdps(40):
        for normalize, share in ((False, mp.mpf(2) / 3), (True, 2 / mp.sqrt(5))):
            wanted = mp.log(1 + mp.exp(-3 * share))
            found = loss_in_digits(one, decoder, mp.zeros(2), normalize)
            assert abs(found - wanted) < mp.mpf(10) ** -38


@pytest.mark.parametrize("options", [(), (True,)], ids=["plain", "normalized"])
def test_its_slopes_are_those_of_the_fast_pass(options):
    slow = slopes_in_digits(DATA, Y, Z, *options, digits=80)
    for one, other in zip(slow, gradients(DATA, Y, Z, *options), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("normalize", [False, True])
def test_no_slope_along_what_attention_and_the_softmax_do_not_see(normalize):
    by_y, by_z = slopes_in_digits(DATA, Y, Z, normalize, digits=80)
    assert np.abs(by_y.sum(axis=1)).max() < 1e-15  # a constant added to every logit
    assert np.abs(by_z.sum(axis=1)).max() < 1e-15  # a constant added to a row of Z
    assert np.abs(by_y).max() > 0.01 and np.abs(by_z).max() > 0.01


def test_a_scale_is_a_factor_and_a_step_leaves_next_to_nothing_out():
    plain, scaled = slopes_in_digits(DATA, Y, Z), slopes_in_digits(DATA, Y, Z, log_scale=2.0)
    fewer = slopes_in_digits(DATA, Y, Z, digits=120)
    for one, other, less in zip(plain, scaled, fewer, strict=True):
        np.testing.assert_allclose(other, np.exp(2) * one, rtol=1e-14)
        np.testing.assert_allclose(less, one, rtol=1e-15)
