"""A Dask cluster of processes on loopback, and work for it that imports little, for tests."""

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np

from lib.sweeps.store import Result, Run

ROOT = Path(__file__).resolve().parents[2]

OF_A_SCHEDULER = "--host 127.0.0.1 --port 0 --no-dashboard --no-show".split()
OF_A_WORKER = "--host 127.0.0.1 --nthreads 1 --no-nanny --no-dashboard".split()


class Squares:
    """A grid whose runs square sixteen numbers."""

    def record(self):
        return {"numbers": 16}

    def runs(self):
        return [Run(f"number {n}", {"n": n}) for n in range(16)]

    def work(self, folder):
        return square

    def table(self, read, command):
        squares = [int(read(run).arrays["square"]) for run in self.runs()]
        return "results.json", json.dumps(squares).encode()


def square(run):
    n = run.settings["n"]
    return Result({"n": n}, {"square": np.array(n * n)})


def too_late(run):
    raise TimeoutError("mine")


def _started(folder, env, module, *words):
    """``python -m module words`` in a folder, saying nothing."""
    return subprocess.Popen(
        [sys.executable, "-m", module, *map(str, words)],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"} | dict(env),
    )


def _address(file, scheduler):
    """Where the scheduler listens, once it has said so whole."""
    deadline = time.monotonic() + 30
    while not (file.exists() and file.read_text().strip().endswith("}")):
        late = scheduler.poll() is not None or time.monotonic() > deadline
        assert not late, "the scheduler did not start"
        time.sleep(0.1)
    return json.loads(file.read_text())["address"]


@contextmanager
def cluster(folder, workers, env=()):
    """A scheduler and workers on loopback: yields (address, processes), the scheduler last."""
    file, start = folder / "scheduler.json", partial(_started, folder, env)
    words = (*OF_A_SCHEDULER, "--scheduler-file", file)
    started = [start("distributed.cli.dask_scheduler", *words)]
    try:
        address = _address(file, started[0])
        words = (address, *OF_A_WORKER, "--local-directory", folder)
        started += [start("distributed.cli.dask_worker", *words) for _ in range(workers)]
        yield address, [*started[1:], started[0]]
    finally:
        for process in started:
            process.kill()
        for process in started:
            process.wait()
