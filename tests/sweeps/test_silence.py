"""A worker that is waited for in vain is named after half a minute, once, with the way out."""

from lib.sweeps.silence import SILENT, Silence


class Cluster:
    """Two workers on a clock of its own; ``stopped`` ones are listed and say nothing."""

    def __init__(self):
        self.now, self.stopped, self.held = 0.0, {}, {"tcp://a:1": ["x", "y"], "tcp://b:2": ["z"]}

    def scheduler_info(self):
        seen = {name: self.stopped.get(name, self.now) + 1e9 for name in self.held}
        return {"workers": {name: {"last_seen": when} for name, when in seen.items()}}

    def processing(self):
        return self.held


def told(cluster, seconds, finishes=lambda now: False):
    """The lines of some seconds, with the second of each."""
    lines = []
    silence = Silence(lambda line: lines.append((cluster.now, line)), lambda: cluster.now)
    while cluster.now < seconds:
        cluster.now += 1
        if finishes(cluster.now):
            silence.finished()
        silence.look(cluster)
    return lines


def test_who_is_silent_is_named_once_after_half_a_minute():
    cluster = Cluster()
    cluster.stopped["tcp://a:1"] = 0.0
    ((when, line),) = told(cluster, 600)
    assert SILENT <= when <= SILENT + 10
    assert line.startswith("waiting for the worker tcp://a:1: 2 of the runs are with it, and it")
    assert "end its process" in line and "\n" not in line


def test_who_works_long_is_not_named_and_nobody_while_runs_finish():
    assert told(Cluster(), 600) == []
    cluster = Cluster()
    cluster.stopped["tcp://a:1"] = 0.0
    (found,) = told(cluster, 600, finishes=lambda now: now < 300 and now % 20 == 0)
    assert 280 + SILENT <= found[0] <= 280 + SILENT + 10


def test_who_holds_no_run_keeps_nobody_waiting():
    cluster = Cluster()
    cluster.stopped["tcp://a:1"], cluster.held["tcp://a:1"] = 0.0, []
    assert told(cluster, 600) == []


def test_who_is_heard_again_may_be_named_again():
    cluster = Cluster()
    cluster.stopped["tcp://b:2"] = 0.0
    lines = []
    silence = Silence(lambda line: lines.append(line), lambda: cluster.now)
    for when in range(1, 200):
        cluster.now = float(when)
        if when == 100:
            cluster.stopped["tcp://b:2"] = 100.0
        silence.look(cluster)
    assert len(lines) == 2
