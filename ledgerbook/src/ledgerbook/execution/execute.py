"""Executing the chapters that need it: in parallel, longest first, safe to interrupt at any
point.
"""

import functools
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import nullcontext
from contextvars import copy_context
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import joblib
import papermill
from nbclient.exceptions import DeadKernelError
from nbformat import NotebookNode
from papermill.exceptions import PapermillExecutionError

from ledgerbook.chapters import cells, fingerprint, notebooks
from ledgerbook.chapters.statements import Statement
from ledgerbook.execution import environment, provisioner, run_records, snapshot
from ledgerbook.project.project import current

LONGEST = 300  # characters of the reason that a failing cell gives


def expected_seconds(row: Statement) -> float:
    """How long a chapter takes, from its last run; experiments first where nobody knows."""
    return run_records.load(row.tag).get("seconds", 60.0 if row.kind == "experiment" else 10.0)


def execute_all(rows: list[Statement]) -> None:
    """Execute ``rows`` into ``_build/executed``; the caller holds ``tempdirs.only_run``."""
    todo = sorted(rows, key=expected_seconds, reverse=True)
    jobs = joblib.cpu_count()
    if not todo:
        return
    environment.open_files(jobs)
    say = functools.partial(print, file=sys.stderr)
    with environment.in_force():
        environment.list_fonts()
        # A warmed process: its imports, here and there, must pay.
        with provisioner.warmed(say) if len(todo) > jobs else nullcontext():
            _run_all(todo, jobs)


def _run_all(rows: list[Statement], jobs: int) -> None:
    with ThreadPoolExecutor(jobs) as pool:
        # A thread begins without the project that is worked on here (``project.use``).
        waiting = {pool.submit(copy_context().run, run, row): row.tag for row in rows}
        try:
            for count, future in enumerate(as_completed(waiting), 1):
                tag, error = waiting[future], future.result()
                said = f"FAILED {tag}: {error}" if error else f"executed {tag}"
                print(f"{count}/{len(rows)} {said}", flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            while not all(one.done() for one in waiting):  # one may be about to start
                provisioner.stop()
                time.sleep(0.05)
            provisioner.stopping.clear()
            raise


def execute(
    notebook: NotebookNode, folder: Path, parameters: dict[str, Any] | None = None
) -> NotebookNode:
    """The notebook as papermill leaves it, run in a folder on a kernel forked if possible.

    Raises ``RuntimeError`` that names the cell and what is wrong in one line.
    """
    provisioner.use()
    provisioner.forget()
    try:
        return papermill.execute_notebook(
            notebook,
            None,
            parameters=parameters or {},
            kernel_name="python3",
            language="python",
            progress_bar=False,
            request_save_on_cell_execute=False,
            resources={"metadata": {"path": str(folder)}},  # its own cwd is all threads'
            iopub_timeout=60,
            raise_on_iopub_timeout=True,
        )
    except PapermillExecutionError as error:
        reason = " ".join(error.evalue.split()) or "no reason given"
        reason = reason if len(reason) <= LONGEST else f"{reason[:140]} … {reason[-150:]}"
        raise RuntimeError(f"code cell {error.exec_count}: {error.ename}: {reason}") from None
    except DeadKernelError:
        raise RuntimeError(f"the kernel died ({provisioner.end()})") from None
    except (RuntimeError, TimeoutError) as error:  # it never answered
        reason = "; ".join(filter(None, (provisioner.end(), str(error))))
        raise RuntimeError(f"no kernel started ({reason}): is there memory enough?") from None


def require_code(notebook: NotebookNode) -> None:
    """Raise ``RuntimeError`` that names the cell, for code that no kernel need read."""
    if wrong := cells.problem(notebook):
        raise RuntimeError(wrong)


def run(row: Statement) -> str | None:
    """Execute a chapter into ``_build/executed``; what went wrong, if anything did."""
    started = time.monotonic()
    run_records.path(row.tag).unlink(missing_ok=True)
    record: dict[str, Any] = {"tag": row.tag, "environment": environment.described()}
    try:
        notebook = notebooks.read(row.chapter)  # what is fingerprinted is what is executed
        require_code(notebook)
        record["inputs"] = fingerprint.fingerprint(notebook)
        done = notebooks.strip(execute(notebook, row.chapter.parent))
        record["error"] = snapshot.execution_problem(done)
        if record["error"] is None and fingerprint.fingerprint(done) != record["inputs"]:
            record["error"] = "its inputs were edited while it ran: run `make book` again"
        if record["error"] is None:
            notebooks.store(done, run_records.executed(row))
    except (RuntimeError, ValueError) as error:
        record["error"] = str(error).splitlines()[0]
    except Exception as error:  # said with the chapter's name
        record["error"] = f"{type(error).__name__}: {error}".splitlines()[0]
    record["time"] = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    record["seconds"] = round(time.monotonic() - started, 2)
    run_records.save(row.tag, record)
    return record["error"]


def run_chapter(row: Statement, parameters: dict[str, Any]) -> Path:
    """Execute one chapter with parameters into a file of its own, whose path is returned; the
    stored notebook stays as it is.  Raises ``RuntimeError`` as ``execute``.
    """
    notebook = notebooks.read(row.chapter)
    require_code(notebook)
    environment.open_files(1)
    with environment.in_force():
        done = execute(notebook, row.chapter.parent, parameters)
    target = current().chapters / row.tag / row.chapter.name
    notebooks.store(notebooks.strip(done), target)
    return target
