"""What the doctor says of a made-up machine."""

import os
from importlib.metadata import PackageNotFoundError

import pytest
from ledgerbook.commands import doctor
from ledgerbook.project import paths


def test_another_version_than_the_pinned_one_is_a_problem_and_another_build_of_it_is_none(
    tmp_path, monkeypatch
):
    here = {"torch": "2.1.0+cpu", "numpy": "1.0"}

    def version(name):
        if name not in here:
            raise PackageNotFoundError(name)
        return here[name]

    pinned = tmp_path / "requirements.txt"
    pinned.write_text("# a == b\n\ntorch==2.1.0\nnumpy==1.1\nscipy==1.2\n", encoding="utf-8")
    monkeypatch.setattr(paths, "LOCKS", (pinned,))
    monkeypatch.setattr(doctor.importlib.metadata, "version", version)
    found = [line.partition(": run")[0] for line in doctor.problems()]
    assert found[-2:] == ["numpy: 1.0, wanted 1.1", "scipy: missing, wanted 1.2"]


@pytest.mark.parametrize(
    ("says", "warned"),
    [("v2.1.7", "is Jupyter Book 2,"), ("Jupyter Book      : 1.0.4.post1", None), ("", "is not")],
)
def test_a_jupyter_book_that_makes_no_site_of_this_is_told(says, warned, tmp_path, monkeypatch):
    program = tmp_path / "jupyter-book"
    program.write_text(f"#!/bin/sh\necho '{says}'\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    told = doctor.other_program()
    assert (
        told is None if warned is None else f"{program} stands first on PATH and {warned}" in told
    )
