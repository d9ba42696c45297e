"""Nats, their mixtures and intervals; the whole measurement on a text without order."""

import json
from dataclasses import replace

import numpy as np
import pytest
from ledgerbook.project.project import current

from lib.bridge.text_contexts import choices, contexts, train
from lib.bridge.text_graph import DECIDED, INCOMPARABLE, UNKNOWN, inside, ranking, retrieve
from lib.bridge.text_laws import (
    MIXTURES,
    RIDGES,
    cross_fitted,
    finite_part,
    gain,
    measured,
    mixed_nats,
    nats_of,
    null_shares,
    presence,
    share_saved,
    shares,
    shuffled,
    window_laws,
)
from lib.real_text.corpus import encode


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(0)
    parts = {
        part: [f"w{i}" for i in rng.zipf(1.4, size=size) % 30]
        for part, size in (("train", 6000), ("valid", 3000), ("test", 3000))
    }
    return encode("drawn", parts, 20)


def test_presence_in_a_text_of_two_halves(corpus):
    """First one token, then another: the window knows the label, the one half a text away never."""
    halves = presence(replace(corpus, train=np.arange(4000) // 2000), 12, np.random.default_rng(0))
    assert halves["window"] == 1 - 1 / 3988 and halves["shuffled"] > 0.99
    assert halves["elsewhere"] < 0.01


def test_a_shuffled_text_has_its_tokens_in_other_places(corpus):
    first, again, other = (shuffled(corpus, seed) for seed in (0, 0, 1))
    for part in ("train", "valid", "test"):
        one, two, three, text = (getattr(at, part) for at in (first, again, other, corpus))
        assert (one == two).all() and (one != three).any() and (one != text).any()
        assert sorted(one.tolist()) == sorted(text.tolist())


def test_the_finite_part_has_no_level_and_is_what_any_start_comes_to(corpus):
    found = contexts(corpus.train, corpus.vocab_size, 6)
    found = found.only(found.present)
    given = choices(found)
    ranked = ranking(found, given)
    fin = finite_part(ranked, given, corpus.vocab_size)
    own = given.pairs // corpus.vocab_size * len(given.pairs) + ranked.component[:-1]
    level = np.bincount(np.unique(own, return_inverse=True)[1], fin)
    assert abs(level).max() < 1e-9 < 0.1 < abs(fin).max()
    elsewhere = train(
        given, inside(ranked, given), start=np.random.default_rng(0).normal(size=own.shape)
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lib.bridge.text_laws.train", lambda *_, **__: elsewhere)
        np.testing.assert_allclose(finite_part(ranked, given, corpus.vocab_size), fin, atol=0.01)


def test_shares_of_a_mixture_rise_to_one_and_ridges_are_those_of_the_book():
    assert 0 < MIXTURES[0] and (np.diff(MIXTURES) > 0).all() and MIXTURES[-1] == 1
    known = json.loads((current().book / "data/text_graph.json").read_text(encoding="utf-8"))
    assert [row["ridge"] for row in known["text"][0]["path"]] == list(RIDGES)


def test_each_half_takes_what_is_best_on_the_other():
    nats = np.array([[1.0, 1.0, 5.0, 5.0], [4.0, 4.0, 2.0, 2.0]])
    half = np.array([True, True, False, False])
    assert cross_fitted(nats, half).tolist() == [4.0, 4.0, 5.0, 5.0]
    with pytest.raises(ValueError, match="half"):
        cross_fitted(nats, np.ones(4, bool))


def test_a_law_that_is_never_right_is_mixed_away():
    won, half = np.ones(6, bool), np.arange(6) < 3
    assert np.allclose(mixed_nats(np.zeros(6), np.full(6, 0.25), won, half), np.log(4))


def test_a_bigram_says_how_often_what_is_there_came_next_in_the_text():
    ids, K = np.array([0, 1, 0, 1, 0, 2, 2, 0]), 3
    found = contexts(np.random.default_rng(0).integers(K, size=60), K, 4)
    found = found.only(found.present)
    asked = choices(found)
    ranked = ranking(found, asked)
    kept, _ = retrieve(ranked, asked, found.last)
    bigram = window_laws(ids, asked, ranked, kept, np.zeros(len(asked.pairs)), K)["bigram"]
    times = np.zeros((K, K))
    np.add.at(times, (ids[:-1], ids[1:]), 1)
    for window, last, start in zip(found.windows, found.last, asked.start, strict=True):
        here, copies = np.unique(window, return_counts=True)
        weight = times[last, here] if times[last, here].any() else copies
        assert np.allclose(bigram[start : start + len(here)], weight / weight.sum())


def test_gain_is_paired_and_its_interval_covers_it():
    record = {"counts": [10, 10, 20], "laws": {"a": [10.0, 12.0, 30.0], "b": [20.0, 22.0, 50.0]}}
    assert nats_of(record, "a") == pytest.approx(1.3) and nats_of(record, "b") == 2.3
    mean, low, high = gain(record, "a", "b")
    assert np.allclose((mean, low, high), 1.0)
    record["laws"]["b"][0] = 30.0
    mean, low, high = gain(record, "a", "b")
    assert mean == pytest.approx(1.25) and low < 1.25 < high


@pytest.mark.parametrize(("level", "ends"), [(0.4, (0.5, 0.5)), (0.6, (0, 1))])
def test_an_interval_leaves_as_much_out_below_as_above(level, ends):
    """Of two blocks that save 0 and 1, a quarter of the draws save 0, and a quarter 1."""
    record = {"counts": [1, 1], "laws": {"a": [0.0, 0.0], "b": [0.0, 1.0]}}
    assert gain(record, "a", "b", level) == (0.5, *ends)


def test_graphs_of_two_tokens_that_beat_each_other_decide_everything():
    """Which they do where the label is any token of the window."""
    found = contexts(np.arange(40) % 2, 2, 4)
    given = choices(found)
    null = null_shares(found, given, given, found.last, np.random.default_rng(0))
    assert set(null.values()) == {1.0}


def test_a_share_of_what_is_saved_is_paired_too():
    laws = {"worse": [50.0, 60.0, 90.0], "law": [40.0, 50.0, 60.0], "best": [30.0, 40.0, 30.0]}
    record = {"counts": [10, 10, 20], "laws": laws}
    assert np.allclose(share_saved(record, "law", "best", "worse"), 0.5)
    laws["law"][0] = 30.0
    share, low, high = share_saved(record, "law", "best", "worse")
    assert share == pytest.approx(0.6) and low == pytest.approx(0.5) and high == pytest.approx(1)


def test_contexts_are_decided_unknown_or_incomparable(corpus):
    """Shares of the three verdicts, counted one by one from ``retrieve``."""
    train_on, held = (
        contexts(ids, corpus.vocab_size, 6) for ids in (corpus.train, corpus.held_out)
    )
    train_on, held = train_on.only(train_on.present), held.only(held.present)
    given = choices(train_on)
    asked = choices(held, given.pairs)
    ranked = ranking(train_on, given)
    kept, verdict = retrieve(ranked, asked, held.last)
    found = shares(ranked, given, asked, kept, verdict)
    for name, number in (
        ("decided", DECIDED),
        ("unknown", UNKNOWN),
        ("incomparable", INCOMPARABLE),
    ):
        assert found[name] == np.mean(verdict == number)
    other = kept ^ (asked.row == 0)  # the first context is cut otherwise than the rest
    same = [shares(ranked, given, asked, cut, verdict)["same_as_ever"] for cut in (kept, other)]
    assert same == [1, 1 - 1 / len(asked.start)]
    assert len({found["decided"], found["unknown"], found["incomparable"]}) == 3
    four = np.array([DECIDED, UNKNOWN, INCOMPARABLE, INCOMPARABLE])
    assert shares(ranked, given, asked, kept, four)["incomparable"] == 0.5


def test_without_order_nothing_beats_the_frequency_of_tokens(corpus):
    record = measured(corpus, 8, ridges=(30.0, 3.0), steps=60)
    assert gain(record, "frequency", "counts")[1] > 0.1
    strong, weak = record["path"]
    assert strong["train"] > weak["train"] > record["graph"]["limit_train_nats"] > 0
    for name in record["laws"]:
        assert gain(record, name, "frequency")[1] < 0.02, name


def test_a_mixture_of_two_laws_that_agree_is_that_law():
    won, half = np.ones(6, bool), np.arange(6) < 3
    assert np.allclose(mixed_nats(np.full(6, 0.25), np.full(6, 0.25), won, half), np.log(4))


def test_order_is_what_a_bigram_sees(corpus):
    counting = {"train": np.arange(6000) % 20, "valid": np.arange(3000) % 20}
    follows = replace(corpus, **counting, test=counting["valid"])
    record = measured(follows, 25, ridges=(), steps=60)
    assert record["counts"] == [975, 1000, 1000, 1000, 1000, 1000]  # by thousands of the text
    lost = measured(shuffled(follows, 0), 25, ridges=(), steps=60)
    assert gain(record, "bigram", "frequency")[0] > gain(lost, "bigram", "frequency")[0] + 0.5
    assert "trained layer" not in record["laws"]
