"""One chapter in one process: execute, strip, store.  Started by ``tooling.execute``, never by
hand.

Dies with its parent, kernel included: the parent holds the other end of this process's stdin.
"""

import os
import resource
import sys
import tempfile
import threading
import time

import psutil

from tooling import fingerprint, notebooks, paths, runs
from tooling.statements import statement

# One thread a kernel and a fixed hash seed: the same numbers whatever runs beside it.
QUIET = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "MPLBACKEND": "agg",
    "JUPYTER_PREFER_ENV_PATH": "1",
    "PYTHONWARNINGS": "ignore::DeprecationWarning",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
}


def die_with_parent():
    """Kill the kernel and this process when stdin closes."""
    sys.stdin.buffer.read()
    for child in psutil.Process().children(recursive=True):
        child.kill()
    os._exit(1)


def execute(source, target, parameters, workdir):
    """Run a notebook through papermill on a kernel with a private IPC socket."""
    import papermill
    from traitlets.config import Config

    with tempfile.TemporaryDirectory(prefix="k") as private:
        config = Config({"KernelManager": {"transport": "ipc", "ip": f"{private}/k"}})
        papermill.execute_notebook(
            str(source),
            str(target),
            parameters=parameters,
            kernel_name="python3",
            progress_bar=False,
            cwd=str(workdir),
            config=config,
        )


def describe(error):
    """Cell, exception and message of a failed execution, in one line."""
    if hasattr(error, "cell_index"):
        return f"cell {error.cell_index}: {error.ename}: {error.evalue}".splitlines()[0]
    return f"{type(error).__name__}: {error}".splitlines()[0]


def run(tag):
    """Execute the chapter of ``tag``, store the notebook and its record."""
    row = statement(tag)
    before = notebooks.read(row.chapter)
    record = {"tag": tag, "fingerprint": fingerprint.fingerprint(before)}
    target = paths.EXECUTING / f"{tag}.{os.getpid()}.ipynb"
    target.parent.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    try:
        execute(row.chapter, target, {}, row.chapter.parent)
        done = notebooks.strip(notebooks.read(target))
        record["outputs"] = notebooks.outputs_digest(done)
        record["error"] = notebooks.execution_problem(done)
        if record["error"] is None:
            notebooks.store(done, row.chapter)
    except Exception as error:  # reported by the parent, with the chapter's name
        record["error"] = describe(error)
    finally:
        target.unlink(missing_ok=True)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    unit = 1 if sys.platform == "darwin" else 1024  # macOS counts bytes, Linux kilobytes
    record |= {
        "seconds": round(time.monotonic() - started, 2),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 2),
        "peak_bytes": usage.ru_maxrss * unit,
    }
    runs.save(tag, record)
    return record["error"]


if __name__ == "__main__":
    os.environ.update(QUIET)
    threading.Thread(target=die_with_parent, daemon=True).start()
    code = 1 if run(sys.argv[1]) else 0
    sys.stdout.flush()
    os._exit(code)  # the lifeline thread is still reading
