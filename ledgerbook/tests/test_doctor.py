"""What the doctor says of a made-up machine."""

import collections
import sys
from importlib.metadata import PackageNotFoundError

import pytest
from ledgerbook.commands import doctor


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
