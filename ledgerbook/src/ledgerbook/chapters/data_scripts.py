"""Data for programs: packed JSON, and the scripts that pages fetch it by, also from a disk."""

import json
from pathlib import Path
from typing import Any

from ledgerbook.project import paths


def packed(value: Any, **options: Any) -> str:
    """JSON for a program to read: a quarter less than for a person."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), **options)


def place(name: str) -> str:
    """The address of a script of data in the site."""
    return f"_static/{name}.js"


def write(site: Path, name: str, value: Any) -> None:
    """What ``dataOf(name)`` of ``static/data.js`` gives on every page of a site.

    A script and no JSON file: a page that is opened from a disk may not fetch one.
    """
    paths.write_if_changed(site / place(name), f"window.{name} = {packed(value)};\n")
