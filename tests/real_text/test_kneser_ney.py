"""Kneser-Ney against its formula, asked token by token with counters."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from lib.real_text.kneser_ney import KneserNey

V = 5
TEXT = np.random.default_rng(3).choice(V, 300, p=[0.4, 0.3, 0.15, 0.1, 0.05])


def numbers(text, order, top):
    """n_k of each k-gram: how often it occurs, or how many tokens stand before it."""
    grams = [tuple(text[i : i + order]) for i in range(len(text) - order + 1)]
    if order == top:
        return Counter(grams)
    before = {tuple(text[i : i + order + 1]) for i in range(len(text) - order)}
    return Counter(gram[1:] for gram in before)


def plain(text, history, word, order, top):
    """p_k(word | history) by the formula."""
    if order == 0:
        return 1 / V
    counts = numbers(text, order, top)
    history = tuple(history)[len(history) - order + 1 :] if order > 1 else ()
    by_value = Counter(counts.values())
    discount = by_value[1] / max(by_value[1] + 2 * by_value[2], 1)
    after = defaultdict(int)
    for gram, n in counts.items():
        if gram[:-1] == history:
            after[gram[-1]] += n
    lower = plain(text, history[1:], word, order - 1, top)
    if not after:
        return lower
    total = sum(after.values())
    return max(after.get(word, 0) - discount, 0) / total + discount * len(after) / total * lower


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_it_is_the_formula(order):
    text = TEXT.tolist()
    model, windows = KneserNey(TEXT, V, order), np.array([text[20:26], [0, 4, 4, 4, 4, 1]])
    found = model.probabilities(windows)
    for row, window in enumerate(windows.tolist()):
        for place, word in enumerate(window):
            level = min(order, place + 1)
            wanted = plain(text, window[:place], word, level, order)
            assert found[row, place] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_probabilities_add_up_to_one(order):
    model = KneserNey(TEXT, V, order)
    for history in ([0, 1, 0, 0], [4, 4, 4, 4]):
        windows = [[*history, word] for word in range(V)]
        assert model.probabilities(windows)[:, -1].sum() == pytest.approx(1)


def test_a_text_that_repeats_itself_is_known_from_two_tokens():
    text = np.tile([0, 1, 0, 2], 200)
    assert KneserNey(text, 3, 3).nats(text[None, :40], skip=2) < 0.05
    assert KneserNey(text, 3, 2).nats(text[None, :40], skip=2) > 0.3


def test_what_makes_no_sense_is_named():
    with pytest.raises(ValueError, match="order"):
        KneserNey(TEXT, V, 0)
    with pytest.raises(ValueError, match="ids"):
        KneserNey(TEXT, 3, 2)
