"""The environment of every kernel: quiet, one thread, the same hash seed everywhere."""

import gc
import os
import platform
import subprocess
import sys
from pathlib import Path

from ledgerbook.execution import forkserver
from ledgerbook.project import paths
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
    """Look for circles of garbage as seldom as a kernel does.

    Pages and tests keep most of what they make, and each look walks through all of it: a fifth of
    the time in which pages are built.
    """
    gc.set_threshold(*forkserver.SELDOM)


def quiet() -> dict[str, str]:
    """What is set for every kernel."""
    homes = {name: str(paths.HOMES / name.lower()) for name in HOMES}
    for place in homes.values():
        Path(place).mkdir(parents=True, exist_ok=True)
    own, others = paths.python_path(), os.environ.get("PYTHONPATH", "")  # our packages first
    places = dict.fromkeys(f"{own}{os.pathsep}{others}".split(os.pathsep))
    return QUIET | homes | {"PYTHONPATH": os.pathsep.join(filter(None, places))}


def open_files(jobs: int) -> None:
    """Let this process open the files of so many kernels at once: sockets, mostly.

    Raises ``ValueError`` where the system allows fewer: a kernel without them ends in pages of
    tracebacks.
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
    """Let matplotlib look for fonts: the first kernel would, and say so where it takes long."""
    if not any((paths.HOMES / "mplconfigdir").glob("fontlist*")):
        command = [sys.executable, "-c", "import matplotlib.font_manager"]
        subprocess.run(command, env=os.environ | quiet(), capture_output=True)


def described() -> str:
    """Python and platform of this process, for records and the status page."""
    return f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
