"""Clusters: the results of this process, errors by name, no endless waiting."""

import gc
import json
import os
import signal
import time

import pytest

from lib.scan_snap.rate_grid import RateGrid
from lib.sweeps import workers
from lib.sweeps.run import run_sweep
from lib.sweeps.store import Run
from tests.sweeps.cluster import Squares, cluster, too_late

pytestmark = pytest.mark.long

GRID = RateGrid([1, 2], [0.5, 2.0], [1.0, 10], 8, run={"steps": 80})


def contents(folder):
    """Every file of a folder as bytes."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_two_worker_processes_one_killed_in_the_middle_same_bytes(tmp_path, monkeypatch):
    run_sweep(GRID, tmp_path / "alone")
    with cluster(tmp_path, workers=2) as (address, processes):
        monkeypatch.setenv(workers.ADDRESS, address)
        from distributed import Client

        with Client(address, timeout=20) as client:
            client.wait_for_workers(2, timeout=30)

        def kill_one(names):
            for k, name in enumerate(names):
                if k == 6:
                    os.kill(processes[0].pid, signal.SIGKILL)
                yield name

        run_sweep(GRID, tmp_path / "cluster", progress=kill_one)
        assert processes[0].wait(timeout=10) == -signal.SIGKILL and processes[1].poll() is None
    assert contents(tmp_path / "cluster") == contents(tmp_path / "alone")


def test_a_scheduler_without_workers_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "PATIENCE", 1)
    with cluster(tmp_path, workers=0) as (address, _):
        monkeypatch.setenv(workers.ADDRESS, address)
        with pytest.raises(ValueError, match="at least one worker; none came within 1 s"):
            run_sweep(Squares(), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_cluster_whose_workers_all_die_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "PATIENCE", 2)
    with cluster(tmp_path, workers=1) as (address, processes):
        monkeypatch.setenv(workers.ADDRESS, address)
        from distributed import Client

        with Client(address, timeout=20) as client:
            client.wait_for_workers(1, timeout=30)

        def kill(names):
            for k, name in enumerate(names):
                if k == 2:
                    processes[0].kill()
                yield name

        with pytest.raises(ValueError, match="at least one worker"):
            run_sweep(Squares(), tmp_path / "out", progress=kill)
    assert list((tmp_path / "out").glob("*.npz")), "what was finished is kept"


def test_a_scheduler_that_is_killed_in_the_middle_is_one_line_and_the_next_run_goes_on(
    tmp_path, monkeypatch
):
    def kill(names):
        for k, name in enumerate(names):
            if k == 2:
                scheduler.kill()
            yield name

    with cluster(tmp_path, workers=1) as (address, (_, scheduler)):
        monkeypatch.setenv(workers.ADDRESS, address)
        with pytest.raises(ValueError, match="went away in the middle; what was finished is kept"):
            run_sweep(Squares(), tmp_path / "out", progress=kill)
    assert list((tmp_path / "out").glob("*.npz"))
    monkeypatch.delenv(workers.ADDRESS)
    table = run_sweep(Squares(), tmp_path / "out")
    assert json.loads(table.read_bytes()) == [n * n for n in range(16)]


@pytest.mark.parametrize(
    ("code", "has"),
    [("raise ModuleNotFoundError('no lib')", "no lib"), ("fingerprint = str", "another version")],
)
def test_who_has_not_the_project_is_told_before_the_first_run(code, has, tmp_path, monkeypatch):
    """A scheduler and a worker from somebody else's environment: no ``lib`` in it, or an older."""
    (tmp_path / "other/lib/sweeps").mkdir(parents=True)
    (tmp_path / "other/lib/__init__.py").touch()
    (tmp_path / "other/lib/sweeps/code.py").write_text(code)
    with cluster(tmp_path, 1, env={"PYTHONPATH": str(tmp_path / "other")}) as (address, _):
        monkeypatch.setenv(workers.ADDRESS, address)
        with pytest.raises(ValueError, match=f"{has}.*pip install -e") as error:
            run_sweep(Squares(), tmp_path / "out")
    assert "\n" not in str(error.value) and not (tmp_path / "out").exists()


def test_a_result_that_is_lost_with_the_last_worker_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "PATIENCE", 2)
    import distributed

    with cluster(tmp_path, workers=1) as (address, processes):
        monkeypatch.setenv(workers.ADDRESS, address)
        right = distributed.wait

        def finished_and_gone(futures, **options):
            found = right(futures, **options)
            processes[0].kill()
            with distributed.Client(address, timeout=20, set_as_default=False) as other:
                while other.nthreads():
                    time.sleep(0.05)
            return found

        monkeypatch.setattr(distributed, "wait", finished_and_gone)
        with pytest.raises(ValueError, match="at least one worker"):
            run_sweep(Squares(), tmp_path / "out")


def test_an_error_of_the_work_is_the_works_even_if_it_is_about_time(tmp_path, monkeypatch):
    with cluster(tmp_path, workers=1) as (address, _), pytest.raises(TimeoutError, match="mine"):
        list(workers.on_cluster(address, too_late, [Run("x", {})], "lib.sweeps.store"))


def clients():
    """Dask's clients that are still in memory."""
    from distributed import Client

    return [one for one in gc.get_objects() if type(one) is Client]


@pytest.mark.parametrize("address", ["tls://127.0.0.1:9", "inproc://x", "nonsense", "tcp://[::1"])
def test_an_address_that_leads_nowhere_is_one_line(address, tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "PATIENCE", 1)
    monkeypatch.setenv(workers.ADDRESS, address)
    others = clients()  # an earlier test's may wait for a task that nobody asked
    with pytest.raises(
        ValueError, match="DASK_SCHEDULER_ADDRESS = .*allowed: the address"
    ) as error:
        run_sweep(Squares(), tmp_path / "out")
    assert "\n" not in str(error.value)
    # one that failed and is collected while another starts would block it for ever
    assert not [one for one in clients() if one not in others]
