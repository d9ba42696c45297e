"""Threads give every result once and stop; a cluster is handed a few runs at a time."""

import threading
import time
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from lib.sweeps import workers
from lib.sweeps.store import Run
from lib.sweeps.workers import in_threads


def test_threads_give_every_result_once():
    found = dict(in_threads(lambda n: n * n, range(50), 4))
    assert found == {n: n * n for n in range(50)}


def test_an_interruption_waits_for_no_thread():
    found = list(in_threads(lambda n: threading.current_thread().daemon, range(4), 2))
    assert [daemon for _, daemon in found] == [True] * 4


def test_an_error_in_a_thread_is_raised_where_results_are_read():
    def work(n):
        if n == 3:
            raise ValueError("three")
        return n

    with pytest.raises(ValueError, match="three"):
        list(in_threads(work, range(50), 2))


def test_who_stops_reading_stops_the_threads():
    begun, step = [], threading.Semaphore(0)

    def work(n):
        begun.append(n)
        step.acquire(timeout=10)

    results = in_threads(work, range(100), 2)
    step.release()
    next(results)
    results.close()
    step.release(4)
    time.sleep(0.3)
    assert len(begun) <= 4


def test_a_thread_that_ends_first_takes_no_other_s_result_along():
    owner, both = {}, threading.Barrier(2)

    def work(n):
        owner[n] = threading.current_thread()
        both.wait(10)
        if n == 1:
            owner[0].join(10)
        return n

    assert list(in_threads(work, range(2), 2)) == [(0, 0), (1, 1)]


class Future(NamedTuple):
    """What a ``Cluster`` will carry out when it is asked for the result."""

    task: object
    arguments: tuple

    def result(self, timeout):
        return self.task(*self.arguments)


class Cluster:
    """Stands for a client whose cluster has ``threads`` per worker and finishes runs in turn."""

    status = "running"

    def __init__(self, threads):
        self.threads = threads

    def run(self, function, text, on_error):
        return {}

    def run_on_scheduler(self, function, text):
        return function(text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def nthreads(self):
        return self.threads

    def submit(self, task, *arguments, pure):
        return Future(task, arguments)


@pytest.mark.parametrize(
    ("threads", "most"),
    [
        ({"a": 2, "b": 1}, 3 * workers.IN_FLIGHT),
        ({"a": 1}, workers.IN_FLIGHT),
        ({}, workers.IN_FLIGHT),
    ],
)
def test_a_cluster_holds_a_few_runs_per_thread_until_none_is_left(threads, most, monkeypatch):
    held = []

    def wait(futures, **_):
        held.append(len(futures))
        return SimpleNamespace(done=futures[:1])

    monkeypatch.setattr("distributed.wait", wait)
    found = workers._from_cluster(Cluster(threads), "", str, range(20), "lib.sweeps.run")
    assert list(found) == [(n, str(n)) for n in range(20)]
    assert held == [most] * (20 - most) + [*range(most, 0, -1)]


@pytest.mark.parametrize(
    ("error", "reason"), [(OSError(), "OSError"), (OSError("one\ntwo"), "one")]
)
def test_why_there_is_no_cluster_is_said_even_by_an_error_without_words(error, reason, monkeypatch):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("distributed.Client", fail)
    with pytest.raises(ValueError, match=rf"configuration\): {reason}$"):
        workers._connected("tcp://x:1")


def test_a_worker_with_other_code_is_refused():
    with pytest.raises(ValueError, match="worker = 'other code'"):
        workers._same_code(lambda run: run, Run("x", {}), "lib.scan_snap.rate_grid", "0" * 16)
