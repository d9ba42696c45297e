"""Which chapters can be compared on this Python."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from lib.real_text import corpus
from tooling import embedded_text


@pytest.mark.parametrize(("sha256", "same"), [(corpus.EMBEDDED_SHA256, True), ("0" * 8, False)])
def test_only_a_chapter_that_reads_another_text_than_was_stored_is_not_compared(
    monkeypatch, sha256, same
):
    """A text is the same if its fingerprint is."""
    read = lambda name: {"embedded": SimpleNamespace(sha256=f"{sha256}01")}[name]
    monkeypatch.setattr(corpus, "load", read)
    monkeypatch.setattr(embedded_text, "same", embedded_text.same.__wrapped__)
    assert embedded_text.not_comparable([Path("cells.py")]) is None
    why = embedded_text.not_comparable([Path("corpus.py"), Path("cells.py")])
    version = ".".join(map(str, sys.version_info[:2]))
    assert why is None if same else f"that of Python {version} is not" in why
