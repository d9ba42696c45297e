"""Files that are whole or not there: written beside their place, then renamed."""

import os
from pathlib import Path


def write_atomically(path, data, scratch_dir=None):
    """Write the bytes ``data`` so that ``path`` never holds half of them, even if the process dies.

    scratch_dir: where the file is prepared, on the same disk; the folder of ``path`` when omitted.
    """
    path = Path(path)
    scratch_dir = path.parent if scratch_dir is None else Path(scratch_dir)
    for folder in (path.parent, scratch_dir):
        folder.mkdir(parents=True, exist_ok=True)
    partial = scratch_dir / f".{path.name}.{os.getpid()}.partial"
    with open(partial, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)
