"""What ``make book`` does and says: what is rendered, executed, stored, and what is its end."""

import contextlib
from types import SimpleNamespace

import pytest
from ledgerbook.chapters import collect, notebooks, registry
from ledgerbook.commands import book
from ledgerbook.execution import execute, run_records
from ledgerbook.project import tempdirs
from ledgerbook.regression import reproduce
from ledgerbook.regression.reproduce import (
    ALTERED,
    DRIFT,
    ELSEWHERE,
    FROM_HERE,
    REPRODUCED,
    STORED,
    Verdict,
)
from ledgerbook.site import sphinx_build


class Project:
    """Three chapters; what a run does with them stands in ``done``."""

    def __init__(self, folder):
        self.done, self.held = [], False
        self.stale, self.damaged, self.surprises = set(), set(), []
        self.outcomes, self.built = {}, iter(())
        self.rows = {
            tag: SimpleNamespace(
                tag=tag, chapter=folder / tag, docname=f"book/{tag}", written=True, home=""
            )
            for tag in ("p.a", "p.b", "p.c")
        }

    @contextlib.contextmanager
    def only_run(self):
        self.held = True
        yield
        self.held = False

    def did(self, *words):
        assert self.held, "another run may be under way"
        self.done.append(" ".join(words))

    def build(self):
        self.did("build")
        found = next(self.built, False)
        if isinstance(found, str):
            raise sphinx_build.BuildError(found)
        return found

    def read(self, chapter):
        if chapter.name in self.damaged:
            raise ValueError(f"{chapter.name} is no notebook")

    def verdict(self, row, run, force):
        assert run == f"the run of {row.tag}"
        outcome, *lines = self.outcomes.get(row.tag, [REPRODUCED])
        return Verdict(outcome, tuple(lines))


@pytest.fixture
def three(tmp_path, monkeypatch):
    """A project of three chapters, in which nothing is executed and no page is made."""
    made = Project(tmp_path)
    monkeypatch.setattr(tempdirs, "only_run", made.only_run)
    monkeypatch.setattr(tempdirs, "sweep", lambda: made.did("sweep"))
    monkeypatch.setattr(sphinx_build, "build", made.build)
    monkeypatch.setattr(notebooks, "read", made.read)
    monkeypatch.setattr(reproduce, "verdict", made.verdict)
    monkeypatch.setattr(reproduce, "store", lambda row, found: found)
    monkeypatch.setattr(run_records, "last", lambda row: f"the run of {row.tag}")
    monkeypatch.setattr(run_records, "is_fresh", lambda row: row.tag not in made.stale)

    asked = lambda rows: made.did("execute", *(row.tag for row in rows))
    monkeypatch.setattr(execute, "execute_all", asked)
    monkeypatch.setattr(collect, "renewed", lambda: made.did("store the ledger") or "the ledger")
    monkeypatch.setattr(collect, "all_surprises", lambda ledger: made.surprises)
    monkeypatch.setattr(collect, "summary", lambda ledger: f"summary of {ledger}")
    monkeypatch.setattr(book, "statement", made.rows.__getitem__)
    monkeypatch.setattr(book, "written", lambda: [r for r in made.rows.values() if r.written])
    return made


def run(only=(), force=False, no_pages=False):
    return book.book(only=list(only), force=force, no_pages=no_pages)


def test_where_nothing_is_new_the_pages_are_looked_at_once(three, capsys):
    three.outcomes = {"p.b": [FROM_HERE]}
    assert run() == 0
    assert three.done == ["sweep", "execute", "store the ledger", "build"]
    assert capsys.readouterr().out.splitlines() == [
        "up to date: _build/html/index.html",
        f"executed 0 of 3 chapters: 2 {REPRODUCED}, 1 {FROM_HERE}",
        "summary of the ledger",
    ]


def test_what_is_new_is_executed_stored_and_shown(three, capsys):
    three.stale, three.built = {"p.b", "p.c"}, iter([True])
    assert run() == 0
    assert three.done == ["sweep", "execute p.b p.c", "store the ledger", "build"]
    assert capsys.readouterr().out.splitlines()[:2] == [
        "executing 2 of 3 chapters for comparison",
        "built: _build/html/index.html",
    ]


@pytest.mark.parametrize(
    ("outcome", "status", "line"),
    [
        ([STORED], 0, "STORED ANEW p.b: nothing moved"),
        ([STORED, "row a moved"], 0, "STORED ANEW p.b: row a moved"),
        ([ELSEWHERE, "no GPU"], 0, "NOT COMPARED p.b: no GPU"),
        ([DRIFT, "row a", "row b"], 1, "DRIFT p.b: row b"),
        ([ALTERED, "row a"], 1, "ALTERED BY HAND p.b: row a"),
    ],
)
def test_what_differs_is_said_stored_and_shown(three, capsys, outcome, status, line):
    three.outcomes = {"p.b": outcome}
    assert run() == status
    assert three.done[-2:] == ["store the ledger", "build"]
    said = capsys.readouterr().out
    assert line in said.splitlines() and "p.a" not in said


@pytest.mark.parametrize(
    ("asked", "done"),
    [
        ({"force": True}, ["execute p.a p.b p.c", "store the ledger", "build"]),
        ({"only": ["p.b", "p.c", "p.b"]}, ["execute p.b", "store the ledger"]),
        ({"no_pages": True}, ["execute p.a p.b", "store the ledger"]),
    ],
)
def test_what_one_asks_for_is_executed_and_stored(three, asked, done):
    three.stale = {"p.a", "p.b"}
    assert run(**asked) == 0 and three.done == ["sweep", *done]


def test_a_damaged_chapter_is_named_and_the_others_are_executed(three, capsys):
    three.damaged, three.stale = {"p.b"}, {"p.a", "p.b"}
    assert run() == 1
    assert three.done == ["sweep", "execute p.a", "store the ledger"]
    said = capsys.readouterr().out.splitlines()
    assert [line for line in said if "p.b is no" in line] == ["FAILED no pages: p.b is no notebook"]
    assert said[-2] == f"executed 1 of 3 chapters: 2 {REPRODUCED}"


def test_pages_that_fail_are_said_after_all_is_stored(three, capsys):
    three.built = iter(["a warning"])
    assert run() == 1
    assert three.done[-2:] == ["store the ledger", "build"]
    said = capsys.readouterr().out.splitlines()
    assert "FAILED a warning" in said and said[-1] == "summary of the ledger"


def test_a_surprise_is_a_failure(three, capsys):
    three.surprises = ["p.c: row d fails"]
    assert run() == 1
    assert "FAILED p.c: row d fails\n" in capsys.readouterr().out


def test_the_pages_alone_execute_nothing(three, capsys):
    assert book.pages() == 0
    assert three.done == ["sweep", "build"] and "up to date" in capsys.readouterr().out
    three.built = iter(["a warning"])
    assert book.pages() == 1
    assert capsys.readouterr().out == "FAILED a warning\n"


def test_a_listed_chapter_that_is_not_there_is_said_and_one_whose_rows_are_is_a_failure(
    three, capsys, monkeypatch, tmp_path
):
    gone = SimpleNamespace(tag="p.d", chapter=tmp_path / "d.ipynb", written=False)
    monkeypatch.setattr(book, "statements", lambda: three.rows | {"p.d": gone})
    monkeypatch.setattr(registry, "declared", dict)
    assert book.book([], False, False) == 0
    assert f"NOT WRITTEN p.d: {gone.chapter} is not there" in capsys.readouterr().out
    monkeypatch.setattr(registry, "declared", lambda: {"p.d": tmp_path / "d.py"})
    assert book.book([], False, False) == 1
    assert f"FAILED p.d: {tmp_path / 'd.py'} has its rows, its notebook" in capsys.readouterr().out
