"""A Dask cluster of processes on loopback, for tests."""

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def cluster(folder, workers, protocol="tcp", env=()):
    """A scheduler and workers on loopback: yields (address, the workers' processes)."""
    quiet = dict(
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"} | dict(env),
    )
    file = folder / "scheduler.json"
    scheduler = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "distributed.cli.dask_scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--protocol",
            protocol,
            "--no-dashboard",
            "--no-show",
            "--scheduler-file",
            str(file),
        ],
        **quiet,
    )
    started = [scheduler]
    try:
        deadline = time.monotonic() + 30
        while not (file.exists() and file.read_text().strip().endswith("}")):
            assert scheduler.poll() is None and time.monotonic() < deadline, (
                "the scheduler did not start"
            )
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"]
        started += [
            subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "distributed.cli.dask_worker",
                    address,
                    "--host",
                    "127.0.0.1",
                    "--nthreads",
                    "1",
                    "--no-nanny",
                    "--no-dashboard",
                    "--local-directory",
                    str(folder),
                ],
                **quiet,
            )
            for _ in range(workers)
        ]
        yield address, started[1:]
    finally:
        for process in started:
            process.kill()
        for process in started:
            process.wait()
