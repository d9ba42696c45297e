"""Data for the scripts of the site, as JavaScript files that each assign one global variable.

A page that is opened from a disk may load a script and may not fetch a JSON file.
"""

import json
from pathlib import Path
from typing import Any

from ledgerbook.project import storage


def packed(value: Any) -> str:
    """A value as compact JSON, without blanks and with characters outside ASCII as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def place(name: str) -> str:
    """The path of a data script below the site's folder: ``_static/NAME.js``."""
    return f"_static/{name}.js"


def write(site: Path, name: str, value: Any) -> None:
    """Write the script that defines ``window.NAME`` with a value, if its content has changed."""
    storage.write_if_changed(site / place(name), f"window.{name} = {packed(value)};\n")
