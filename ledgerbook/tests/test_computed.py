"""A folder of the site is written by the module that the command names."""

import runpy
import sys

from ledgerbook.site import computed

WRITE = "def write(folder):\n    folder.mkdir()\n    (folder / __name__).touch()\n"


def test_the_module_writes_into_the_folder(package, tmp_path, monkeypatch):
    package("made_up", __init__="", drawn=WRITE)
    monkeypatch.setattr(sys, "argv", ["computed", "made_up.drawn", str(tmp_path / "site")])
    runpy.run_path(computed.__file__, run_name="__main__")
    assert [file.name for file in (tmp_path / "site").iterdir()] == ["made_up.drawn"]
