"""What the chapters with runs on a text share: which text, and how large its vocabulary is."""

from dataclasses import dataclass

from ledgerbook import Checks, once, text, whole
from lib.real_text.corpus import Corpus, load
from lib.real_text.words import read_text
from lib.validation import require


def named(argument: str, value: object) -> None:
    """A text's name; a file is looked into, WikiText-2 is found where it is read."""
    allowed = "'embedded', 'wikitext', or the path of a UTF-8 text file"
    require(isinstance(value, str) and value, argument, value, allowed)
    if value not in ("embedded", "wikitext"):
        read_text(value)


@dataclass
class OnText(Checks):
    """A chapter with runs on a text of the reader's choice."""

    corpus: str = text("embedded", named, ("embedded", "embedded"))
    vocab_size: int = whole(1000, 300, 1500)

    @once
    def text(self) -> Corpus:
        """The ``Corpus``."""
        return load(self.corpus, self.vocab_size)
