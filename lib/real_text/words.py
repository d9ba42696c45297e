"""Reading text files, splitting them into tokens, their checksum, and the error for bad texts."""

import hashlib
import re
from pathlib import Path

PARTS = ("train", "valid", "test")
UNKNOWN, END = "<unk>", "<eos>"
LARGEST = 100_000_000  # bytes of a file: in memory a text takes some 25 times its size
TOKEN = re.compile(rf"{UNKNOWN}|{END}|\w+|([^\w\s])\1*")


class CorpusError(ValueError):
    """Raised for a text that is missing, cut short or altered.  The message says what was
    expected and found, and what to do.
    """

    def __init__(self, expected: str, found: str, remedy: str) -> None:
        super().__init__(f"corpus: expected {expected}; found {found}; to do: {remedy}")


def read_text(path: str | Path) -> str:
    """A file's text, without a byte order mark.

    Raises ``CorpusError`` if it is missing, not UTF-8, or larger than ``LARGEST``.
    """
    path = Path(path)
    remedy = "name an existing UTF-8 text file, or 'embedded', or 'wikitext'"
    try:
        size = path.stat().st_size if path.is_file() else None
    except (OSError, ValueError):  # a name that no file can have
        size = None
    if size is None:
        name = str(path) if len(str(path)) < 300 else f"{str(path)[:50]}…"
        raise CorpusError("a text file", f"no file {name}", remedy)
    if size > LARGEST:
        raise CorpusError(
            f"at most {LARGEST // 1_000_000} MB of text", f"{size // 1_000_000} MB", "take a part"
        )
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise CorpusError(
            "UTF-8 text", f"byte {error.start} of {path} is not UTF-8", "convert the file to UTF-8"
        ) from None


def tokenize(text: str) -> list[str]:
    """Words and runs of one punctuation mark, case kept; ``<eos>`` ends each paragraph.

    A paragraph ends at a blank line.  ``<unk>`` and ``<eos>`` in the text stay one token each.
    """
    tokens = []
    for paragraph in re.split(r"\n\s*\n", text):
        found = [match.group() for match in TOKEN.finditer(paragraph)]
        tokens += [*found, END] if found else []
    return tokens


def digest(parts: dict[str, list[str]]) -> str:
    """Checksum of a text: SHA-256 of the words of all parts.  Blanks and line ends do not count."""
    return hashlib.sha256("\n".join(" ".join(parts[part]) for part in PARTS).encode()).hexdigest()
