"""``make test``: style, then types, unit tests, the package's tests and every chapter, one summary.

The runners work side by side, each into a file of its own; what is said of them here is how far
each is and, in the end, once and in this order: every failure with its reason, what was skipped and
why, how many passed.
"""

import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import joblib

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "_build" / "tests"
STYLE = (("format", "--check"), ("check",))
LINES = 25  # of the reason of a failure
SECONDS = 30  # between two lines that say how far the runners are
PERCENT = re.compile(r"\[\s*(\d+)%\]")
PYTEST = ("-m", "pytest", "--dist", "loadfile", "--no-loadscope-reorder", "-p", "no:cacheprovider")


class Runner(NamedTuple):
    """One of the runners: its name, what Python is called with, from where."""

    name: str
    words: tuple[str, ...]
    folder: Path = ROOT

    def command(self) -> list[str]:
        """The command line; pytest writes its results for machines, too."""
        more = [f"--junitxml={OUT / self.name}.xml"] if "pytest" in self.words else []
        return [sys.executable, *self.words, *more]


NBVAL = "-p ledgerbook.regression.nbval_plugin --nbval --nbval-current-env".split()
NBVAL += ["--nbval-cell-timeout", "600"]
# Of the project's tests as many as cores, since each collects them all; of the chapters one more:
# a kernel that starts or ends leaves its core to another.
RUNNERS = {
    one.name: one
    for one in (
        Runner("types", ("-m", "mypy")),
        Runner("units", (*PYTEST, "-n", str(joblib.cpu_count()), "tests")),
        Runner("package", (*PYTEST, "-n", "2", "tests"), ROOT / "ledgerbook"),
        Runner("chapters", (*PYTEST, *NBVAL, "-n", str(joblib.cpu_count() + 1), "book")),
    )
}
# Side by side, since tests wait for processes; the chapters, which end last, behind the package.
TOGETHER = (("types",), ("units",), ("package", "chapters"))


class Result(NamedTuple):
    """What a runner left: counts, failures as (name, reason), skips by reason."""

    passed: int
    failed: list[tuple[str, str]]
    skipped: Counter[str]


def read(runner: Runner, status: int) -> Result:
    """The result of a runner that ended; one that left none has failed as a whole."""
    file = OUT / f"{runner.name}.xml"
    said = (OUT / f"{runner.name}.txt").read_text(encoding="utf-8", errors="replace").strip()
    if not file.exists():
        failed = [(runner.name, said)] if status else []
        return Result(int(not status), failed, Counter())
    failed, skipped, passed = list[tuple[str, str]](), Counter[str](), 0
    for case in ET.parse(file).getroot().iter("testcase"):
        name = f"{case.get('classname', '')}::{case.get('name', '')}".strip(":")
        bad = [one for one in case if one.tag in ("failure", "error")]
        why = [one.get("message") or "" for one in case if one.tag == "skipped"]
        failed += [(name, one.text or one.get("message") or "") for one in bad[:1]]
        skipped.update(why)
        passed += not bad and not why
    if status and not failed:
        failed.append((runner.name, "\n".join(said.splitlines()[-LINES:])))
    return Result(passed, failed, skipped)


def progress(name: str) -> str:
    """How far a runner is, by the last share that it has written."""
    said = (OUT / f"{name}.txt").read_text(encoding="utf-8", errors="replace")
    return f"{name} {[0, *PERCENT.findall(said)][-1]} %"


def run(names: list[str]) -> dict[str, Result]:
    """Run what is named, lanes side by side; each line says who ended or how far all are."""
    OUT.mkdir(parents=True, exist_ok=True)
    quiet = os.environ | {"MAKEFLAGS": "", "NO_COLOR": "1", "PYTEST_ADDOPTS": ""}
    lanes = [[RUNNERS[name] for name in lane if name in names] for lane in TOGETHER]
    under_way: dict[str, tuple[Runner, subprocess.Popen, list[Runner]]] = {}
    results: dict[str, Result] = {}

    def start(lane: list[Runner]) -> None:
        if lane:
            (OUT / f"{lane[0].name}.xml").unlink(missing_ok=True)
            with open(OUT / f"{lane[0].name}.txt", "wb") as said:
                process = subprocess.Popen(
                    lane[0].command(), cwd=lane[0].folder, env=quiet,
                    stdout=said, stderr=subprocess.STDOUT,
                )  # fmt: skip
            under_way[lane[0].name] = lane[0], process, lane[1:]

    for lane in lanes:
        start(lane)
    begun = told = time.monotonic()
    try:
        while under_way:
            time.sleep(0.2)
            for name, (runner, process, rest) in list(under_way.items()):
                if process.poll() is not None:
                    del under_way[name]
                    results[name] = read(runner, process.returncode)
                    seconds = time.monotonic() - begun
                    print(f"{name}: {_counts([results[name]])} ({seconds:.0f} s)", flush=True)
                    start(rest)
            if under_way and time.monotonic() - told > SECONDS:
                told = time.monotonic()
                print(f"  … {', '.join(map(progress, under_way))}", flush=True)
    finally:
        for _, process, _ in under_way.values():
            process.terminate()
    return results


def _counts(results: list[Result]) -> str:
    passed, failed = sum(r.passed for r in results), sum(len(r.failed) for r in results)
    skipped = sum(sum(r.skipped.values()) for r in results)
    return f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")


def summary(results: dict[str, Result]) -> Iterator[str]:
    """All that has to be known, failures first, the counts last."""
    for name, result in results.items():
        for test, reason in result.failed:
            lines = reason.strip().splitlines()
            more = [f"  … whole in _build/tests/{name}.txt"] if len(lines) > LINES else []
            yield "\n".join([f"FAILED {name}: {test}", *(f"  {one}" for one in lines[-LINES:])])
            yield from more
    skips = sum((result.skipped for result in results.values()), Counter[str]())
    for reason, number in skips.most_common():
        yield f"skipped {number}: {' '.join(reason.split())}"
    yield _counts(list(results.values()))


def main(names: list[str]) -> int:
    """Run the runners that are named, or all, style first; 0 where nothing failed."""
    for name in names:
        if name not in RUNNERS:
            raise ValueError(f"test = {name!r}, allowed: one of {', '.join(RUNNERS)}")
    if not names:
        ruff = [sys.executable, "-m", "ruff"]
        style = [subprocess.run([*ruff, *words, "--quiet", "."], cwd=ROOT) for words in STYLE]
        if any(done.returncode for done in style):
            print("style: run ruff format and ruff check")
            return 1
    results = run(names or list(RUNNERS))
    print("\n".join(summary(results)))
    return int(any(result.failed for result in results.values()))
