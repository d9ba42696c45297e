"""Facts about texts: counts, vocabulary, search order, and one clear error for each way to go
wrong.
"""

import numpy as np
import pytest

from lib.real_text import corpus as corpora
from lib.real_text.corpus import CorpusError


@pytest.fixture
def no_wikitext(monkeypatch, tmp_path):
    """A machine without WikiText: nothing beside the project, an empty cache, no variable."""
    monkeypatch.delenv("WIKITEXT_DIR", raising=False)
    monkeypatch.setattr(corpora, "PROJECT_ROOT", tmp_path / "project")
    monkeypatch.setattr(corpora, "cache_folder", lambda: tmp_path / "cache" / "wikitext-2")
    return tmp_path


@pytest.fixture
def small_wikitext(monkeypatch):
    """A stand-in for the published counts: 6 / 2 / 2 tokens, 3 types."""
    monkeypatch.setattr(corpora, "WIKITEXT_TOKENS", {"train": 6, "valid": 2, "test": 2})
    monkeypatch.setattr(corpora, "WIKITEXT_TYPES", 3)
    return {"train": "a b\n\na\n", "valid": "b\n", "test": "a\n"}


def put(folder, parts):
    folder.mkdir(parents=True, exist_ok=True)
    for part, text in parts.items():
        (folder / f"{part}.txt").write_text(text, encoding="utf-8")
    return folder


def test_embedded_text_is_on_every_machine():
    corpus = corpora.load("embedded", 500)
    assert corpus.vocab_size == 500 and len(corpus.train) > 50_000
    total = len(corpus.train) + len(corpus.valid) + len(corpus.test)
    assert len(corpus.train) / total == pytest.approx(0.8, abs=0.02)


def test_ids_are_ranks():
    corpus = corpora.load("embedded", 300)
    counts = np.bincount(corpus.train, minlength=300)
    assert (np.diff(counts) <= 0).all() and corpus.words([0]) == [corpus.vocabulary[0]]


def test_a_vocabulary_of_every_type_loses_nothing():
    tokens = ("one two three two " * 3000).split()
    corpus = corpora.encode("x", corpora.split(tokens), 50)
    assert corpus.words(corpus.train) == corpora.split(tokens)["train"] and corpus.vocab_size == 4


def test_tokens_of_plain_text():
    assert corpora.tokenize("It's 1.5 ==== ok\nsame paragraph.\n \nnext") == [
        "It",
        "'",
        "s",
        "1",
        ".",
        "5",
        "====",
        "ok",
        "same",
        "paragraph",
        ".",
        "<eos>",
        "next",
        "<eos>",
    ]


def test_split_keeps_every_token_once():
    tokens = [str(i) for i in range(25_500)]
    parts = corpora.split(tokens)
    assert sorted(sum(parts.values(), []), key=int) == tokens


def test_wikitext_counts_one_end_per_line(tmp_path, small_wikitext):
    parts = corpora.read_parts(put(tmp_path / "w", small_wikitext))
    assert parts["train"] == ["a", "b", "<eos>", "<eos>", "a", "<eos>"]


def test_published_counts_where_wikitext_is_at_hand():
    place = corpora.PROJECT_ROOT.parent / "shared" / "wikitext-2"
    if not place.is_dir():
        pytest.skip("no WikiText here")
    corpus = corpora.load("wikitext", 100, folder=place)
    assert (len(corpus.train), len(corpus.valid), len(corpus.test)) == (2_088_628, 217_646, 245_569)
    assert corpus.types == 33_278


def test_search_order(no_wikitext, small_wikitext, monkeypatch):
    calls = []

    def download(target):
        calls.append(target)
        put(target, small_wikitext)

    cache = corpora.cache_folder()
    assert corpora.find_wikitext(download=download) == cache and calls == [cache]
    assert corpora.find_wikitext(download=download) == cache and len(calls) == 1
    beside = put(no_wikitext / "shared" / "wikitext-2", small_wikitext)
    assert corpora.find_wikitext() == beside
    variable = put(no_wikitext / "variable", small_wikitext)
    monkeypatch.setenv("WIKITEXT_DIR", str(variable))
    assert corpora.find_wikitext() == variable
    named = put(no_wikitext / "named", small_wikitext)
    assert corpora.find_wikitext(named) == named


def test_a_named_folder_without_the_parts(tmp_path):
    (tmp_path / "train.txt").write_text("a")
    with pytest.raises(CorpusError, match="valid.txt, test.txt.*to do"):
        corpora.load("wikitext", folder=tmp_path)


def test_truncated_wikitext_says_what_is_missing(tmp_path, small_wikitext):
    put(tmp_path, small_wikitext | {"train": "a b\n"})
    with pytest.raises(CorpusError, match="train 3 instead of 6"):
        corpora.find_wikitext(tmp_path)


def test_no_network_is_one_sentence(no_wikitext, monkeypatch):
    import datasets

    def offline(*arguments):
        raise ConnectionError("a page of detail")

    monkeypatch.setattr(datasets, "load_dataset", offline)
    with pytest.raises(CorpusError, match="WIKITEXT_DIR") as error:
        corpora.find_wikitext()
    assert "\n" not in str(error.value) and not corpora.cache_folder().exists()


def test_an_altered_download_leaves_no_cache(no_wikitext, monkeypatch):
    import datasets

    rows = {part: [{"text": "only one line \n"}] for part in ("train", "validation", "test")}
    monkeypatch.setattr(datasets, "load_dataset", lambda *arguments: rows)
    with pytest.raises(CorpusError, match="instead of"):
        corpora.find_wikitext()
    assert not corpora.cache_folder().exists() and not list(corpora.cache_folder().parent.iterdir())


def test_a_download_is_verified_and_kept(no_wikitext, monkeypatch):
    import datasets

    rows = {
        "train": [{"text": " a b \n"}, {"text": ""}],
        "validation": [{"text": "b \n"}],
        "test": [{"text": "a \n"}],
    }
    monkeypatch.setattr(corpora, "WIKITEXT_TOKENS", {"train": 4, "valid": 2, "test": 2})
    monkeypatch.setattr(corpora, "WIKITEXT_TYPES", 3)
    monkeypatch.setattr(datasets, "load_dataset", lambda *arguments: rows)
    folder = corpora.find_wikitext()
    assert sorted(path.name for path in folder.iterdir()) == ["test.txt", "train.txt", "valid.txt"]


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
    with pytest.raises(ValueError, match="corpus"):
        corpora.load("")


def test_own_text_is_read(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("Ein Satz über Wörter. " * 3000, encoding="utf-8")
    corpus = corpora.load(str(path), 10)
    assert corpus.name == "mine.txt" and "Wörter" in corpus.vocabulary


def test_another_text_is_not_comparable_with_the_stored_numbers(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("some other words here. " * 3000, encoding="utf-8")
    assert not corpora.comparable(corpora.load(str(path), 10))
    first, second = (corpora.load("embedded", size) for size in (100, 200))
    assert corpora.comparable(first) == corpora.comparable(
        second
    )  # a property of the text, not of the vocabulary
