"""The one door: a bad request is one line and status 2, whatever kind of error it was."""

import subprocess
import sys
from types import SimpleNamespace

import pytest
from ledgerbook.commands import cli as door
from ledgerbook.project import paths

from tooling import sweep_command
from tooling.__main__ import more


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("M = 0, allowed: more"), "error: M = 0, allowed: more\n"),
        (
            OSError(98, "Address already in use"),
            "error: OSError: [Errno 98] Address already in use\n",
        ),
        (OverflowError("too large"), "error: OverflowError: too large\n"),
        (MemoryError(), "error: MemoryError: no more is known\n"),
        (KeyError("tag"), "error: KeyError: 'tag'\n"),
        (TypeError("two\nlines"), "error: TypeError: two lines\n"),
    ],
)
def test_an_error_is_one_line(monkeypatch, capsys, error, line):
    def refuse(arguments):
        raise error

    monkeypatch.setattr(door, "pages", refuse)
    assert door.main(["pages"]) == 2
    assert capsys.readouterr().err == line
    with pytest.raises(type(error)):
        door.main(["--traceback", "pages"])


def test_an_interruption_is_status_130(monkeypatch, capsys):
    def interrupt(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(door, "pages", interrupt)
    assert door.main(["pages"]) == 130
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["chapter", "--", "nope", ""], "error: CH = 'nope', allowed: a tag of"),
        (["chapter", "--", "a\nb", ""], "error: CH = 'a\\nb', allowed: a tag of"),
        (["chapter", "--", "--help", ""], "error: CH = '--help', allowed: a tag of"),
        (
            ["chapter", "--", "scan-snap.lemma-07", "M=M"],
            "error: M = 'M', allowed: a finite number",
        ),
        (
            ["new", "--", "scan-snap.lemma-07"],
            "error: CH = 'scan-snap.lemma-07', allowed: a chapter",
        ),
        (
            ["robust", "--only", "a.b"],
            "error: only = 'a.b', allowed: a tag that a class of checks/",
        ),
        (["robust", "--conditions", "x"], "error: conditions = 'x', allowed: seed-10007, "),
        (["resolution", "--only", "a.b"], "error: tag = 'a.b', allowed: one that a class of"),
    ],
)
def test_bad_requests_are_refused_by_name(capsys, words, line):
    assert door.main(words) == 2
    assert capsys.readouterr().err.startswith(line)


def test_a_command_without_options_ends_as_its_module_does(monkeypatch):
    module = SimpleNamespace(main=lambda: 3)
    monkeypatch.setitem(sys.modules, "ledgerbook.chapters.toc", module)
    assert door.main(["toc"]) == 3


def test_what_stands_behind_sweep_is_the_sweep_s_own(monkeypatch):
    asked = []
    monkeypatch.setattr(sweep_command, "main_and_leave", lambda rest: asked.append(rest) or 7)
    assert door.main(["sweep", "a.toml", "--seeds", "3"], more=more) == 7
    assert asked == [["a.toml", "--seeds", "3"]]


def test_the_door_opens_without_the_rest():
    """Nothing heavy is imported before ``main`` can say what an interruption means."""
    heavy = ["numpy", "nbformat", "papermill", "sphinx", "torch"]
    code = f"import sys, tooling.__main__; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=paths.ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
