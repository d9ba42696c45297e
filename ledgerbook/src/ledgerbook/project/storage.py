"""Files that are whole or not there: written beside their place, then renamed.  Tables that people
and programs keep in files: read, and refused with the file's name.
"""

import json
import os
import tomllib
from contextlib import suppress
from pathlib import Path


def table(path):
    """What a file of JSON, TOML or YAML holds; empty for none, ``ValueError`` with its name."""
    path = Path(path)
    if not path.exists():
        return {}
    try:
        found = _read(path.read_text(encoding="utf-8-sig"), path.suffix)
        if not isinstance(found, dict):
            raise ValueError(f"it holds {type(found).__name__}, not names with their values")
    except Exception as error:  # of three readers, a dozen kinds
        name = os.path.relpath(path) if path.is_relative_to(Path.cwd()) else path
        reason = " ".join((getattr(error, "strerror", None) or str(error)).split())[:200]
        raise ValueError(f"{name}: {reason or type(error).__name__}") from None
    return found


def _read(text, suffix):
    if suffix == ".toml":
        return tomllib.loads(text)
    if suffix == ".json":
        return json.loads(text)
    import yaml

    return yaml.safe_load(text) or {}


def write_atomically(path, data):
    """Write a text or bytes so that what ``path`` leads to never holds half, even after a kill.

    Raises ``OSError`` with the name of the file, as when the disk is full.
    """
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.parent / f".{path.name}.{os.getpid()}.partial"
    try:
        with open(partial, "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError as error:  # a full disk names no file, and has no room for half of one
        with suppress(OSError):
            partial.unlink()
        raise type(error)(error.errno, error.strerror or str(error), str(path)) from None


def write_if_changed(path, text):
    """Write atomically, but leave the file and its time alone when it already says this."""
    try:
        same = Path(path).read_text(encoding="utf-8") == text
    except (FileNotFoundError, UnicodeDecodeError):
        same = False
    if not same:
        write_atomically(path, text)
