"""What needs a browser or Coq is skipped, by name, on a machine that has none."""

import os
import re
import subprocess
import sys

import pytest
from ledgerbook.coq import prove
from ledgerbook.project.project import current

from tests import needed

BARE = current().root / ".ci/bare"
PROGRAMS = {"chromium": "Chromium", "chromedriver": "Chromium", "pdftotext": "pdftotext"}
PROGRAMS |= {"coqc": "Coq", "coqdep": "Coq"}


@pytest.fixture
def only(tmp_path, monkeypatch):
    """The function that makes these programs, which do nothing, the only ones of PATH."""

    def put(*names):
        for name in names:
            (tmp_path / name).write_text("#!/bin/sh\n", encoding="utf-8")
            (tmp_path / name).chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))

    return put


ALL = {"chromium", "chromedriver", "pdftotext", *prove.TOOLS}


@pytest.mark.parametrize("name", ["chromium", "chromium-browser", "google-chrome"])
def test_where_all_are_there_nothing_is_missing(only, name):
    only(*ALL - {"chromium"}, name)
    assert list(map(needed.missing, needed.PROGRAMS)) == [None, None, None]


@pytest.mark.parametrize("gone", PROGRAMS)
def test_each_program_that_is_gone_is_missed(only, gone):
    """Chromium without its driver is no browser: Selenium would look for one by itself."""
    only(*ALL - {gone})
    missed = [name for name in needed.PROGRAMS if needed.missing(name)]
    assert missed == [PROGRAMS[gone]] and "apt-get install" in needed.missing(missed[0])


def test_what_needs_a_program_is_skipped_by_name_where_it_is_hidden():
    """As ``.ci/run`` asks it of all tests."""
    files = ("tests/tooling/test_moving.py", "tests/tooling/test_prove.py")
    command = ["bash", BARE, sys.executable, "-m", "pytest", "--color=no", "-m", "needs", *files]
    done = subprocess.run(command, cwd=current().root, capture_output=True, text=True, timeout=120)
    *skipped, counts = done.stdout.splitlines()[-4:]
    assert done.returncode == 0 and re.match(r"\d+ skipped, \d+ deselected", counts), done.stdout
    assert [re.search("no (Coq|Chromium)", line).group(1) for line in skipped] == [
        "Chromium",
        "Coq",
        "Coq",
    ]


def test_the_bare_machine_has_all_else(only, tmp_path):
    usual = os.environ["PATH"]
    only("chromium", "chromium-browser", "coqtop", "node", "gcc-12", "c++", "make", "cccc")
    env = os.environ | {"PATH": f"{usual}:{tmp_path}"}
    command = ["bash", BARE, "sh", "-c", 'cd "${PATH##*:}" && echo *']
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["cccc", "make"]
    assert subprocess.run(["bash", BARE, "sh", "-c", "exit 3"], env=env).returncode == 3
