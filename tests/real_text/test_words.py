"""Facts about text files as words: tokens, marks, sizes, and names that lead nowhere."""

import pytest

from lib.real_text.words import CorpusError, digest, read_text, tokenize


def test_tokens_of_plain_text():
    text = "It's 1.5 ==== ok\nsame paragraph.\n \nnext"
    wanted = "It ' s 1 . 5 ==== ok same paragraph . <eos> next <eos>"
    assert tokenize(text) == wanted.split()


def test_marks_of_a_text_that_is_already_cut_stay_whole():
    assert tokenize("a <unk>,<eos> <b>") == "a <unk> , <eos> < b > <eos>".split()


@pytest.mark.parametrize("name", ["nothing.txt", "", "x" * 5000, "a\0b"])
def test_a_name_that_leads_nowhere_is_one_line(name, tmp_path):
    with pytest.raises(CorpusError, match="no file") as error:
        read_text(tmp_path / name)
    assert len(str(error.value)) < 400


def test_a_text_that_would_fill_the_memory_is_refused(tmp_path):
    with open(tmp_path / "big.txt", "wb") as file:
        file.truncate(100_000_001)  # no block of the disk is written
    with pytest.raises(CorpusError, match="at most 100 MB of text; found 100 MB; to do: take"):
        read_text(tmp_path / "big.txt")


def test_the_hash_is_of_words_in_their_parts():
    one = {"train": ["a", "b"], "valid": ["c"], "test": ["d"]}
    assert digest(one) == digest(dict(reversed(one.items())))
    assert digest(one) != digest(one | {"train": ["b", "a"]})
    assert digest(one) != digest(one | {"train": ["a"], "valid": ["b", "c"]})
