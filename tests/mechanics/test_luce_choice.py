"""Luce's model: closed forms, and Ford's condition both ways."""

import numpy as np
import pytest

from lib.mechanics.luce_choice import escape_direction, luce_strengths


def test_multiplicities_are_offsets():
    counts, label = np.tile([3.0, 1.0], (4, 1)), np.array([0, 0, 1, 1])
    strengths = luce_strengths(counts, label)
    assert strengths[1] - strengths[0] == pytest.approx(np.log(3), rel=1e-10)
    np.testing.assert_allclose(luce_strengths(counts / 8, label), strengths)  # their ratios alone


def test_pairs_around_a_circle():
    counts = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    np.testing.assert_allclose(luce_strengths(counts, np.array([0, 1, 2])), 0, atol=1e-12)


def test_duels_along_a_chain_multiply_their_odds():
    counts = np.repeat([[1, 1, 0], [0, 1, 1]], [3, 4], axis=0)
    strengths = luce_strengths(counts, np.array([0, 0, 1, 1, 1, 1, 2]))
    np.testing.assert_allclose(np.exp(strengths - strengths[2]), [6, 3, 1])


def test_tokens_that_stand_there_and_are_never_chosen_are_refused_by_name():
    with pytest.raises(ValueError, match=r"label = \[2\].*Ford"):
        luce_strengths(np.tile([1, 1, 1, 0], (4, 1)), np.array([0, 0, 0, 1]))


def test_escape_only_without_strong_connection():
    circle = np.array(
        [[[0.0, 0], [-1, 1], [0, 0]], [[0, 0], [0, 0], [0, -1]], [[1, 0], [0, 0], [0, 0]]]
    )
    assert escape_direction(circle) is None
    direction = escape_direction(circle[:2])
    assert direction is not None and (circle[:2] @ direction <= 1e-9).all()


def test_an_escape_is_one_along_which_rivals_lose_or_else_a_flat_one():
    pair = np.array(
        [[[1.0, 0], [0, 0]], [[-1, 0], [0, 0]]]
    )  # what one sample loses the other gains
    np.testing.assert_allclose(np.abs(escape_direction(pair)), [0, 1])
    loses = escape_direction(pair[:1])
    assert escape_direction(-pair[:1])[0] == pytest.approx(1)
    assert loses[0] == pytest.approx(-1)  # not the flat one, though that is there too
    assert escape_direction(np.zeros((1, 2, 1))) is not None


def test_an_order_without_a_way_back_does_not_settle():
    """Each token is chosen once, but 2 only where it is alone: its strength falls for ever."""
    counts = np.array([[1, 1, 0], [1, 1, 0], [0, 1, 1], [0, 0, 1]])
    with pytest.raises(ValueError, match="rounds = 50"):
        luce_strengths(counts, np.array([0, 1, 1, 2]), rounds=50)


def test_one_choice_set_gives_frequencies():
    counts, label = np.ones((10, 3)), np.repeat([0, 1, 2], [5, 3, 2])
    strengths = luce_strengths(counts, label)
    np.testing.assert_allclose(
        np.exp(strengths) / np.exp(strengths).sum(), [0.5, 0.3, 0.2], rtol=1e-10
    )


def test_tokens_that_never_occur_have_no_strength_and_repeats_count():
    counts, label = np.array([[1, 1, 0]] * 6), np.array([0] * 5 + [1])
    strengths = luce_strengths(counts, label)
    assert strengths[0] - strengths[1] == pytest.approx(np.log(5)) and np.isnan(strengths[2])
    assert strengths[:2].sum() == pytest.approx(0, abs=1e-14)
