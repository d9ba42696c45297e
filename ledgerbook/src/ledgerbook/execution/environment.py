"""The environment of every kernel: quiet, one thread, the same hash seed everywhere."""

import gc
import importlib.util
import os
import platform
import tempfile
from pathlib import Path

from ledgerbook.execution import forkserver
from ledgerbook.project import paths

# One thread a kernel and a fixed hash seed: the same numbers whatever runs beside it.
QUIET = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "MPLBACKEND": "agg",
    "JUPYTER_PREFER_ENV_PATH": "1",
    "PYTHONSTARTUP": "",
    "PYTHONWARNINGS": "ignore::DeprecationWarning",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    "PYDEVD_USE_FRAME_EVAL": "NO",  # set by an import of every kernel: so it is the same in forks
}
OWN = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR")  # a person's own profile and settings are not read
FONTS = "MPLCONFIGDIR"  # the list of fonts is the person's, where it can be written


def collect_seldom() -> None:
    """Look for circles of garbage as seldom as a kernel does.

    Pages and tests keep most of what they make, and each look walks through all of it: a fifth of
    the time in which pages are built.
    """
    gc.set_threshold(*forkserver.SELDOM)


def quiet() -> dict[str, str]:
    """What is set for every kernel: nothing of a person's own settings reaches it.

    Matplotlib's are its own defaults, which it looks for behind ``MATPLOTLIBRC`` first; its list of
    fonts goes to a folder of ours where none below HOME can be written.
    """
    usual = Path(os.environ.get(FONTS) or os.path.expanduser("~/.config/matplotlib"))
    names = OWN if _writable(usual) else (*OWN, FONTS)
    ours = {name: str(paths.HOMES / name.lower()) for name in names}
    for place in ours.values():
        Path(place).mkdir(parents=True, exist_ok=True)
    return QUIET | ours | {"MATPLOTLIBRC": _defaults(), "PYTHONPATH": _python_path()}


def _defaults() -> str:
    """Matplotlib's own settings; "" where it is not installed.  It is not imported for it."""
    found = importlib.util.find_spec("matplotlib")
    return str(Path(found.origin).with_name("mpl-data") / "matplotlibrc") if found else ""


def _python_path() -> str:
    """The companion's packages first, whether or not they are installed; each place once."""
    whole = os.pathsep.join([paths.python_path(), os.environ.get("PYTHONPATH", "")])
    return os.pathsep.join(dict.fromkeys(filter(None, whole.split(os.pathsep))))


def _writable(place: Path) -> bool:
    """Whether a file can be made there; the folder, or its nearest parent that exists, is tried."""
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        with tempfile.TemporaryFile(dir=place):
            return True
    except OSError:
        return False


def described() -> str:
    """Python and platform of this process, for records and the status page."""
    return f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
