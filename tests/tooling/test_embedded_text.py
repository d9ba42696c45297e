"""Which chapters can be compared on this Python."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from lib.real_text import corpus
from tooling import embedded_text


@pytest.mark.parametrize(
    "files, same, comparable",
    [
        (["corpus.py", "cells.py"], True, True),
        (["corpus.py", "cells.py"], False, False),
        (["cells.py"], True, True),
        (["cells.py"], False, True),
    ],
)
def test_only_a_chapter_that_reads_another_text_than_was_stored_is_not_compared(
    monkeypatch, files, same, comparable
):
    monkeypatch.setattr(embedded_text, "same", lambda: same)
    why = embedded_text.not_comparable(map(Path, files))
    assert (why is None) == comparable
    assert why is None or why.startswith("it reads the text that comes with Python")
    version = ".".join(map(str, sys.version_info[:2]))
    assert why is None or f"that of Python {version} is not" in why


@pytest.mark.parametrize(("sha256", "same"), [(corpus.EMBEDDED_SHA256, True), ("0" * 8, False)])
def test_a_text_is_the_same_if_its_fingerprint_is(monkeypatch, sha256, same):
    read = lambda name: {"embedded": SimpleNamespace(sha256=f"{sha256}01")}[name]
    monkeypatch.setattr(corpus, "load", read)
    assert embedded_text.same.__wrapped__() is same
