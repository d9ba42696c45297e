"""Programs that some tests ask for and that a machine with Python and make need not have.

A test says so by ``@pytest.mark.needs("Coq")``, or by asking for the fixture ``browser``; where the
program is missing it is skipped, and its line of the summary says how to get the program.
"""

import shutil
from collections.abc import Callable

from ledgerbook.coq import prove

NAMES = "chromium", "chromium-browser", "google-chrome"


def chromium() -> str | None:
    """Where Chromium is, by whichever of its names."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def driver() -> str | None:
    """Where Chromium's driver is; Selenium looks for none by itself."""
    return shutil.which("chromedriver")


# What a test may need: whether it is there, and what is said where it is not.
PROGRAMS: dict[str, tuple[Callable[[], bool], str]] = {
    "Chromium": (
        lambda: bool(chromium() and driver()),
        "no Chromium with its driver (Debian: apt-get install chromium chromium-driver)",
    ),
    "pdftotext": (
        lambda: shutil.which("pdftotext") is not None,
        "no pdftotext (Debian: apt-get install poppler-utils)",
    ),
    "Coq": (
        lambda: not prove.missing_tools(),
        f"no Coq here (Debian: apt-get install --no-install-recommends {prove.PACKAGES})",
    ),
}


def missing(name: str) -> str | None:
    """Why a test that needs ``name`` is skipped here, or ``None``."""
    there, reason = PROGRAMS[name]
    return None if there() else reason
