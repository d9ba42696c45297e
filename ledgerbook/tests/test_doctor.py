"""What the doctor says of a made-up machine."""

import collections
import sys
from importlib.metadata import PackageNotFoundError

import pytest
from ledgerbook.chapters.statements import Statement
from ledgerbook.commands import doctor
from ledgerbook.coq import coq, proofs
from ledgerbook.project import paths


@pytest.fixture
def machine(project, monkeypatch):
    """A machine with a given number of bytes free."""

    def free(size):
        usage = collections.namedtuple("usage", "total used free")
        monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: usage(1, 1, int(size)))

    monkeypatch.setattr(sys, "version_info", (3, 12, 1, "final", 0))
    monkeypatch.setattr(doctor, "packages", lambda: iter(()))
    monkeypatch.setattr(doctor, "requires_python", lambda: ">=3.11")
    free(5 * 2**30)
    return free


@pytest.mark.parametrize(
    ("gibibytes", "said"),
    [(1.9, ["1.9 GiB of disk free, wanted 2"]), (2.0, []), (2.9, []), (1000, [])],
)
def test_a_disk_is_full_below_two_gibibytes(machine, gibibytes, said):
    machine(gibibytes * 2**30)
    assert list(doctor.problems()) == said


def test_python_is_named_by_its_three_numbers(machine, monkeypatch):
    monkeypatch.setattr(doctor, "requires_python", lambda: ">=3.13")
    assert list(doctor.problems()) == ["Python 3.12.1, wanted >=3.13"]


def test_the_machine_stands_in_the_first_line(machine, monkeypatch, capsys):
    monkeypatch.setattr(sys, "version", "3.12.1 (main)")
    monkeypatch.setattr(doctor.os, "cpu_count", lambda: 3)
    monkeypatch.setattr(doctor.collect, "collect", dict)
    for name in ("chapters", "proved"):
        monkeypatch.setattr(doctor, name, lambda: "")
    monkeypatch.setattr(doctor.collect, "summary", lambda ledger: "")
    assert doctor.main() == 0
    said = capsys.readouterr().out.splitlines()
    assert (said[0], said[-1]) == ("Python 3.12.1, 3 cores, 5 GiB free", "no problem found")
    machine(2**30)
    assert doctor.main() == 1
    assert capsys.readouterr().out.endswith("\nPROBLEM 1.0 GiB of disk free, wanted 2\n")


def test_another_version_than_the_pinned_one_is_a_problem_and_another_build_of_it_is_none(
    monkeypatch,
):
    here = {"torch": "2.1.0+cpu", "numpy": "1.0"}

    def version(name):
        if name not in here:
            raise PackageNotFoundError(name)
        return here[name]

    pins = {"torch": "2.1.0", "numpy": "1.1", "scipy": "1.2"}
    monkeypatch.setattr(doctor, "pins", lambda: pins)
    monkeypatch.setattr(doctor.importlib.metadata, "version", version)
    found = [line.partition(": run")[0] for line in doctor.packages()]
    assert found == ["numpy: 1.0, wanted 1.1", "scipy: missing, wanted 1.2"]


@pytest.mark.parametrize(("told", "wanted"), [({"requires-python": ">=3.9"}, ">=3.9"), ({}, "")])
def test_a_companion_says_which_python_it_runs_on_or_runs_on_any(monkeypatch, told, wanted):
    monkeypatch.setattr(doctor.project, "described", lambda: told)
    assert doctor.requires_python() == wanted


@pytest.mark.parametrize(("number", "more"), [(8, ""), (9, ", …")])
def test_of_many_chapters_to_execute_the_first_eight_are_named(monkeypatch, number, more):
    rows = [Statement(f"a.{letter}", "1", "x") for letter in "abcdefghi"[:number]]
    monkeypatch.setattr(doctor, "statements", lambda: {row.tag: row for row in rows})
    monkeypatch.setattr(doctor, "written", lambda: rows)
    monkeypatch.setattr(doctor.execute, "stale", list)
    names = "a.a, a.b, a.c, a.d, a.e, a.f, a.g, a.h"
    assert doctor.chapters().endswith(f"{number} to execute: {names}{more}")


def test_without_a_lock_nothing_is_pinned(project, monkeypatch):
    lock, other = project / "first.lock", project / "other.lock"
    other.write_text("numpy==1.0\n    # via scipy\nz3-solver==4.8\n", encoding="utf-8")
    for locks in ((), (lock,), (lock, other)):
        monkeypatch.setattr(paths, "LOCKS", locks)
        assert doctor.pins() == {}
    monkeypatch.setattr(paths, "LOCKS", (other, lock))
    assert doctor.pins() == {"numpy": "1.0", "z3-solver": "4.8"}


def test_a_statement_that_another_s_chapter_judges_waits_for_no_chapter(monkeypatch):
    rows = [Statement("a.x", "Lemma 1", "x"), Statement("a.y", "Lemma 2", "y")]
    rows.append(Statement("a.z", "Lemma 3", "z", home="a.x"))
    monkeypatch.setattr(doctor, "statements", lambda: {row.tag: row for row in rows})
    monkeypatch.setattr(doctor, "written", lambda: rows[:1])
    monkeypatch.setattr(doctor.execute, "stale", lambda rows: rows)
    assert doctor.chapters() == "1 of 2 written, 1 to execute: a.x"


@pytest.mark.parametrize(
    ("missing", "here"),
    [([], "Coq found"), (["coqc", "coqdep"], "coqc and coqdep missing, the record is shown")],
)
def test_proofs_are_counted_where_their_record_is_current(monkeypatch, missing, here):
    monkeypatch.setattr(proofs, "record", lambda: {"statements": {"a.x": {}, "a.y": {}}})
    monkeypatch.setattr(proofs, "is_current", lambda tag: tag == "a.x")
    monkeypatch.setattr(proofs, "theorems", lambda tag: [1, 2, 3])
    monkeypatch.setattr(coq, "missing_tools", lambda: missing)
    assert doctor.proved() == f"3 theorems of 1 of 2 statements recorded; {here}"
