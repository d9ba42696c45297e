"""An older processor is asked in a copy, and its digits are compared with the stored ones."""

import platform
import sys
from types import SimpleNamespace

import pytest

from ledgerbook import elsewhere


@pytest.mark.parametrize(
    ("machine", "kernels", "tags", "words"),
    [
        ("arm64", "sse", (), "x86_64"),
        ("x86_64", "abacus", (), "sse"),
        ("x86_64", "sse", ("textbook.moon",), "moon"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_is_copied(
    monkeypatch, machine, kernels, tags, words
):
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(elsewhere, "copies", lambda *given: pytest.fail("copied"))
    with pytest.raises(ValueError, match=words):
        elsewhere.main(tags, kernels)


def test_the_book_is_asked_in_a_copy_that_goes_whatever_it_says(tmp_path, monkeypatch):
    asked = []

    def run(command, cwd, env):
        asked.append((command, cwd, env))
        return SimpleNamespace(returncode=1)

    monkeypatch.setattr(platform, "machine", lambda: "AMD64")
    monkeypatch.setattr(elsewhere, "copies", lambda number, name: [tmp_path / name] * number)
    monkeypatch.setattr(elsewhere.subprocess, "run", run)
    for tags, kernels in ((("textbook.theorem-01",), "avx2"), ((), "sse")):
        (tmp_path / "elsewhere").mkdir()
        assert elsewhere.main(tags, kernels) == 1
        assert not (tmp_path / "elsewhere").exists()
    (some, cwd, env), (everything, _, older) = asked
    assert some[1:] == [*everything[1:], "--only", "textbook.theorem-01"]
    assert everything == [sys.executable, "-m", "ledgerbook", "book", "--no-pages"]
    assert cwd == tmp_path / "elsewhere" and env.items() >= elsewhere.OLDER["avx2"].items()
    assert older.items() >= elsewhere.OLDER["sse"].items()
    assert env[elsewhere.project.VARIABLE] == str(cwd)
    assert env["PYTHONPATH"] == elsewhere.paths.python_path(cwd)


def test_a_digit_that_depends_on_the_kernels_is_drift(executed_in, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)  # some machines set it for all
    book, only = executed_in(tmp_path, "power_iteration"), ("--only", "textbook.corollary-01")
    tell = "print(os.environ.get('OPENBLAS_CORETYPE', 'this one'))"
    file = "book/textbook/corollary_01.ipynb"
    book.replace(file, "worst = []", f"import os; {tell}; worst = []")
    code, said = book.run("book", "--no-pages", *only)
    assert code == 0, said
    whole = (book.root / file).read_bytes()
    code, said = book.run("elsewhere", *only, "--kernels", "avx2")
    assert code == 1 and "stored 'this one', computed 'Haswell'" in said, said
    assert (book.root / file).read_bytes() == whole


def test_a_chapter_without_such_digits_is_reproduced(executed_in, tmp_path):
    """On the oldest kernels, which are taken where none are named."""
    code, said = executed_in(tmp_path, "power_iteration").run("elsewhere")
    assert code == 0 and "2 reproduced here" in said, said
