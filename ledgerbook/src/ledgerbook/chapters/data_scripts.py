"""Data for programs: packed JSON, and the scripts that pages fetch it by, also from a disk."""

import json
from pathlib import Path
from typing import Any

from ledgerbook.project import paths


def packed(value: Any) -> str:
    """JSON for a program to read: a quarter less than for a person."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def place(name: str) -> str:
    """The address of a script of data in the site."""
    return f"_static/{name}.js"


def write(site: Path, name: str, value: Any) -> None:
    """What ``dataOf(name)`` gives on every page: no JSON, which a page on a disk may not fetch."""
    paths.write_if_changed(site / place(name), f"window.{name} = {packed(value)};\n")
