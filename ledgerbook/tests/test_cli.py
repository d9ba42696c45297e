"""The commands: what each hands over, what it ends with, what the help says."""

import os
import subprocess
import sys

import pytest
from ledgerbook.commands import book, chapter, cli
from ledgerbook.rows import witness


@pytest.mark.parametrize(
    ("words", "module", "expected"),
    [
        ("chapter a.b", chapter, dict(tag="a.b", parameters="")),
        ("chapter -- a.b M=2", chapter, dict(tag="a.b", parameters="M=2")),
        ("witness --only a c --every", witness, dict(only=["a", "c"], every=True)),
    ],
)
def test_a_command_hands_over_what_was_typed_and_ends_with_its_status(
    monkeypatch, words, module, expected
):
    given = {}
    monkeypatch.setattr(module, "main", lambda **typed: given.update(typed) or 7)
    assert cli.main(words.split()) == 7 and given == expected


def test_an_interruption_is_one_line_and_status_130(monkeypatch, capsys):
    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr(book, "pages", interrupt)
    assert cli.main(["pages"]) == 130
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("words", ["", "kills", "no-such-command"])
def test_what_is_missing_or_unknown_is_a_usage_and_status_two(capsys, words):
    with pytest.raises(SystemExit) as ended:
        cli.main(words.split())
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("usage: python -m ledgerbook")


def test_an_error_is_one_line_unless_one_asks_where_it_came_from(capsys, monkeypatch):
    def refuse():
        raise ValueError("M = 0,\n allowed: more")

    monkeypatch.setattr(sys.modules[__name__], "refuse", refuse, raising=False)

    def more(add):
        add("own", f"{__name__}:refuse", "Refuse.")

    assert cli.main(["own"], more=more) == 2
    assert capsys.readouterr().err == "error: M = 0, allowed: more\n"
    with pytest.raises(ValueError, match="M = 0"):
        cli.main(["--traceback", "own"], more=more)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("what is wrong"), "what is wrong"),
        (KeyError("tag"), "KeyError: 'tag'"),
        (UnicodeError("no text"), "UnicodeError: no text"),  # a kind of ``ValueError``
        (MemoryError(), "MemoryError: no more is known"),
    ],
)
def test_the_kind_of_an_error_is_said_where_the_words_may_not_tell(error, words):
    assert cli.refused(error) == words


def test_a_package_that_is_missing_is_one_line_that_says_where_it_comes_from(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "papermill", None)  # its import fails
    for name in [one for one in sys.modules if one.startswith("ledgerbook.commands.")]:
        if not name.endswith(".cli"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "ledgerbook.execution.execute", raising=False)
    monkeypatch.delattr("ledgerbook.execution.execute", raising=False)
    assert cli.main(["book"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ") and said.count("\n") == 1 and "papermill" in said
    assert said.endswith("pip install 'ledgerbook[book]'\n")


def test_a_file_that_hides_a_module_of_pythons_is_named(capsys, monkeypatch, tmp_path):
    (tmp_path / "random.py").touch()
    monkeypatch.chdir(tmp_path)

    def missing():
        raise ModuleNotFoundError("No module named 'x'", name="x")

    monkeypatch.setattr(sys.modules[__name__], "missing", missing, raising=False)
    assert cli.main(["own"], more=lambda add: add("own", f"{__name__}:missing", "-")) == 2
    assert capsys.readouterr().err == (
        "error: No module named 'x': random.py in this folder hides a module of Python's own\n"
    )


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="Linux only")
def test_a_command_whose_output_was_closed_has_its_first_three_files_open(tmp_path):
    """As ``>&-`` or a service manager leaves it: the next file would be standard output."""
    code = (
        "import os, sys; os.close(1); from ledgerbook.commands import cli;"
        " cli.main(['own'], more=lambda add: add('own', 'builtins:print', '-'));"
        " print(os.readlink('/proc/self/fd/1'), os.get_inheritable(1), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == f"{os.devnull} True"
