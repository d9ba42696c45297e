"""The Makefile hands over what was typed, to the letter, and never to a shell."""

import os
import re
import shutil
import subprocess

import pytest
from ledgerbook.project.project import current

ECHO = """#!/bin/sh
for word in "$@"; do printf '<%s>' "$word"; done
"""


@pytest.fixture(params=["MAKE", "MAKE_3_81"])
def make(tmp_path, request):
    """Runs the Makefile in a folder where Python only repeats its arguments; by macOS's make, too,
    where ``MAKE_3_81`` names one.
    """
    program = os.environ.get(request.param, "make" if request.param == "MAKE" else None)
    if program is None:
        pytest.skip("no GNU make 3.81: MAKE_3_81 names one")
    shutil.copy(current().root / "Makefile", tmp_path)
    (tmp_path / ".venv/bin").mkdir(parents=True)
    for name in ("python", "python3"):
        (tmp_path / ".venv/bin" / name).write_text(ECHO)
        (tmp_path / ".venv/bin" / name).chmod(0o755)

    def run(*words):
        command = [program, "--no-print-directory", "PYTHON=true", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        assert {file.name for file in tmp_path.iterdir()} == {"Makefile", ".venv"}
        return done.stdout

    return run


@pytest.mark.parametrize(
    "text",
    ["M=200", "M=`touch FILE`", '"; touch FILE; echo "', "$(touch FILE) $HOME", "a\nb", "'", ""],
)
def test_nothing_that_is_typed_is_executed(make, text):
    assert make("chapter", f"CH={text}", f"P={text}") == (
        f"<-m><tooling><chapter><--><{text}><{text}>"
    )
    assert make("sweep", f"GRID={text}") == f"<-m><tooling><sweep><{text}>"
    assert make("new", f"CH={text}") == f"<-m><tooling><new><--><{text}>"
    assert make("book", "ONLY=a.b c.d") == "<-m><tooling><book><--only><a.b><c.d>"


def test_export_stands_in_a_line_of_its_own():
    """GNU make 3.81 takes ``override export P`` for a name, and expands what is typed as P."""
    for folder in (current().root, current().root / "ledgerbook/src/ledgerbook/template"):
        text = (folder / "Makefile").read_text(encoding="utf-8")
        given = re.findall(r"(?m)^override (.*)$", text)
        names = re.findall(r"(?m)^export ([A-Z ]+)$", text)[0].split()
        assert [re.sub(r" +", " ", line) for line in given] == [
            f"{name} := $(value {name})" for name in names
        ]


def test_every_target_is_listed(make):
    listed = {line.split()[1] for line in make("help").splitlines()}
    text = (current().root / "Makefile").read_text(encoding="utf-8")
    phony = text.partition(".PHONY:")[2].split()
    assert listed == set(phony) - {"help", "ready", "clean"} and len(listed) <= 20
