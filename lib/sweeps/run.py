"""Parameter sweeps: the runs of a grid, a file for each result, and one table of all.

An interrupted sweep goes on where it stopped, and a stored result is used only if its settings and
its code are those asked for.  Each part of the book says what a run is, how it is carried out and
what the table looks like (``lib.scan_snap.rate_grid``, ``lib.real_text.text_grid``); what all grids
share is here.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

from filelock import FileLock, Timeout

from lib.storage import write_atomically
from lib.sweeps import store
from lib.sweeps.code import fingerprint
from lib.sweeps.workers import as_finished
from lib.validation import require

CLAIM = "grid.json"  # whose table lies in a folder


class Grid(Protocol):
    """A kind of grid.  Results depend on its module and on what that imports."""

    def record(self) -> dict[str, Any]:
        """The grid as plain data."""

    def runs(self) -> list[store.Run]:
        """Its runs as a list of ``Run``, in the order of the table."""

    def work(self, folder: Path) -> Callable[[store.Run], store.Result]:
        """A function that pickles, of a ``Run`` to its ``Result``; ``folder`` is for states."""

    def table(self, read: Callable[[store.Run], store.Result], command: str) -> tuple[str, bytes]:
        """(file name, bytes) of the table; ``read`` gives the ``Result`` of a ``Run``."""


def run_sweep(
    grid: Grid,
    folder: str | Path,
    command: str = "",
    progress: Callable[[list[str]], Iterable[Any]] = lambda names: names,
    note: Callable[[str], Any] = lambda line: None,
    threads: int = 1,
) -> Path:
    """Carry out the missing runs of ``grid``, then write its table; returns the table's path.

    folder: where results and table are kept.  command: for the table's provenance.
    progress: wraps the list of the names of missing runs and is iterated once for each finished
    run (tqdm fits).
    note: called with a line of text for each stored run that cannot be used and is computed again,
    and for each worker of a cluster that does not respond.
    threads: number of runs at a time, where no cluster is named.
    Raises ``ValueError`` for a folder with another grid's table, or in which a sweep is at work.
    """
    folder, code = Path(folder), fingerprint(type(grid).__module__)
    _require_free(grid, folder)
    runs = grid.runs()
    with _held(folder):
        missing = [run for run in runs if not _usable(folder, run, code, note)]
        if missing:
            _carry_out(grid, folder, code, missing, progress, threads, note)
        name, data = grid.table(lambda run: store.load(folder, run, code), command)
        write_atomically(folder / CLAIM, _claim(grid))
        write_atomically(folder / name, data)
    return folder / name


def _carry_out(
    grid: Grid,
    folder: Path,
    code: str,
    missing: list[store.Run],
    progress: Callable[[list[str]], Iterable[Any]],
    threads: int,
    note: Callable[[str], Any],
) -> None:
    """Carry out the missing runs, and store each result as soon as it is there."""
    work, module = grid.work(folder.resolve()), type(grid).__module__
    finished = as_finished(work, missing, module, threads, note)
    with closing(finished):
        for _ in progress([run.name for run in missing]):
            run, result = next(finished)
            store.save(folder, run, code, result)


def _usable(folder: Path, run: store.Run, code: str, note: Callable[[str], Any]) -> bool:
    """Whether a stored result can be used; if there is one and it cannot, ``note`` gets the
    reason.
    """
    try:
        store.load(folder, run, code)
    except FileNotFoundError:
        return False
    except store.Unusable as reason:
        note(f"{store.path_of(folder, run)}: {reason}, computed again")
        return False
    return True


def _claim(grid: Grid) -> bytes:
    return json.dumps(grid.record(), indent=1, sort_keys=True).encode()


def _require_free(grid: Grid, folder: Path) -> None:
    """Refuse a folder with another grid's table; a damaged ``CLAIM`` file does not count."""
    try:
        found = json.loads((folder / CLAIM).read_bytes())
    except (OSError, ValueError):
        return
    wanted = json.loads(_claim(grid))
    names = wanted.keys() | (found.keys() if isinstance(found, dict) else set())
    differ = sorted(
        n for n in names if not isinstance(found, dict) or found.get(n) != wanted.get(n)
    )
    require(
        not differ,
        "OUT",
        str(folder),
        "a folder that holds no other grid's results (this one differs in "
        f"{', '.join(differ)}; remove its {CLAIM} to have the table written anew, equal runs are"
        " kept)",
    )


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Lock ``folder`` for one sweep: it is made, half-written files in it are removed, and so is
    the folder itself in the end if it is empty.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        allowed = f"a folder that is there or can be made ({error.strerror})"
        require(False, "OUT", str(folder), allowed)
    lock = FileLock(folder / ".lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise ValueError(
            f"OUT = {str(folder)!r}, allowed: a folder in which no other sweep is at work"
        ) from None
    try:
        for partial in folder.glob(".*.partial"):
            partial.unlink(missing_ok=True)
        yield
    finally:
        (folder / ".lock").unlink(missing_ok=True)
        lock.release()
        with suppress(OSError):
            folder.rmdir()
