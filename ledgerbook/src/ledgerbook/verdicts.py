"""``python -m ledgerbook.verdicts CODE RESULT``: what a chapter recorded, in any Python.

It needs of this package no more than a chapter does, so that an environment without notebooks can
be asked.  ``ledgerbook.invariance`` starts it, and ``ledgerbook.claims`` uses its one function.
"""

import json
import signal
import sys
from pathlib import Path

from ledgerbook import storage
from ledgerbook.ledger_table import Summary

LIMIT = 600  # seconds for one chapter


def closed_records(code: str, name: str) -> list[dict]:
    """Execute a chapter's code in this process; what its ledgers recorded when they were closed."""
    closed: list[dict] = []
    Summary.__init__ = lambda self, record: closed.append(record)  # type: ignore[method-assign]
    exec(compile(code, name, "exec"), {"__name__": "__main__"})
    return closed


def outcome(code: str, name: str) -> dict:
    """``{"records": [...]}``; or a module that is not here, ``needs``; or an error, ``stopped``."""
    if "figures" in code:  # no chapter draws without naming them: the others wait for no library
        from ledgerbook import figures

        figures.Picture.__init__ = lambda self, *a, **k: None  # type: ignore[method-assign]
    try:
        return {"records": closed_records(code, name)}
    except ModuleNotFoundError as error:
        return {"needs": (error.name or str(error)).partition(".")[0]}
    except Exception as error:
        return {"stopped": " ".join(f"{type(error).__name__}: {error}".split())}


def main(code: Path, result: Path) -> int:
    """Write the outcome and Python's version as JSON; after ``LIMIT`` seconds nothing is left."""
    signal.alarm(LIMIT)
    found = outcome(code.read_text(encoding="utf-8"), code.stem)
    found["python"] = ".".join(map(str, sys.version_info[:2]))
    storage.write_atomically(result, json.dumps(found).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
