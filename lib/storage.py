"""Atomic writes: a file is written under a temporary name, then renamed."""

import os
from contextlib import suppress
from pathlib import Path


def write_atomically(path: str | Path, data: bytes) -> None:
    """Write the bytes ``data`` to ``path`` atomically: even after a kill no half of them is there.

    Folders that are missing are made.  What a killed process leaves is ``.<name>.<pid>.partial``.
    Raises ``OSError`` with the name of ``path``, as when the disk is full.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.parent / f".{path.name}.{os.getpid()}.partial"
    try:
        with open(partial, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError as error:  # a full disk names no file, and has no room for half of one
        with suppress(OSError):
            partial.unlink()
        raise type(error)(error.errno, error.strerror or str(error), str(path)) from None
