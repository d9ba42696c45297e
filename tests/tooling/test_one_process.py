"""The book's tests and the package's, which are about another companion, in one process."""

import subprocess
import sys

import pytest
from ledgerbook.project.project import current

OURS = ("tests/tooling/test_toc.py",)
THEIRS = tuple(f"ledgerbook/tests/test_{name}.py" for name in ("toc", "cite", "statements"))


@pytest.mark.parametrize("files", [OURS + THEIRS, THEIRS + OURS], ids=["ours", "theirs"])
def test_neither_works_on_the_other_s_companion_whichever_comes_first(files):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
    done = subprocess.run(
        command, cwd=current().root, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]
