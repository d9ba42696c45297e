"""Executing the chapters that need it: in parallel, longest first, safe to interrupt at any
point.
"""

import contextlib
import functools
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import psutil

from ledgerbook.chapters import notebooks
from ledgerbook.chapters.parameters import parse_parameters
from ledgerbook.chapters.statements import Statement, statement
from ledgerbook.execution import environment, run_records
from ledgerbook.project import machine, paths, tempdirs


def stale(rows: list[Statement]) -> list[Statement]:
    """The chapters that this machine has not yet executed for their present inputs."""
    return [row for row in rows if not run_records.is_fresh(row)]


def expected_seconds(row: Statement) -> float:
    """How long a chapter takes, from its last run; experiments first where nobody knows."""
    return run_records.load(row.tag).get("seconds", 60.0 if row.kind == "experiment" else 10.0)


def execute_all(
    rows: list[Statement], jobs: int | None = None, meanwhile: Callable[[], object] = lambda: None
) -> dict[str, str]:
    """Execute ``rows`` into ``_build/executed``; ``{tag: error}`` of those that failed.

    meanwhile: what this process does itself, in the place of one job until it is done.  The caller
    holds ``tempdirs.only_run``.
    """
    todo = sorted(rows, key=expected_seconds, reverse=True)
    jobs = jobs or machine.cores()
    if todo:
        environment.list_fonts()
    with tempdirs.of_children(), contextlib.ExitStack() as stack:
        if len(todo) > jobs:  # a warmed process: its imports, here and there, must pay
            from ledgerbook.execution import provisioner

            say = functools.partial(print, file=sys.stderr)
            stack.enter_context(provisioner.warmed(environment.quiet(), say=say))
        return _run_all(todo, jobs, meanwhile)


def _run_all(rows: list[Statement], jobs: int, meanwhile: Callable[[], object]) -> dict[str, str]:
    errors: dict[str, str] = {}
    processes: list[subprocess.Popen] = []
    free = threading.Event()
    with ThreadPoolExecutor(jobs) as pool:
        try:
            pool.submit(free.wait)  # the place that ``meanwhile`` takes
            waiting = {pool.submit(_run_one, row, processes): row for row in rows}
            meanwhile()
            free.set()
            for count, future in enumerate(as_completed(waiting), 1):
                tag, error = waiting[future].tag, future.result()
                errors |= {tag: error} if error else {}
                said = f"FAILED {tag}: {error}" if error else f"executed {tag}"
                print(f"{count}/{len(rows)} {said}", flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            free.set()
            for process in processes:
                _kill(process)
            raise
    return errors


def _run_one(row: Statement, processes: list[subprocess.Popen]) -> str | None:
    """One worker process; its stdin is the lifeline that kills it when this process dies."""
    try:
        run_records.path(row.tag).unlink(missing_ok=True)
    except OSError as error:
        return f"{paths.relative(run_records.path(row.tag))}: {error.strerror}"
    process = subprocess.Popen(
        [sys.executable, "-m", "ledgerbook.execution.worker", row.tag],
        cwd=paths.ROOT,
        env=os.environ | environment.quiet(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        text=True,
        errors="replace",
    )
    processes.append(process)
    assert process.stdin and process.stdout
    with process:
        log = process.stdout.read()
        code = process.wait()
    if code == 0:
        return None
    return run_records.load(row.tag).get("error") or _last_words(code, log)


def _last_words(code: int, log: str) -> str:
    """How a worker ended that left no record."""
    from ledgerbook.execution import provisioner

    last = (log.strip().splitlines() or ["no output"])[-1]
    return f"the worker died ({provisioner.died(code)}): {last}"


def _kill(process: subprocess.Popen) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        worker = psutil.Process(process.pid)
        for member in [*worker.children(recursive=True), worker]:
            with contextlib.suppress(psutil.NoSuchProcess):
                member.kill()


def run_chapter(tag: str, parameters: str = "") -> tuple[Path, str | None]:
    """Execute one chapter with parameters into a file of its own; the stored notebook stays as it
    is.

    Returns ``(path, error)``; the path exists only if there is no error.
    """
    from ledgerbook.execution import worker

    row = statement(tag)
    if not row.written:
        raise ValueError(f"CH = {tag!r}: this chapter is not written yet")
    values = parse_parameters(row, parameters)
    target = paths.CHAPTERS / tag / row.chapter.name
    os.environ.update(environment.quiet())
    tempdirs.sweep()
    with tempdirs.folder() as private:
        temporary = private / row.chapter.name
        try:
            worker.execute(row.chapter, temporary, values, row.chapter.parent)
            notebooks.store(notebooks.strip(notebooks.read(temporary)), target)
            return target, None
        except Exception as error:  # shown as one line: it names the cell and what is wrong
            return target, worker.describe(error)
