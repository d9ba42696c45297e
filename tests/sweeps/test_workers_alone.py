"""Threads give every result once and stop; what is no cluster says why."""

import threading
import time

import pytest

from lib.sweeps import workers
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


@pytest.mark.parametrize(
    ("error", "reason"), [(OSError(), "OSError"), (OSError("one\ntwo"), "one")]
)
def test_why_there_is_no_cluster_is_said_even_by_an_error_without_words(error, reason, monkeypatch):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("distributed.Client", fail)
    with pytest.raises(ValueError, match=rf"configuration\): {reason}$"):
        workers._connected("tcp://x:1")
