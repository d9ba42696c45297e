"""What ``make`` installs first."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tooling import install


@pytest.mark.parametrize(
    "asked, wanted",
    [(["numpy", "nvidia-cublas==13"], True), (["cuda-bindings"], True), (["numpy"], False)],
)
def test_a_torch_that_asks_for_cuda_is_told_from_one_that_does_not(tmp_path, asked, wanted):
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho '{json.dumps(asked)}'\n", encoding="utf-8")
    python.chmod(0o755)
    assert install.wants_cuda(python) is wanted


@pytest.mark.parametrize(
    ("version", "good"),
    [((3, 10), False), ((3, 11), True), ((3, 13), True), ((3, 14), False), ((4, 0), False)],
)
def test_pythons_from_3_11_to_3_13_will_do(version, good):
    found = f"Python {version[0]}.{version[1]} found, 3.11 to 3.13 needed"
    assert (install.refusal((*version, 0)) or found).startswith(found)
    assert (install.refusal((*version, 0)) is None) == good


@pytest.fixture
def commands(monkeypatch):
    """Every command that is run; what ``fails`` says of one decides how it ends."""

    class Commands(list):
        fails = staticmethod(lambda command: False)

        def run(self, command, check=False, capture_output=False):
            self.append(list(map(str, command)))
            assert check or capture_output, "a try that may fail says nothing"
            status = int(self.fails(self[-1]))
            if check and status:
                raise subprocess.CalledProcessError(status, command)
            return subprocess.CompletedProcess(command, status)

        def installed(self):
            """What was asked for, by which program."""
            return [
                (Path(words[0]).name, [word for word in words if word.endswith(".lock")])
                for words in self
                if "install" in words and "--target" not in words and "--no-index" not in words
            ]

    found = Commands()
    monkeypatch.setattr(install.subprocess, "run", found.run)
    monkeypatch.setattr(install, "wants_cuda", lambda python: True)
    monkeypatch.setattr(install.shutil, "which", lambda name, path: name)
    return found


LOCKS = [[str(install.ROOT / name)] for name in ("requirements.lock", "cuda.lock")]


def test_where_uv_fails_pip_does_the_same(tmp_path, commands):
    commands.fails = lambda command: command[0] == "uv"
    install.install(tmp_path)
    wanted = [(program, lock) for lock in (*LOCKS, []) for program in ("uv", "python")]
    assert commands.installed() == wanted and install.is_ready(tmp_path)


@pytest.fixture
def asked(monkeypatch, commands):
    """The exit status for the words after the program's name, on a Python of this version."""

    def main(*words, version=(3, 13, 9, "final", 0)):
        monkeypatch.setattr(install.sys, "argv", ["install.py", *words])
        monkeypatch.setattr(install.sys, "version_info", version)
        return install.main()

    return main


def test_what_does_not_work_is_one_line(asked, commands, tmp_path, capsys):
    assert asked(str(tmp_path), version=(3, 14, 0, "final", 0)) == 2 and not commands
    assert capsys.readouterr().err.startswith("error: Python 3.14 found")
    commands.fails = lambda command: "uv" in command[0] or command[-1] in LOCKS[0]
    assert asked(str(tmp_path)) == 1 and not install.is_ready(tmp_path)
    python = tmp_path / "bin/python"
    assert capsys.readouterr().err == (
        f"error: {python} -m pip --disable-pip-version-check install … failed\n"
    )


@pytest.mark.parametrize("what", ["wheel", "sdist"])
def test_the_folder_s_packages_are_never_installed_as_everybody_s(tmp_path, what):
    code = f"import editable_only; editable_only.build_{what}({str(tmp_path)!r})"
    tooling = install.ROOT / "tooling"
    done = subprocess.run([sys.executable, "-c", code], cwd=tooling, capture_output=True, text=True)
    assert done.returncode and list(tmp_path.iterdir()) == []
    assert "pip install -e" in done.stderr.splitlines()[-1]
