"""Workers of a Dask cluster that no longer respond while a sweep waits for their runs.

A worker that is stopped or hangs, or whose machine has lost its network, stays in the scheduler's
list for minutes.
"""

import time
from collections.abc import Callable
from typing import Any

SILENT = 30  # seconds without a sign of life, and without any finished run, before one is named
LOOK = 5  # seconds between two questions to the scheduler; a worker tells it more often that it is


class Silence:
    """Reports by ``note``, once each, the workers that hold runs and do not respond."""

    def __init__(
        self, note: Callable[[str], Any], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.note, self.clock = note, clock
        self.finished_at = self.looked_at = clock()
        self.heard, self.told = {}, set()  # address: (its last sign of life, when it was new here)

    def finished(self) -> None:
        """Called when a run has finished."""
        self.finished_at = self.clock()

    def look(self, client: Any) -> None:
        """Every ``LOOK`` seconds: ask the scheduler when it last heard of each worker, report the
        silent.

        Because the scheduler's clock may differ from ours, only changes of what it says are used.
        """
        now = self.clock()
        if now - self.looked_at < LOOK:
            return
        self.looked_at = now
        workers = client.scheduler_info()["workers"]
        for address, about in workers.items():
            if self.heard.get(address, (None,))[0] != about["last_seen"]:
                self.heard[address] = about["last_seen"], now
                self.told.discard(address)
        if now - self.finished_at < SILENT:
            return
        held = client.processing()
        for address in workers.keys() - self.told:
            seconds, count = now - self.heard[address][1], len(held.get(address, ()))
            if seconds >= SILENT and count:
                self.told.add(address)
                self.note(
                    f"waiting for the worker {address}: {count} of the runs are with it, and it has"
                    f" not been heard of for {seconds:.0f} s; to go on without it, end its process:"
                    " the others take its runs, and the results are the same"
                )
