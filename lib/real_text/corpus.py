"""Text as token ids: WikiText-2 where it is found, any UTF-8 file, or a text that every Python has.

No text is part of this repository.  WikiText-2 is searched for, verified and, as a last
resort, downloaded; a named file is read; ``embedded`` is Python's own language reference,
``pydoc_data.topics``, whose wording differs a little between Python versions.
"""

import hashlib
import os
import re
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lib.validation import require, require_integer

PARTS = ("train", "valid", "test")
WIKITEXT_TOKENS = {"train": 2_088_628, "valid": 217_646, "test": 245_569}
WIKITEXT_TYPES = 33_278
WIKITEXT_FOLDER = "wikitext-2"
EMBEDDED_SHA256 = "92debc07"  # fingerprint of the text that the stored outputs were made with
UNKNOWN, END = "<unk>", "<eos>"
BLOCK, BLOCKS_PER_ROUND = (
    1000,
    10,
)  # own text: of every ten blocks of 1,000 tokens eight train, one valid, one test
SMALLEST = BLOCK * BLOCKS_PER_ROUND
WORD = re.compile(r"\w+|([^\w\s])\1*")
PROJECT_ROOT = Path(__file__).resolve().parents[2]


class CorpusError(ValueError):
    """A text that is missing, cut short or altered: says what was expected, what was found, what to
    do.
    """

    def __init__(self, expected, found, remedy):
        super().__init__(f"corpus: expected {expected}; found {found}; to do: {remedy}")


@dataclass(frozen=True)
class Corpus:
    """A text as ids over its V commonest types.

    train, valid, test: int64 arrays of ids.  vocabulary: the V words, commonest first; ids are
    ranks, and every rarer type is ``<unk>``.  types: number of types before the cut.
    """

    name: str
    train: np.ndarray
    valid: np.ndarray
    test: np.ndarray
    vocabulary: tuple
    types: int
    sha256: str

    @property
    def vocab_size(self):
        """V, the number of ids."""
        return len(self.vocabulary)

    def words(self, ids):
        """The words of ``ids``, as a list."""
        return [self.vocabulary[i] for i in np.asarray(ids).ravel()]

    def summary(self):
        """One line: name, sizes, fingerprint."""
        sizes = " / ".join(f"{len(part):,}" for part in (self.train, self.valid, self.test))
        return (
            f"{self.name}: {sizes} tokens, {self.types:,} types, the commonest {self.vocab_size:,}"
            f" kept, fingerprint {self.sha256[:8]}"
        )


def load(corpus="embedded", vocab_size=2000, folder=None):
    """A ``Corpus``: ``embedded``, ``wikitext``, or the path of a UTF-8 text file.

    folder: where WikiText-2 lies (``train.txt``, ``valid.txt``, ``test.txt``), tried first.
    Raises ``CorpusError`` for a text that cannot be used, ``ValueError`` for a vocabulary below 2.
    """
    require_integer("vocab_size", vocab_size, 2)
    require(
        isinstance(corpus, str) and corpus,
        "corpus",
        corpus,
        "'embedded', 'wikitext', or the path of a UTF-8 text file",
    )
    if corpus == "wikitext":
        return encode("WikiText-2", read_parts(find_wikitext(folder)), vocab_size)
    if corpus == "embedded":
        return encode("Python's language reference", split(tokenize(embedded_text())), vocab_size)
    return encode(Path(corpus).name, split(tokenize(read_text(corpus))), vocab_size)


def comparable(corpus):
    """Whether numbers stored for the embedded text can be compared here: the same text, to the
    letter.
    """
    return corpus.sha256[:8] == EMBEDDED_SHA256


def embedded_text():
    """The articles of ``pydoc_data.topics``, by name: about 465,000 characters, 79 articles in
    Python 3.11.
    """
    from pydoc_data.topics import topics

    return "\n\n".join(topics[name] for name in sorted(topics))


def read_text(path):
    """A file's text.  Raises ``CorpusError`` if it is missing or not UTF-8."""
    path = Path(path)
    remedy = "name an existing UTF-8 text file, or 'embedded', or 'wikitext'"
    if not path.is_file():
        raise CorpusError("a text file", f"no file {path}", remedy)
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise CorpusError(
            "UTF-8 text", f"byte {error.start} of {path} is not UTF-8", "convert the file to UTF-8"
        ) from None


def tokenize(text):
    """Words and runs of one punctuation mark, case kept; ``<eos>`` ends each paragraph (blank
    line).
    """
    tokens = []
    for paragraph in re.split(r"\n\s*\n", text):
        found = [match.group() for match in WORD.finditer(paragraph)]
        tokens += [*found, END] if found else []
    return tokens


def split(tokens):
    """Own text into train, valid, test by blocks, so that all three are alike; needs 10,000
    tokens.
    """
    if len(tokens) < SMALLEST:
        raise CorpusError(f"at least {SMALLEST:,} tokens", f"{len(tokens):,}", "take a longer text")
    rounds = {part: [] for part in PARTS}
    for start in range(0, len(tokens), BLOCK):
        place = start // BLOCK % BLOCKS_PER_ROUND
        rounds[{8: "valid", 9: "test"}.get(place, "train")] += tokens[start : start + BLOCK]
    return rounds


def encode(name, parts, vocab_size):
    """Parts (lists of words) to a ``Corpus``; the vocabulary is counted on the training part
    alone.
    """
    counts = Counter(parts["train"])
    types = len(set().union(*parts.values()))
    counts.pop(UNKNOWN, None)
    commonest = sorted(counts, key=lambda word: (-counts[word], word))[: vocab_size - 1]
    rest = len(parts["train"]) - sum(counts[word] for word in commonest)
    vocabulary = sorted(
        [*commonest, UNKNOWN], key=lambda word: (-(rest if word == UNKNOWN else counts[word]), word)
    )
    ids = {word: rank for rank, word in enumerate(vocabulary)}
    arrays = {
        part: np.array([ids.get(word, ids[UNKNOWN]) for word in words], dtype=np.int64)
        for part, words in parts.items()
    }
    digest = hashlib.sha256("\n".join(" ".join(parts[part]) for part in PARTS).encode()).hexdigest()
    return Corpus(name, **arrays, vocabulary=tuple(vocabulary), types=types, sha256=digest)


def find_wikitext(folder=None, download=None):
    """The folder that holds a verified WikiText-2: a named one, beside the project, the user's
    cache, a download.

    A named folder (argument, or ``WIKITEXT_DIR``) is final: if it is not right, that is an error.
    """
    named = folder or os.environ.get("WIKITEXT_DIR")
    if named:
        return verified(Path(named))
    beside, cache = PROJECT_ROOT.parent / "shared" / WIKITEXT_FOLDER, cache_folder()
    for place in (beside, cache):
        if place.is_dir():
            return verified(place)
    (download or download_wikitext)(cache)
    return verified(cache)


def cache_folder():
    """Where a download is kept: the platform's user cache."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("one-attention-layer")) / WIKITEXT_FOLDER


def verified(folder):
    """``folder`` if it holds WikiText-2 to the token and type; else ``CorpusError``."""
    remedy = (
        "give the folder with train.txt, valid.txt and test.txt of WikiText-2 (parameter, or"
        " WIKITEXT_DIR), or use corpus='embedded'"
    )
    missing = [f"{part}.txt" for part in PARTS if not (folder / f"{part}.txt").is_file()]
    if missing:
        raise CorpusError(
            "the three parts of WikiText-2", f"{folder} without {', '.join(missing)}", remedy
        )
    parts = read_parts(folder)
    found = {part: len(words) for part, words in parts.items()} | {
        "types": len(set().union(*parts.values()))
    }
    expected = WIKITEXT_TOKENS | {"types": WIKITEXT_TYPES}
    if found != expected:
        wrong = ", ".join(
            f"{key} {found[key]:,} instead of {expected[key]:,}"
            for key in expected
            if found[key] != expected[key]
        )
        raise CorpusError("WikiText-2 as published", f"{folder} with {wrong}", remedy)
    return folder


def read_parts(folder):
    """WikiText's parts as lists of words, with one ``<eos>`` for each line."""
    lines = {part: read_text(Path(folder) / f"{part}.txt").split("\n") for part in PARTS}
    return {
        part: [
            word for line in rows[: len(rows) - (rows[-1] == "")] for word in (*line.split(), END)
        ]
        for part, rows in lines.items()
    }


def download_wikitext(target):
    """Fetch WikiText-2 through the ``datasets`` library into ``target``: all three parts or
    nothing.
    """
    try:
        from datasets import load_dataset

        data = load_dataset("Salesforce/wikitext", "wikitext-2-v1")
    except Exception as error:  # the library raises a dozen kinds; the reader needs one sentence
        raise CorpusError(
            "a download of WikiText-2",
            f"{type(error).__name__}",
            "go on line, or set WIKITEXT_DIR to its folder, or use corpus='embedded'",
        ) from error
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        ready = Path(scratch) / "ready"
        ready.mkdir()
        for part, name in zip(PARTS, ("train", "validation", "test"), strict=True):
            rows = (row["text"].rstrip("\n") for row in data[name])
            (ready / f"{part}.txt").write_text(
                "".join(f"{row}\n" for row in rows), encoding="utf-8"
            )
        verified(ready)
        os.replace(ready, target)
