"""Sphinx in parallel: what one chunk cannot do is not forgotten."""

import time

import pytest
from ledgerbook.site import parallel_errors
from sphinx.errors import SphinxParallelError
from sphinx.util.parallel import ParallelTasks


@pytest.fixture
def extension(monkeypatch):
    """What Sphinx is told of the extension, which is in its place until the test ends."""
    for name in ("_join_one", "join"):
        monkeypatch.setattr(ParallelTasks, name, getattr(ParallelTasks, name))
    return parallel_errors.setup(None)


def work(number):
    if number == 0:
        raise ValueError("this page cannot be written")
    time.sleep(0.2)


@pytest.mark.parametrize("chunks", [1, 8])
def test_a_chunk_that_fails_while_others_wait_stops_the_build(extension, chunks):
    tasks = ParallelTasks(2)
    with pytest.raises(SphinxParallelError, match="cannot be written"):
        for number in range(chunks):
            tasks.add_task(work, number)
            time.sleep(0.1)  # the first has failed before the last is handed out
        tasks.join()
