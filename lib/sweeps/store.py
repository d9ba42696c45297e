"""Results on disk: one file for each finished run, with the settings and the code behind it.

A file is named by the run and by a hash of all its settings.  Inside stand the settings themselves
and the fingerprint of the code, so a damaged, exchanged or outdated file is noticed when read.
"""

import hashlib
import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lib.storage import write_atomically

HEAD = "head"  # member of the archive with settings, code and record, as JSON


class Run(NamedTuple):
    """One unit of work.  name: for people.  settings: plain data that the result depends on."""

    name: str
    settings: dict


class Result(NamedTuple):
    """What a run gave.  record: plain data for JSON.  arrays: name to numpy array."""

    record: dict
    arrays: dict


class Unusable(Exception):
    """The reason, in a few words, why a stored run cannot be used."""


def key(run: Run) -> str:
    """Hash (16 digits) of a run's settings."""
    return hashlib.sha256(_json(run.settings).encode()).hexdigest()[:16]


def path_of(folder: Path, run: Run) -> Path:
    """The file of a run in ``folder``."""
    return folder / f"{re.sub(r'[^A-Za-z0-9]+', '_', run.name).strip('_')}-{key(run)}.npz"


def save(folder: Path, run: Run, code: str, result: Result) -> None:
    """Write a run's result atomically."""
    head = _json({"settings": run.settings, "code": code, "record": result.record}).encode()
    arrays = {HEAD: np.frombuffer(head, dtype=np.uint8)} | result.arrays
    write_atomically(path_of(folder, run), npz_bytes(arrays))


def load(folder: Path, run: Run, code: str) -> Result:
    """The stored ``Result``; raises ``FileNotFoundError``, or ``Unusable`` with the reason."""
    path = path_of(folder, run)
    if not path.exists():
        raise FileNotFoundError(path)
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        head = json.loads(arrays.pop(HEAD).tobytes())
        settings, made_by, record = (head[name] for name in ("settings", "code", "record"))
    except Exception as error:  # a damaged archive fails in a dozen ways
        raise Unusable("damaged") from error
    if _json(settings) != _json(run.settings):
        raise Unusable("holds another run")
    if made_by != code:
        raise Unusable("made by other code")
    return Result(record, arrays)


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def npz_bytes(arrays: dict[str, Any]) -> bytes:
    """An ``.npz`` archive whose bytes depend on the named arrays alone: it has no time stamps."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), member.getvalue())
    return buffer.getvalue()
