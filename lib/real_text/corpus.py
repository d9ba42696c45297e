"""Texts as token ids: WikiText-2, any UTF-8 file, or the language reference that comes with Python.

No text is part of this repository.  ``wikitext`` is searched for, verified and, as a last resort,
downloaded (``lib.real_text.wikitext``); a named file is read; ``embedded`` is Python's own language
reference, ``pydoc_data.topics``, whose wording differs a little between Python versions.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lib.arrays import ArrayLike, Ids
from lib.real_text.wikitext import find_wikitext, read_parts
from lib.real_text.words import END, PARTS, UNKNOWN, CorpusError, digest, read_text, tokenize
from lib.validation import require, require_integer

EMBEDDED_SHA256 = "e4904288"  # fingerprint of the text that the stored outputs were made with
BLOCK, BLOCKS_PER_ROUND = 1000, 10  # own text: of ten blocks eight train, one valid, one test
SMALLEST = BLOCK * BLOCKS_PER_ROUND


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
    def vocab_size(self) -> int:
        """V, the number of ids."""
        return len(self.vocabulary)

    @property
    def held_out(self) -> Ids:
        """Validation and test parts, one after the other: what no model has seen."""
        return np.concatenate([self.valid, self.test])

    @property
    def special(self) -> list[int]:
        """Ids that are no words: those of ``<unk>`` and ``<eos>``, where there are any."""
        return [i for i, word in enumerate(self.vocabulary) if word in (UNKNOWN, END)]

    def words(self, ids: ArrayLike) -> list[str]:
        """The words of ``ids``, as a list."""
        return [self.vocabulary[i] for i in np.asarray(ids).ravel()]

    def summary(self) -> str:
        """One line: name, sizes, fingerprint."""
        sizes = " / ".join(f"{len(part):,}" for part in (self.train, self.valid, self.test))
        return (
            f"{self.name}: {sizes} tokens, {self.types:,} types, the commonest {self.vocab_size:,}"
            f" kept, fingerprint {self.sha256[:8]}"
        )


def load(
    corpus: str = "embedded", vocab_size: int = 2000, folder: str | Path | None = None
) -> Corpus:
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


def comparable(corpus: Corpus) -> bool:
    """Whether the embedded text is the one that stored numbers were made with; it depends on
    Python's version.
    """
    return corpus.sha256[:8] == EMBEDDED_SHA256


def embedded_text() -> str:
    """The articles of ``pydoc_data.topics``, by name, each paragraph once: 79 articles, 373,000
    characters in Python 3.11.

    A fifth of the text stands in several articles; kept, a third of what is held out would have
    been trained on.
    """
    from pydoc_data.topics import topics

    paragraphs = (part for name in sorted(topics) for part in topics[name].strip().split("\n\n"))
    return "\n\n".join(dict.fromkeys(paragraphs))


def split(tokens: list[str]) -> dict[str, list[str]]:
    """Own text into train, valid, test by blocks, so that all three are alike; needs 10,000
    tokens.
    """
    if len(tokens) < SMALLEST:
        raise CorpusError(
            f"at least {SMALLEST:,} tokens",
            f"{len(tokens):,}",
            "take a longer text, with blanks between its words",
        )
    rounds = {part: [] for part in PARTS}
    for start in range(0, len(tokens), BLOCK):
        place = start // BLOCK % BLOCKS_PER_ROUND
        rounds[{8: "valid", 9: "test"}.get(place, "train")] += tokens[start : start + BLOCK]
    return rounds


def encode(name: str, parts: dict[str, list[str]], vocab_size: int) -> Corpus:
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
    return Corpus(name, **arrays, vocabulary=tuple(vocabulary), types=types, sha256=digest(parts))
