"""The text that comes with Python: chapters that read it can be compared on one version only."""

import functools
import platform
from collections.abc import Iterable
from pathlib import Path


def not_comparable(files: Iterable[Path]) -> str | None:
    """Why a chapter that reaches ``files`` cannot be compared on this Python, or ``None``."""
    if all(path.name != "corpus.py" for path in files) or same():
        return None
    version = platform.python_version().rpartition(".")[0]
    return (
        f"it reads the text that comes with Python, and that of Python {version} is"
        " not the one of the stored outputs: executed, not compared"
    )


@functools.cache
def same() -> bool:
    """Whether this Python's embedded text is the one that the stored notebooks were run on."""
    from lib.real_text import corpus

    return corpus.comparable(corpus.load("embedded"))
