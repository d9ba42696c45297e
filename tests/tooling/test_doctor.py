"""What the doctor finds: the packages, the Python, the disk."""

import collections
import importlib.metadata
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from ledgerbook.chapters.statements import written
from ledgerbook.commands import doctor
from ledgerbook.project import paths

from tooling import install, lock


def test_every_requirement_is_looked_at():
    lines = paths.LOCKS[0].read_text(encoding="utf-8").splitlines()
    assert len(doctor.pins()) == sum(line[:1].isalpha() for line in lines)
    assert doctor.pins()["jupyter-book"] == "1.0.4.post1"


def test_another_version_and_a_missing_package_are_named(monkeypatch):
    def version(name):
        if name == "numpy":
            return "1.0"
        if name == "torch":
            return "2.13.0+cpu"
        if name == "scipy":
            raise importlib.metadata.PackageNotFoundError(name)
        return doctor.pins()[name]

    monkeypatch.setattr(importlib.metadata, "version", version)
    found = [line.partition(",")[0] for line in doctor.packages()]
    assert found == ["numpy: 1.0", "scipy: missing"]


@pytest.mark.parametrize("number", [0, 1, 3])
def test_the_status_says_whether_and_the_lines_say_what(monkeypatch, capsys, number):
    monkeypatch.setattr(doctor, "problems", lambda: [f"no {k}" for k in range(number)])
    for name in ("chapters", "proved"):
        monkeypatch.setattr(doctor, name, lambda: "")
    monkeypatch.setattr(doctor.collect, "collect", dict)
    monkeypatch.setattr(doctor.collect, "summary", lambda ledger: "")
    assert doctor.main() == (number > 0)
    assert capsys.readouterr().out.count("PROBLEM no") == number


def test_a_full_disk_and_another_python_are_problems(monkeypatch):
    usage = collections.namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(1, 1, 2**20))
    monkeypatch.setattr(sys, "version_info", (3, 10, 1))
    monkeypatch.setattr(doctor, "packages", lambda: iter(()))
    assert [line.partition(",")[0] for line in doctor.problems()] == [
        "Python 3.10.1",
        "0.0 GiB of disk free",
    ]


def test_install_is_done_when_the_locks_are_those_it_copied(tmp_path):
    assert not install.is_ready(tmp_path)
    (tmp_path / ".ready").write_text(install.wanted(), encoding="utf-8")
    assert install.is_ready(tmp_path)
    (tmp_path / ".ready").write_text(install.wanted() + "#", encoding="utf-8")
    assert not install.is_ready(tmp_path)
    assert [install.refusal((3, k, 0)) is None for k in range(10, 15)] == [0, 1, 1, 1, 0]


@pytest.mark.parametrize("fails", [(), ("uv",), ("installer.lock",)])
def test_what_uv_cannot_install_pip_does(tmp_path, monkeypatch, fails):
    done = []

    def run(command, **options):
        words = [str(word) for word in command]
        tool = "uv" if Path(words[0]).name == "uv" else "pip" if "pip" in words else "venv"
        failed = any(tool == name or words[-1].endswith(name) for name in fails)
        if failed and options.get("check"):
            raise subprocess.CalledProcessError(1, words)
        if words[-1].endswith("installer.lock") and not failed:
            uv = Path(words[words.index("--target") + 1], "bin/uv")
            uv.parent.mkdir(parents=True)
            uv.touch(0o755)
        done.extend([(tool, words[-1].rpartition("/")[2])] if not failed else [])
        return subprocess.CompletedProcess(words, int(failed), stdout="[]")

    monkeypatch.setattr(install.subprocess, "run", run)
    install.install(tmp_path)
    tools = {name: tool for tool, name in done if name not in ("requirements.txt", tmp_path.name)}
    other = "pip" if fails else "uv"
    assert (tools["requirements.lock"], tools[paths.ROOT.name]) == (other, other)
    assert install.is_ready(tmp_path)


def test_what_only_cuda_needs_has_a_lock_of_its_own():
    everything = lock.entries(
        "torch==2.0 \\\n    --hash=sha256:a\nnvidia==1 ; linux \\\n    -h\nx==1\n"
    )
    assert list(everything) == ["nvidia==1", "torch==2.0", "x==1"]
    parts = lock.split(everything, {"x==1": "x==1"})
    assert lock.entries(parts["cuda.lock"]) == {"nvidia==1": everything["nvidia==1"]}
    assert list(lock.entries(parts["requirements.lock"])) == ["torch==2.0", "x==1"]
    for name in parts:
        stored = (paths.ROOT / name).read_text(encoding="utf-8")
        assert lock.split(lock.entries(stored), lock.entries(stored))["requirements.lock"]
    cuda = lock.entries((paths.ROOT / "cuda.lock").read_text(encoding="utf-8"))
    assert all(name.startswith(("nvidia-", "cuda-", "triton==")) for name in cuda)


@pytest.mark.parametrize(("number", "more"), [(1, ""), (8, ""), (9, ", …")])
def test_at_most_eight_chapters_to_execute_are_named(monkeypatch, number, more):
    stale = written()[:number]
    monkeypatch.setattr(doctor.execute, "stale", lambda rows: stale)
    names = ", ".join(row.tag for row in stale[:8])
    assert doctor.chapters().endswith(f" written, {number} to execute: {names}{more}")
