"""Clusters: the results of this process, errors by name, no endless waiting."""

from unittest.mock import patch

import distributed
import pytest
from distributed import LocalCluster

from lib.scan_snap.rate_grid import RateGrid
from lib.sweeps import code, workers
from lib.sweeps.run import run_sweep
from lib.sweeps.store import Run
from tests.sweeps.test_run import Squares, contents, squares

GRID = RateGrid([1, 2], [0.5, 2.0], [1.0, 10], 4, run={"steps": 20})
NUMBERS = range(16)


@pytest.fixture
def own(monkeypatch):
    """A cluster of two workers that the environment names, with patience of three seconds.

    It is in this process, but what travels is pickled as between machines.
    """
    monkeypatch.setattr(workers, "PATIENCE", 3)
    loopback = dict(processes=False, protocol="tcp", host="127.0.0.1", dashboard_address=None)
    with LocalCluster(n_workers=2, threads_per_worker=1, **loopback) as started:
        monkeypatch.setenv(workers.ADDRESS, started.scheduler_address)
        yield started


def lose(cluster, name):
    """A worker of ``cluster`` ends at once, with all that it holds.

    The scheduler sees the end of a process by its connection; in one process with it, it may not.
    """
    worker = cluster.workers[name]
    cluster.sync(worker.close, timeout=0, executor_wait=False, nanny=False)
    cluster.sync(cluster.scheduler.remove_worker, worker.address, stimulus_id="lost")


def at(number, happens):
    """A progress bar: ``happens()`` before the result of this number is waited for."""

    def progress(names):
        for k, name in enumerate(names):
            if k == number:
                happens()
            yield name

    return progress


def test_two_workers_one_lost_in_the_middle_same_bytes(own, tmp_path, monkeypatch):
    run_sweep(GRID, tmp_path / "cluster", progress=at(3, lambda: lose(own, 0)))
    monkeypatch.delenv(workers.ADDRESS)
    run_sweep(GRID, tmp_path / "alone")
    assert contents(tmp_path / "cluster") == contents(tmp_path / "alone")


def test_a_scheduler_without_workers_is_one_line(own, tmp_path):
    for name in (0, 1):
        lose(own, name)
    with pytest.raises(ValueError, match="at least one worker; none came within 3 s"):
        run_sweep(Squares(NUMBERS), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_cluster_whose_workers_all_die_is_one_line(own, tmp_path):
    die = lambda: [lose(own, name) for name in (0, 1)]
    with pytest.raises(ValueError, match="at least one worker"):
        run_sweep(Squares(NUMBERS), tmp_path / "out", progress=at(2, die))
    assert list((tmp_path / "out").glob("*.npz")), "what was finished is kept"


def test_a_result_that_is_lost_with_the_last_worker_is_not_waited_for(own, tmp_path):
    right = distributed.wait

    def finished_and_gone(futures, **options):
        found = right(futures, **options)
        for name in own.workers:
            lose(own, name)
        return found

    with (
        patch.object(distributed, "wait", finished_and_gone),
        pytest.raises(ValueError, match="at least one worker"),
    ):
        run_sweep(Squares(NUMBERS), tmp_path / "out")


def test_a_result_that_cannot_be_had_is_computed_again(own, tmp_path, monkeypatch):
    """A worker took it along, and the scheduler has not noticed: it would be waited for forever."""
    lost, right = [], distributed.Future.result

    def result(future, timeout=None):
        lost.extend([] if lost else [future.key])
        if future.key in lost:
            raise TimeoutError
        return right(future, timeout)

    monkeypatch.setattr(distributed.Future, "result", result)
    assert squares(run_sweep(Squares(NUMBERS), tmp_path / "out")) == [n * n for n in NUMBERS]
    assert lost


def test_a_scheduler_that_goes_in_the_middle_is_one_line_and_the_next_run_goes_on(
    own, tmp_path, monkeypatch
):
    with pytest.raises(ValueError, match="went away in the middle; what was finished is kept"):
        run_sweep(Squares(NUMBERS), tmp_path / "out", progress=at(2, own.close))
    kept = len(list((tmp_path / "out").glob("*.npz")))
    monkeypatch.delenv(workers.ADDRESS)
    again = Squares(NUMBERS)
    assert squares(run_sweep(again, tmp_path / "out")) == [n * n for n in NUMBERS]
    assert kept and len(again.seen) == len(NUMBERS) - kept


def test_a_few_runs_per_thread_are_handed_out_at_once(own, tmp_path):
    held = []
    look = at(1, lambda: held.append(len(own.scheduler.tasks)))
    run_sweep(Squares(NUMBERS), tmp_path / "out", progress=look)
    assert 0 < held[0] <= 2 * workers.IN_FLIGHT


@pytest.mark.parametrize(
    ("theirs", "has"),
    [({"side_effect": ModuleNotFoundError("no lib")}, "no lib"), ({}, "another version")],
)
def test_who_has_not_the_project_is_told_before_the_first_run(theirs, has, own, tmp_path):
    """A scheduler and workers from somebody else's environment: no ``lib`` in it, or an older."""
    with (
        patch.object(code, "fingerprint", **theirs, return_value="0" * 16),
        pytest.raises(ValueError, match=f"{has}.*pip install -e") as error,
    ):
        run_sweep(Squares(NUMBERS), tmp_path / "out")
    assert "\n" not in str(error.value) and not (tmp_path / "out").exists()


def test_a_worker_that_comes_late_with_other_code_is_refused():
    with pytest.raises(ValueError, match="worker = 'other code'"):
        workers._same_code(str, Run("x", {}), "lib.sweeps.store", "0" * 16)


def test_an_error_of_the_work_is_the_works_even_if_it_is_about_time(own):
    def too_late(run):
        raise TimeoutError("mine")

    with pytest.raises(TimeoutError, match="mine"):
        list(workers.as_finished(too_late, [Run("x", {})], "lib.sweeps.store", 1))


@pytest.mark.parametrize("address", ["tls://127.0.0.1:9", "inproc://x", "nonsense", "tcp://[::1"])
def test_an_address_that_leads_nowhere_is_one_line(address, tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "PATIENCE", 1)
    monkeypatch.setenv(workers.ADDRESS, address)
    with pytest.raises(
        ValueError, match="DASK_SCHEDULER_ADDRESS = .*allowed: the address"
    ) as error:
        run_sweep(Squares(NUMBERS), tmp_path / "out")
    assert "\n" not in str(error.value)
