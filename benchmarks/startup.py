"""What a chapter costs beside its own computing: kernel start, imports, shut-down.

A notebook of nothing but imports, by nbclient and by nbval's kernel, on a kernel forked from a
warmed process beside one started in the ordinary way; turn by turn in this one process, medians.
"""

import contextlib
import os
import statistics
import time
from pathlib import Path

import nbformat
import psutil
from ledgerbook.execution import environment, provisioner
from ledgerbook.execution.execute import execute
from nbval.kernel import CURRENT_ENV_KERNEL_NAME, RunningKernel

IMPORTS = """\
import matplotlib.pyplot
import mpmath
import networkx
import numba
import numpy
import sympy
import torch
from scipy import stats"""
TURNS = 5


def by_nbclient():
    """A chapter of ``make book``."""
    execute(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(IMPORTS)]), Path.cwd())


def by_nbval():
    """A chapter of ``make test``."""
    kernel = RunningKernel(CURRENT_ENV_KERNEL_NAME)
    message = kernel.execute_cell_input(IMPORTS, allow_stdin=False)
    kernel.await_reply(message, timeout=60)
    kernel.stop()


def seconds(run):
    """Wall-clock time of ``run()``."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


@contextlib.contextmanager
def ordinary():
    """No warmed process in reach."""
    address = os.environ.pop(provisioner.ADDRESS)
    try:
        yield
    finally:
        os.environ[provisioner.ADDRESS] = address


def main():
    """Print the overheads and what the warmed process costs once."""
    os.environ.update(environment.quiet())
    provisioner.use()
    with provisioner.warmed():
        first = seconds(by_nbclient)
        server = next(p for p in psutil.Process().children() if "forkserver" in p.cmdline()[1])
        memory = server.memory_info().rss / 2**20
        for run in (by_nbclient, by_nbval):
            forked, fresh = [], []
            for _ in range(TURNS):
                forked.append(seconds(run))
                with ordinary():
                    fresh.append(seconds(run))
            one, other = statistics.median(forked), statistics.median(fresh)
            print(
                f"{run.__name__}: forked {one:.2f} s, ordinary {other:.2f} s, "
                f"{other / one:.1f} times"
            )
    print(f"once a run: first kernel {first:.2f} s, the warmed process holds {memory:.0f} MiB")


if __name__ == "__main__":
    main()
