"""The one door: a bad request is one line and status 2, whatever kind of error it was."""

import subprocess
import sys

import pytest
from ledgerbook.commands import cli as door
from ledgerbook.project.project import current


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["chapter", "--", "nope", ""], "error: CH = 'nope', allowed: a tag of"),
        (["chapter", "--", "a\nb", ""], "error: CH = 'a\\nb', allowed: a tag of"),
        (["chapter", "--", "--help", ""], "error: CH = '--help', allowed: a tag of"),
        (
            ["chapter", "--", "scan-snap.lemma-07", "M=M"],
            "error: M = 'M', allowed: a whole number",
        ),
        (
            ["new", "--", "scan-snap.lemma-07"],
            "error: CH = 'scan-snap.lemma-07', allowed: a chapter",
        ),
        (["witness", "--only", "a.b"], "error: tag = 'a.b', allowed: one that a class of"),
    ],
)
def test_bad_requests_are_refused_by_name(capsys, words, line):
    assert door.main(words) == 2
    assert capsys.readouterr().err.startswith(line)


def test_the_door_opens_without_the_rest():
    """Nothing heavy is imported before ``main`` can say what an interruption means."""
    heavy = ["numpy", "nbformat", "papermill", "sphinx", "torch"]
    code = f"import sys, tooling.__main__; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=current().root, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
