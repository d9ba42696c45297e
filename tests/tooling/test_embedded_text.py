"""Which chapters can be compared on this Python."""

from pathlib import Path

import pytest

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
