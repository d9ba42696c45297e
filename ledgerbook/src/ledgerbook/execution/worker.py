"""One chapter in one process: execute it apart from the book, record how that went.

Started by ``execute``, never by hand.  Dies with its parent, kernel included: the parent
holds the other end of this process's stdin.
"""

import hashlib
import os
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ledgerbook.chapters import fingerprint, notebooks
from ledgerbook.chapters.statements import Statement, statement
from ledgerbook.execution import environment, forkserver, provisioner, run_records, snapshot
from ledgerbook.project import parent_watch, tempdirs


def execute(source: Path, target: Path, parameters: dict[str, Any], workdir: Path) -> None:
    """Run a notebook through papermill on a kernel with private sockets, forked if possible."""
    import papermill

    provisioner.use()
    papermill.execute_notebook(
        notebooks.read(source),  # tidy, whatever an editor made of it
        str(target),
        parameters=parameters,
        kernel_name="python3",
        progress_bar=False,
        request_save_on_cell_execute=False,  # twice a cell, and what is interrupted is of no use
        cwd=str(workdir),
    )


def describe(error: BaseException) -> str:
    """Cell, exception and message of a failed execution, in one line."""
    if hasattr(error, "cell_index") and hasattr(error, "ename") and hasattr(error, "evalue"):
        text = f"cell {error.cell_index}: {error.ename}: {error.evalue}"
    else:
        text = f"{type(error).__name__}: {error}"
    if type(error).__name__ == "DeadKernelError" and provisioner.ends:
        text = f"the kernel died ({provisioner.ends[-1]})"
    return text.splitlines()[0]


def run(tag: str) -> str | None:
    """Execute the chapter of ``tag`` into ``_build/executed``; what went wrong, if anything did."""
    row = statement(tag)
    started = time.monotonic()
    record: dict[str, Any] = {"tag": tag, "environment": environment.described()}
    try:
        record |= _execute(row)
    except Exception as error:  # reported by the parent, with the chapter's name
        record["error"] = describe(error)
    record["time"] = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    record["seconds"] = round(time.monotonic() - started, 2)
    run_records.save(tag, record)
    return record["error"]


def _execute(row: Statement) -> dict[str, Any]:
    """What was executed, and why the result cannot be trusted, or ``None``."""
    data = row.chapter.read_bytes()
    notebook = notebooks.parse(data, row.chapter)
    record: dict[str, Any] = {
        "inputs": fingerprint.fingerprint(notebook),
        "python": run_records.python_version(),
        "source": hashlib.sha256(data).hexdigest(),
    }
    with tempdirs.folder() as private:
        source, target = private / "source.ipynb", private / row.chapter.name
        source.write_bytes(data)  # what is fingerprinted is what is executed
        try:
            execute(source, target, {}, row.chapter.parent)
        except Exception as error:
            return record | {"error": describe(error)}
        done = notebooks.strip(notebooks.read(target))
    problem = snapshot.execution_problem(done)
    if problem is None and fingerprint.fingerprint(notebook) != record["inputs"]:
        problem = "its inputs were edited while it ran: run `make book` again"
    if problem is None:
        notebooks.store(done, run_records.executed(row))
    return record | {"error": problem}


if __name__ == "__main__":
    forkserver.give_way(10)  # the pages, made at the same time, go first
    os.environ.update(environment.quiet())
    parent_watch.hold()
    code = 1 if run(sys.argv[1]) else 0
    sys.stdout.flush()
    os._exit(code)  # the lifeline thread is still reading
