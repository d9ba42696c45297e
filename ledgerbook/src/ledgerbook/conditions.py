"""Under which other conditions a chapter can run: seeds, threads, types of number, Pythons."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ledgerbook import environment, notebooks, project
from ledgerbook.statements import Statement

SEEDS = {"seed": 10007, "seed-2": 20014, "seed-3": 30021}  # added to every seed
# What an interpreter is asked: its version, and those of the packages named behind.
ASK = """import sys
from importlib import metadata
print("Python %d.%d" % sys.version_info[:2])
known = {one.metadata["Name"]: one.version for one in metadata.distributions()}
print(*(f"{name} {known[name]}" for name in sys.argv[1:] if name in known), sep="\\n")
"""
THREADS = [name for name in environment.QUIET if name.endswith("_NUM_THREADS")]


@dataclass(frozen=True)
class Condition:
    """What is different in a run.

    parameters: names and values, or a number that is added to the chapter's own.
    environment: variables of the process.  python: the interpreter.
    """

    name: str
    words: str
    parameters: dict[str, Any] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    python: str = sys.executable

    def values(self, row: Statement) -> dict[str, Any] | None:
        """The chapter's parameters as they are here; ``None`` where it has none to change."""
        own = notebooks.parameters(notebooks.read(row.chapter))
        if not self.parameters.keys() <= own.keys():
            return None
        return {
            name: own[name] + value if isinstance(value, int) else value
            for name, value in self.parameters.items()
        }


def conditions(pythons: Iterable[str] = ()) -> dict[str, Condition]:
    """All conditions by name; one more for each interpreter of ``pythons``, named by its version.

    Raises ``ValueError`` for an interpreter that does not start.
    """
    found = [
        *(Condition(name, f"every `seed` plus {n}", {"seed": n}) for name, n in SEEDS.items()),
        Condition("threads", "two threads", environment=dict.fromkeys(THREADS, "2")),
        Condition(
            "float32", "numbers of 32 bits, where `dtype` is a parameter", {"dtype": "float32"}
        ),
    ]
    for python in (shutil.which(name) or name for name in pythons):
        python = os.path.abspath(python)  # a chapter runs in its own folder
        version, words = _asked(python)
        found.append(Condition(f"python-{version}", words, python=python))
    return {one.name: one for one in found}


def _asked(python: str) -> tuple[str, str]:
    """An interpreter's version, and it together with those of the packages that it has."""
    ask = [python, "-c", ASK, *project.settings().packages]
    try:
        said = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError) as error:
        raise ValueError(f"python = {python!r}, allowed: an interpreter that starts") from error
    return said[0].removeprefix("Python "), ", ".join(said)
