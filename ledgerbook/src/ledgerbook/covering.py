"""Which tests execute which line, for ``make mutate``: a fault is asked only of what reaches it.

Every test file runs once under coverage.py in the copy that is to be broken, its own processes
with it; what is red there cannot judge and is left out, by name.  What a green one reached is
kept in ``_build/covering`` until a file of the copy changes that is no other test.
"""

import ast
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coverage import CoverageData
from tqdm import tqdm

from ledgerbook import fingerprint, paths, project

LIMIT = 600  # seconds for one test file
SETTINGS = "[run]\nparallel = true\npatch = subprocess\nsource = {folder}\n"


@dataclass
class Covering:
    """seconds: of each test file that is green; lines: module to line to the files that reach it.

    red: the files that fail in the copy as it stands.
    """

    seconds: dict[str, float] = field(default_factory=dict)
    lines: dict[str, dict[int, set[str]]] = field(default_factory=dict)
    red: list[str] = field(default_factory=list)

    def judges(self, module: str, source: str, line: int, most: float) -> list[str]:
        """The test files that reach the statement of a line: mirror first, then the fastest.

        Those after the first that would not fit into ``most`` seconds are left out.  A compiled
        loop is run where nobody counts lines: what none is seen to reach is asked of all that
        import its module.
        """
        reached = self.lines.get(module, {})
        found = set().union(*(reached.get(each, ()) for each in statement(source, line)))
        found = found or set().union(*reached.values())
        mirror = f"test_{Path(module).stem}.py"
        chosen: list[str] = []
        spent = 0.0
        for file in sorted(found, key=lambda one: (Path(one).name != mirror, self.seconds[one])):
            spent += self.seconds[file]
            if chosen and spent > most:
                break
            chosen.append(file)
        return chosen


def statement(source: str, line: int) -> range:
    """The lines of the innermost statement around a line; of one with a body its head alone."""
    around = alone = range(line, line + 1)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno):
            body = getattr(node, "body", None)
            end = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno
            around = range(node.lineno, (end or node.lineno) + 1)
    return around if line in around else alone


def tests(root: Path, folders: Iterable[str], slow: Iterable[str] = ()) -> list[str]:
    """All test files below some folders, but for those that are named as slow."""
    found = (file for folder in folders for file in (root / folder).rglob("test_*.py"))
    names = dict.fromkeys(file.relative_to(root).as_posix() for file in found)
    return [name for name in sorted(names) if name not in set(slow)]


def together(copy: Path, files: Iterable[str]) -> dict[Path, list[str]]:
    """Test files by the project that they belong to: the nearest folder with a pyproject.toml."""
    groups: dict[Path, list[str]] = {}
    for file in files:
        homes = [folder for folder in (copy / file).parents if folder.is_relative_to(copy)]
        home = next((one for one in homes if (one / "pyproject.toml").is_file()), copy)
        groups.setdefault(home, []).append((copy / file).relative_to(home).as_posix())
    return groups


def environment(copy: Path) -> dict[str, str]:
    """The variables of a process that imports the packages of the copy."""
    return {"PYTHONPATH": paths.python_path(copy), "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1"}


def red(
    copy: Path, files: Iterable[str], limit: float, extra: Mapping[str, str] | None = None
) -> bool:
    """Whether one of the test files fails in the copy; what does not end in time has failed.

    With ``extra``, the variables that coverage.py asks for, they run under it.
    """
    front = ["-m", "coverage", "run"] if extra else []
    for home, names in together(copy, files).items():
        command = [sys.executable, *front, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
        variables = {**environment(copy), **(extra or {})}
        try:
            subprocess.run(
                [*command, *names],
                cwd=home,
                env=variables,
                capture_output=True,
                timeout=limit,
                check=True,
            )
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            return True
    return False


def measure(copies: list[Path], folders: Mapping[str, Iterable[str]]) -> Covering:
    """What the tests of ``folders`` (code to its tests) reach, as many at a time as copies."""
    slow = project.settings().slow_tests
    names = tests(copies[0], [one for some in folders.values() for one in some], slow)
    made, free = Covering(), list(copies)
    ground = fingerprint.digest([sys.version, *_ground(copies[0])])
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(len(copies)) as pool:

        def run(name: str) -> None:
            copy = free.pop()
            try:
                key = fingerprint.digest([ground, copy / name])
                _enter(made, name, _kept(copy, name, key, Path(scratch, name.replace("/", "-"))))
            finally:
                free.append(copy)

        list(tqdm(pool.map(run, names), "tests and what they reach", len(names), disable=None))
    return made


def _ground(copy: Path) -> Iterator[str | Path]:
    """Names and files of all that a test may read, but for the tests, which are asked singly."""
    for file in sorted(copy.rglob("*")):
        if file.is_file() and file.suffix != ".pyc" and not file.name.startswith("test_"):
            yield from (file.relative_to(copy).as_posix(), file)


def _kept(copy: Path, name: str, key: str, scratch: Path) -> dict[str, Any]:
    """What a test file reached, from its record where that has the key; nothing for a red one."""
    record = paths.BUILD / "covering" / f"{scratch.name}.json"
    found = paths.read_record(record)
    if found.get("key") == key:
        return found
    found = _measured(copy, name, scratch)
    if found:
        paths.write_atomically(record, json.dumps({"key": key, **found}))
    return found


def _enter(made: Covering, name: str, found: Mapping[str, Any]) -> None:
    if not found:
        made.red.append(name)
        return
    made.seconds[name] = found["seconds"]
    for module, reached in found["lines"].items():
        lines = made.lines.setdefault(module, {})
        for line in reached:
            lines.setdefault(line, set()).add(name)


def _measured(copy: Path, name: str, scratch: Path) -> dict[str, Any]:
    """Run one test file in a copy: its seconds, and module to the lines that it reached."""
    scratch.mkdir()
    settings = scratch / "coveragerc"
    settings.write_text(SETTINGS.format(folder=copy), encoding="utf-8")
    extra = {"COVERAGE_RCFILE": str(settings), "COVERAGE_FILE": str(scratch / "data")}
    before = time.monotonic()
    if red(copy, [name], LIMIT, extra):
        return {}
    seconds, lines = time.monotonic() - before, dict[str, set[int]]()
    for file in scratch.glob("data*"):
        data = CoverageData(os.fspath(file))
        data.read()
        for module in map(Path, data.measured_files()):
            if module.is_relative_to(copy):
                reached = lines.setdefault(module.relative_to(copy).as_posix(), set())
                reached.update(data.lines(str(module)) or ())
    return {"seconds": seconds, "lines": {module: sorted(lines[module]) for module in lines}}
