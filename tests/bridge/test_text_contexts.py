"""A text as contexts: windows, choices, their law and its maximum likelihood."""

import numpy as np
import pytest
from scipy.special import softmax

from lib.bridge.text_contexts import (
    Contexts,
    _loss_and_mass,
    choices,
    contexts,
    imbalance,
    law,
    repeated,
    train,
)
from lib.mechanics.attention_layer import attention
from lib.mechanics.luce_choice import luce_strengths
from lib.mechanics.samples import from_sequences

K, T = 6, 5


@pytest.fixture
def found():
    every = contexts(np.random.default_rng(0).integers(K, size=400), K, T)
    return every.only(every.present)


def dense(found, entries, values):
    """Values of entries as a table (n, K)."""
    table = np.zeros((len(found.label), K))
    table[entries.row, entries.code % K] = values
    return table


def test_windows_end_before_their_label():
    found = contexts([3, 1, 4, 1, 5], 6, 3)
    assert found.windows.tolist() == [[3, 1, 4], [1, 4, 1]]
    assert found.label.tolist() == [1, 5] and found.place.tolist() == [3, 4]
    assert found.last.tolist() == [4, 1] and found.present.tolist() == [True, False]


def test_the_law_is_attention_over_orthonormal_embeddings(found):
    entries = choices(found)
    z = np.random.default_rng(1).normal(size=len(entries.pairs))
    W = np.zeros((K, K))
    W[entries.pairs % K, entries.pairs // K] = z
    data = from_sequences(found.windows.tolist(), found.label, np.eye(K))
    assert np.allclose(dense(found, entries, law(entries, z)), attention(W, data), atol=1e-14)


def test_what_is_not_kept_gets_nothing_and_nothing_kept_keeps_all(found):
    entries = choices(found)
    z, kept = np.zeros(len(entries.pairs)), entries.won.copy()
    kept[entries.row == 0] = False
    p = law(entries, z, kept)
    assert (p[entries.won][1:] == 1).all()
    assert np.allclose(p[entries.row == 0], law(entries, z)[entries.row == 0])


def test_trained_scores_balance_attention_and_wins(found):
    entries = choices(found)
    for ridge in (0.5, 8.0):
        z = train(entries, ridge=ridge)
        assert np.abs(imbalance(entries, z) + ridge * z).max() < 1e-2
    assert np.abs(imbalance(entries, np.zeros(len(z)))).max() > 1


def test_the_compiled_pass_is_the_law(found):
    entries = choices(found)
    rng = np.random.default_rng(5)
    z, kept = (
        rng.normal(size=len(entries.pairs)),
        entries.won | (rng.random(len(entries.won)) < 0.5),
    )
    ends = np.searchsorted(entries.row[kept], range(len(entries.start) + 1))
    some = entries.pair[kept], entries.log_count[kept], entries.won[kept]
    loss, mass = _loss_and_mass(z, *some, ends)
    p = law(entries, z, kept)
    assert loss == pytest.approx(-np.log(p[entries.won]).sum(), rel=1e-12)
    assert np.allclose(mass, np.bincount(entries.pair, p, len(z)), atol=1e-12)


def test_without_ridge_it_finds_the_strengths_of_luce(found):
    entries = choices(found)
    z = train(entries, steps=2000)
    for k in range(K):
        mine = found.last == k
        counts = np.array([np.bincount(row, minlength=K) for row in found.windows[mine]])
        row = z[entries.pairs // K == k]
        assert np.allclose(
            softmax(luce_strengths(counts, found.label[mine])), softmax(row), atol=1e-3
        )


def test_labels_outside_are_refused():
    with pytest.raises(ValueError, match="label"):
        choices(contexts([3, 1, 4, 1, 5], 6, 3))
    with pytest.raises(ValueError, match="length"):
        contexts([1, 2, 3], 6, 3)


def test_training_refuses_what_its_loss_does_not_know(found):
    entries = choices(found)
    with pytest.raises(ValueError, match="pair"):
        train(choices(found, pairs=entries.pairs[1:]))
    with pytest.raises(ValueError, match="kept"):
        train(entries, kept=~entries.won)


def test_a_context_is_repeated_where_window_and_label_stand_in_the_other_text():
    seen, held = np.array([5, 1, 2, 3, 4, 0]), np.array([1, 2, 3, 4, 1, 2, 3, 5])
    both = [contexts(ids, 6, 3) for ids in (held, seen)]
    assert repeated(*both).tolist() == [True, False, False, False, False]
    other = both[0]._replace(label=both[0].label + 1)
    assert not repeated(other, both[1]).any()


def test_weights_are_normalized_in_each_context_and_copies_stand_in_for_none():
    """Contexts 1 2 2 and 1 3 3: entries 1, 2 and 1, 3."""
    two = choices(Contexts(np.array([[1, 2, 2], [1, 3, 3]]), np.array([2, 1]), np.arange(2), 4))
    assert two.normalized(np.array([0.125, 0.375, 0, 0])) == pytest.approx(
        [1 / 4, 3 / 4, 1 / 3, 2 / 3]
    )
    assert two.sums(np.array([1, 2, 3, 4])).tolist() == [3, 7]


def test_unknown_pairs_have_score_zero(found):
    known = choices(found, choices(found).pairs[1:-1])
    z = np.full(len(known.pairs), 2.0)
    odds = law(known, z) / np.exp(known.log_count)
    relative = odds * known.sums(np.exp(known.log_count + 2.0 * (known.pair < len(z))))[known.row]
    assert (known.pair == len(z)).any()
    assert np.allclose(relative, np.where(known.pair < len(z), np.exp(2.0), 1.0))


def test_a_law_knows_differences_of_scores_only(found):
    entries = choices(found)
    z = np.random.default_rng(1).normal(size=len(entries.pairs))
    for far in (1e3, -1e3):
        assert np.allclose(law(entries, z + far), law(entries, z), atol=1e-12)
