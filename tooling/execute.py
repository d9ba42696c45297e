"""Executing the chapters that need it: in parallel, longest first, safe to interrupt at any
point.
"""

import os
import subprocess
import sys
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

import filelock
import psutil
from tqdm import tqdm

from tooling import notebooks, paths, runs
from tooling.parameters import parse_parameters
from tooling.statements import statement
from tooling.worker import QUIET, describe, execute


def stale(rows):
    """The chapters whose stored results are not those of their present inputs."""
    return [row for row in rows if not runs.is_fresh(row)]


def expected_seconds(row):
    """How long a chapter takes, from its last run; experiments first where nobody knows."""
    return runs.load(row.tag).get("seconds", 60.0 if row.kind == "experiment" else 10.0)


def execute_stale(rows, jobs=None, force=False):
    """Execute what is stale among ``rows``.  Returns ``(executed tags, {tag: error})``."""
    paths.BUILD.mkdir(exist_ok=True)
    with _only_run():
        _sweep_leftovers()
        todo = sorted(rows if force else stale(rows), key=expected_seconds, reverse=True)
        return [row.tag for row in todo], _run_all(todo, jobs or os.cpu_count() or 1)


def _only_run():
    """The lock of this folder; waits, and says so, while another run holds it."""
    lock = filelock.FileLock(paths.LOCK)
    try:
        return lock.acquire(timeout=1)
    except filelock.Timeout:
        print("waiting: another run of the book is under way in this folder", file=sys.stderr)
        return lock.acquire()


def _sweep_leftovers():
    """Half-written files of a killed run."""
    for file in paths.EXECUTING.glob("*"):
        file.unlink(missing_ok=True)


def _run_all(rows, jobs):
    errors, running, processes = {}, {}, []
    shown = sys.stderr.isatty()  # elsewhere a line a chapter, no bar
    bar = tqdm(total=len(rows), unit="chapter", disable=not (rows and shown), dynamic_ncols=True)
    with ThreadPoolExecutor(jobs) as pool, bar:
        try:
            waiting = {pool.submit(_run_one, row, running, processes): row for row in rows}
            while waiting:
                done, _ = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)
                bar.set_description(", ".join(sorted(running)) or "done", refresh=True)
                for future in done:
                    row = waiting.pop(future)
                    bar.update()
                    error = future.result()
                    if error:
                        errors[row.tag] = error
                    if error or not shown:
                        bar.write(
                            f"{'FAILED' if error else 'executed'}"
                            f" {row.tag}{': ' + error if error else ''}"
                        )
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                _kill(process)
            raise
    return errors


def _run_one(row, running, processes):
    """One worker process; its stdin is the lifeline that kills it when this process dies."""
    running[row.tag] = row
    process = subprocess.Popen(
        [sys.executable, "-m", "tooling.worker", row.tag],
        cwd=paths.ROOT,
        env=os.environ | QUIET,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        text=True,
    )
    processes.append(process)
    log = process.stdout.read()
    code = process.wait()
    process.stdin.close()
    running.pop(row.tag)
    if code == 0:
        return None
    error = runs.load(row.tag).get("error")
    return error or "the worker died: " + (log.strip().splitlines() or ["no output"])[-1]


def _kill(process):
    try:
        tree = [*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)]
    except psutil.NoSuchProcess:
        return
    for member in tree:
        try:
            member.kill()
        except psutil.NoSuchProcess:
            pass


def run_chapter(tag, parameters=""):
    """Execute one chapter with parameters into a file of its own; the stored notebook stays as it
    is.

    Returns ``(path, error)``; the path exists only if there is no error.
    """
    row = statement(tag)
    if not row.written:
        raise ValueError(f"CH = {tag!r}: this chapter is not written yet")
    values = parse_parameters(row, parameters)
    paths.EXECUTING.mkdir(parents=True, exist_ok=True)
    temporary = paths.EXECUTING / f"{tag}.single.{os.getpid()}.ipynb"
    target = paths.CHAPTERS / tag / row.chapter.name
    os.environ.update(QUIET)
    try:
        execute(row.chapter, temporary, values, row.chapter.parent)
        notebooks.store(notebooks.strip(notebooks.read(temporary)), target)
        return target, None
    except Exception as error:  # shown as one line: it names the cell and what is wrong
        return target, describe(error)
    finally:
        temporary.unlink(missing_ok=True)
