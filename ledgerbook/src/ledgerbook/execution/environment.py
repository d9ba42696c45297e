"""The environment in which every kernel runs.

Environment variables that silence tools, limit numeric libraries to one thread and fix the hash
seed, so that a chapter gives the same numbers whatever else runs on the machine.
"""

import contextlib
import gc
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from ledgerbook.execution import forkserver
from ledgerbook.project.project import VARIABLE, current
from ledgerbook.project.validation import require

try:
    import resource
except ImportError:  # Windows: no such limit
    resource = None  # type: ignore[assignment]

# One thread a kernel and a fixed hash seed: the same numbers whatever runs beside it.
QUIET = {
    **{f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS", "NUMBA")},
    "PYTHONHASHSEED": "0",
    "MPLBACKEND": "agg",
    "JUPYTER_PREFER_ENV_PATH": "1",
    "JUPYTER_PATH": "",  # a kernel called python3 that is another environment's
    "MATPLOTLIBRC": "",
    # A row's words are its docstring, and what Python says of itself goes among the outputs.
    **dict.fromkeys(("PYTHONSTARTUP", "PYTHONOPTIMIZE", "PYTHONIOENCODING", "FORCE_COLOR"), ""),
    "NO_COLOR": "1",
    "TORCH_LOGS": "-dynamo",  # nothing that anybody reads; torch 2.13 cannot be imported beside ""
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONWARNINGS": "ignore::DeprecationWarning",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
}
# What would otherwise be read and written below HOME: nobody's own settings change a picture.
HOMES = ("MPLCONFIGDIR", "IPYTHONDIR", "JUPYTER_CONFIG_DIR")


def collect_seldom() -> None:
    """Run Python's cyclic garbage collector rarely in this process (``forkserver.SELDOM``).

    Building pages and running tests keep most of the objects that they create.  A collection walks
    through all of them; at Python's default thresholds this took a fifth of the build time.
    """
    gc.set_threshold(*forkserver.SELDOM)


def quiet() -> dict[str, str]:
    """The environment variables that are set for every kernel, by name.

    They are ``QUIET``, the folders of ``HOMES`` for settings and caches of IPython and matplotlib,
    which are created here, and ``PYTHONPATH`` with the project's own packages first.  Where the
    environment names a project, it names the one that is worked on.
    """
    homes = {name: str(current().homes / name.lower()) for name in HOMES}
    for place in homes.values():
        Path(place).mkdir(parents=True, exist_ok=True)
    own, others = current().python_path(), os.environ.get("PYTHONPATH", "")  # our packages first
    places = dict.fromkeys(f"{own}{os.pathsep}{others}".split(os.pathsep))
    named = {VARIABLE: str(current().root)} if os.environ.get(VARIABLE) else {}
    return QUIET | homes | named | {"PYTHONPATH": os.pathsep.join(filter(None, places))}


@contextlib.contextmanager
def in_force() -> Iterator[None]:
    """A block in which this process has the environment of a kernel, for those that it starts."""
    given = quiet()
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def open_files(jobs: int) -> None:
    """Raise this process's limit of open files to what ``jobs`` kernels at once need.

    Raises ``ValueError`` if the system allows fewer, because a kernel that cannot open a socket
    ends in several pages of tracebacks.
    """
    if resource is None:
        return
    wanted = 96 + 16 * jobs
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < wanted:
        allowed = f"{wanted} or more here: ulimit -n {wanted}"
        require(hard < 0 or hard >= wanted, "open files", hard, allowed)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def list_fonts() -> None:
    """Build matplotlib's font cache now.

    Otherwise the first kernel would build it, and print a message where that takes long.
    """
    if not any((current().homes / "mplconfigdir").glob("fontlist*")):
        command = [sys.executable, "-c", "import matplotlib.font_manager"]
        subprocess.run(command, env=os.environ | quiet(), capture_output=True)


def described() -> str:
    """Python and platform of this process, for records and the status page."""
    return f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
