"""Facts about texts as ids: ranks, vocabulary, parts, and one clear error for each way to fail."""

from dataclasses import replace

import numpy as np
import pytest

from lib.real_text import corpus as corpora
from lib.real_text.words import CorpusError, digest


def test_embedded_text_is_on_every_machine():
    corpus = corpora.load()
    assert corpus.vocab_size == 2000 and len(corpus.train) > 50_000
    total = len(corpus.train) + len(corpus.valid) + len(corpus.test)
    assert len(corpus.train) / total == pytest.approx(0.8, abs=0.02)


def test_no_paragraph_of_the_embedded_text_stands_in_it_twice():
    """Else what is held out was trained on: its blocks take turns."""
    paragraphs = corpora.embedded_text().split("\n\n")
    assert len(set(paragraphs)) == len(paragraphs) > 1000


def test_ids_are_ranks():
    corpus = corpora.load("embedded", 300)
    counts = np.bincount(corpus.train, minlength=300)
    assert (np.diff(counts) <= 0).all() and corpus.words([0]) == [corpus.vocabulary[0]]


def test_of_ten_thousand_tokens_the_ninth_is_to_choose_by_and_the_tenth_to_test():
    parts = corpora.split([*range(10_500)])
    assert parts["train"] == [*range(8_000), *range(10_000, 10_500)]
    assert parts["valid"] == [*range(8_000, 9_000)] and parts["test"] == [*range(9_000, 10_000)]
    assert len(corpora.split([*range(10_000)])["train"]) == 8_000
    with pytest.raises(CorpusError, match="at least 10,000 tokens; found 9,999"):
        corpora.split([*range(9_999)])


def test_rare_words_are_one_id_that_has_its_own_rank_and_types_are_counted_everywhere():
    parts = {"train": list("aaabbcd"), "valid": list("ae"), "test": ["b"]}
    corpus = corpora.encode("mine", parts, 3)
    assert corpus.vocabulary == ("a", "<unk>", "b")  # c and d are as common as b, and "<" is first
    assert [part.tolist() for part in (corpus.train, corpus.valid, corpus.test)] == [
        [0, 0, 0, 2, 2, 1, 1],
        [0, 1],
        [2],
    ]
    assert corpus.summary() == (
        f"mine: 7 / 2 / 1 tokens, 5 types, the commonest 3 kept, fingerprint {digest(parts)[:8]}"
    )


def test_own_text_errors(tmp_path):
    with pytest.raises(CorpusError, match="no file"):
        corpora.load(str(tmp_path / "nothing.txt"))
    short, latin = tmp_path / "short.txt", tmp_path / "latin.txt"
    short.write_text("a b c")
    latin.write_bytes(b"caf\xe9 " * 9000)
    with pytest.raises(CorpusError, match="at least 10,000 tokens"):
        corpora.load(str(short))
    with pytest.raises(CorpusError, match="not UTF-8"):
        corpora.load(str(latin))
    with pytest.raises(ValueError, match="vocab_size"):
        corpora.load("embedded", 1)
    assert corpora.load("embedded", 2).vocabulary[0] == "<unk>"
    for no_name in ("", 5):
        with pytest.raises(ValueError, match=f"corpus = {no_name!r}, allowed: 'embedded'"):
            corpora.load(no_name)


def test_another_text_is_not_comparable_with_the_stored_numbers(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("some other words here. " * 3000, encoding="utf-8")
    assert not corpora.comparable(corpora.load(str(path), 10))
    first, second = (corpora.load("embedded", size) for size in (100, 200))
    assert corpora.comparable(first) == corpora.comparable(
        second
    )  # a property of the text, not of the vocabulary
    same = replace(first, sha256=corpora.EMBEDDED_SHA256 + 56 * "0")  # a fingerprint is its start
    assert corpora.comparable(same) is True


def test_a_text_without_blanks_is_told_so(tmp_path):
    path = tmp_path / "one.txt"
    path.write_text("\u4e00" * 50_000, encoding="utf-8")
    with pytest.raises(CorpusError, match="blanks between its words"):
        corpora.load(str(path))


def test_parts_that_no_model_sees_and_ids_that_are_no_words():
    corpus = corpora.load("embedded", 300)
    assert len(corpus.held_out) == len(corpus.valid) + len(corpus.test)
    assert (corpus.held_out[: len(corpus.valid)] == corpus.valid).all()
    assert sorted(corpus.words(corpus.special)) == ["<eos>", "<unk>"]


def test_unknown_words_of_a_text_stay_one_token(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("a <unk> b <unk> c . " * 3000, encoding="utf-8")
    corpus = corpora.load(str(path), 10)
    assert corpus.vocabulary[0] == "<unk>" and not {"<", "unk", ">"} & set(corpus.vocabulary)
    assert (corpus.train == 0).mean() == pytest.approx(1 / 3, abs=0.01)
