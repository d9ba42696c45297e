"""Where runs are carried out: in threads of this process, or on the Dask cluster that the
environment names.

Threads open no port.  A cluster gets code and data as pickles: use one that only you can reach, or
``tls://`` with certificates in Dask's own configuration (``distributed.comm.tls``).
"""

import gc
import itertools
import logging
import os
import queue
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from lib.sweeps.code import fingerprint
from lib.sweeps.silence import LOOK, Silence
from lib.sweeps.store import Result, Run
from lib.validation import require

ADDRESS = "DASK_SCHEDULER_ADDRESS"
PATIENCE = 20  # seconds for a cluster to answer, and to have a worker at all
IN_FLIGHT = 4  # runs per thread of a cluster that are handed out at once: busy, in constant memory
THREAD = "sweep"  # name of the threads that carry runs out
END = object()


def as_finished(
    work: Callable[[Run], Result],
    runs: Iterable[Run],
    module: str,
    threads: int,
    note: Callable[[str], Any] = lambda line: None,
) -> Generator[tuple[Run, Result], None, None]:
    """Yield (run, work(run)) in the order in which the runs finish.

    They run on the cluster whose address is in the environment (``ADDRESS``), else in threads.

    work: a function that can be pickled.  module: where it is defined; a worker whose copy of that
    module's code differs is refused.  threads: how many, where there is no cluster.  note: called
    with a line of text for each worker that does not respond.
    Raises what ``work`` raises, and ``ValueError`` for a cluster that fails.
    """
    address = os.environ.get(ADDRESS)
    if address:
        return on_cluster(address, work, runs, module, note)
    return in_threads(work, runs, threads)


def in_threads(
    work: Callable[[Run], Result], runs: Iterable[Run], count: int
) -> Generator[tuple[Run, Result], None, None]:
    """``as_finished`` in ``count`` threads; when the caller stops, no further run is begun."""
    waiting, lock = iter(runs), threading.Lock()
    done, stop = queue.SimpleQueue(), threading.Event()

    def labor() -> None:
        run = END
        while not stop.is_set():
            with lock:
                run = next(waiting, END)
            if run is END:
                break
            try:
                done.put((run, work(run), None))  # type: ignore[arg-type]
            except BaseException as error:  # raised again in the thread that waits
                done.put((run, None, error))
        done.put((END, None, None))

    for _ in range(count):  # daemons: an interruption does not wait for a run of minutes
        threading.Thread(target=labor, name=THREAD, daemon=True).start()
    try:
        while count:
            run, result, error = done.get()
            if error is not None:
                raise error
            if run is END:
                count -= 1
            else:
                yield run, result
    finally:
        stop.set()


def on_cluster(
    address: str,
    work: Callable[[Run], Result],
    runs: Iterable[Run],
    module: str,
    note: Callable[[str], Any],
) -> Generator[tuple[Run, Result], None, None]:
    """``as_finished`` on the cluster at ``address``; connects before any run is asked for."""
    return _from_cluster(_connected(address), address, work, runs, module, Silence(note))


def _from_cluster(
    client: Any,
    address: str,
    work: Callable[[Run], Result],
    runs: Iterable[Run],
    module: str,
    silence: Silence,
) -> Generator[tuple[Run, Result], None, None]:
    """Hand out a few runs per thread at a time, and notice when the last worker has gone."""
    from distributed import wait

    waiting, running, code = iter(runs), {}, fingerprint(module)

    def begin(run: Run) -> None:
        running[client.submit(_same_code, work, run, module, code, pure=False)] = run

    def hand_out(count: int) -> None:
        for run in itertools.islice(waiting, count):
            begin(run)

    with client, _one_line_if_it_goes(client, address):
        _require_project(client, module, code)
        hand_out(IN_FLIGHT * max(1, sum(client.nthreads().values())))
        while running:
            silence.look(client)
            try:
                done = wait(list(running), timeout=LOOK, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                _require_workers(client, address)
                continue
            for future in done:
                try:
                    result = future.result(timeout=PATIENCE)
                except TimeoutError:
                    if future.status == "error":  # the work's own
                        raise
                    # Its worker is gone and took it along, which a scheduler may never notice.
                    _require_workers(client, address)
                    begin(running.pop(future))
                    continue
                silence.finished()
                yield running.pop(future), result
                hand_out(1)


@contextmanager
def _one_line_if_it_goes(client: Any, address: str) -> Iterator[None]:
    """Raise one ``ValueError`` for the errors, some of them undocumented, of a lost scheduler.

    While the scheduler answers, an error comes from ``work`` and is raised as it is.
    """
    from distributed.comm import CommClosedError

    try:
        yield
    except Exception as error:
        if client.status == "running" and not isinstance(error, CommClosedError):
            raise
        for name in ("distributed.client", "asyncio"):  # thirty lines on the way out
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        raise ValueError(
            f"{ADDRESS} = {address!r}: the scheduler went away in the middle; what was finished is"
            " kept: the same command goes on from there, once there is a scheduler again"
        ) from None


def _require_project(client: Any, module: str, code: str) -> None:
    """Check that scheduler and workers have the same code, by the fingerprint of ``module``.

    The question is sent as text, because they can answer it without the project.  Raises
    ``ValueError`` that names those without the project or with another version of it.
    """
    asked = f"__import__('lib.sweeps.code', fromlist=['']).fingerprint({module!r})"
    found = client.run(eval, asked, on_error="return")
    try:
        found = {"the scheduler": client.run_on_scheduler(eval, asked)} | found
    except Exception as error:
        found = {"the scheduler": error} | found
    for who, answer in found.items():
        if answer == code:
            continue
        has = "another version of it" if isinstance(answer, str) else str(answer).splitlines()[0]
        raise ValueError(
            f"{who} has not the project of this sweep ({has}): in its environment, run"
            " pip install -e '.[sweep]' in a copy of this folder, and start it again"
        )


def _same_code(work: Callable[[Run], Result], run: Run, module: str, code: str) -> Result:
    """On the worker: ``work(run)``, if its code is the sweep's."""
    require(fingerprint(module) == code, "worker", "other code", "the code that runs the sweep")
    return work(run)


def _connected(address: str) -> Any:
    """A Dask client with at least one worker; ``ValueError`` for any failure."""
    from distributed import Client

    try:
        client = Client(address, timeout=PATIENCE)
    except Exception as error:  # wrong scheme, no listener, no certificates: a kind each
        client, reason = None, (str(error) or type(error).__name__).splitlines()[0]
    if client is None:
        # What failed closes itself when it is collected; collected while the next client starts it
        # would wait for a lock that this one holds, for ever.
        gc.collect()
        raise ValueError(
            f"{ADDRESS} = {address!r}, allowed: the address of a Dask scheduler that answers, such"
            f" as 'tcp://host:8786' (tls:// needs certificates in Dask's configuration): {reason}"
        )
    try:
        _require_workers(client, address)
    except ValueError:
        client.close()
        raise
    return client


def _require_workers(client: Any, address: str) -> None:
    """Raise ``ValueError`` if no worker joins within ``PATIENCE`` seconds."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise ValueError(
            f"{ADDRESS} = {address!r}, allowed: a scheduler with at least one worker; none came"
            f" within {PATIENCE} s"
        ) from None
