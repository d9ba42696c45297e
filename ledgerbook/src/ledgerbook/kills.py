"""``make kills``: what a run leaves when it is killed, at random moments of all that it does.

In a copy of the project chapters are executed, pages are built and a grid is swept, one at a time
and two at once, and each is killed somewhere.  Then nothing may be damaged, no process may be left,
and the same command must end well with the same bytes.
"""

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import psutil

from ledgerbook import notebooks, paths, project
from ledgerbook.mutate import copies
from ledgerbook.statements import statement

MARK = "LEDGERBOOK_KILLS"  # in the environment of all that a command starts: the copy's folder
PATIENCE = 20  # seconds in which what a killed command has started must be gone
SWEPT = "_build/swept"  # in the copy
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


def commands(tags: list[str], grid: str) -> dict[str, list[list[str]]]:
    """What is killed, by name: one command line, or two that run at once."""
    execution = ["book", "--force", "--no-pages", "--jobs", "1", "--only", *tags]
    what = {"execution": [execution], "collection and pages": [["pages"]]}
    if grid:
        what["sweep"] = [["sweep", grid, "--out", SWEPT, "--seeds", "2"]]
    both = ["book", "--force", "--jobs", "2", "--only", *tags]  # pages beside the chapters
    return what | {"two at once": [execution, ["pages"]], "the whole book": [both]}


def start(arguments: list[str], root: Path) -> subprocess.Popen:
    """One command in the copy; interrupts reach it although it has no terminal."""
    environment = {**os.environ, "PYTHONPATH": paths.python_path(root), MARK: str(root)}
    return subprocess.Popen(
        [sys.executable, *project.settings().command.split()[1:], *arguments],
        cwd=root,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def left_in(root: Path) -> list[str]:
    """Processes that work in a folder or were started for it, in words."""
    found = []
    for process in psutil.process_iter(["cwd", "cmdline", "environ", "pid", "status"]):
        words = " ".join([process.info["cwd"] or "", *(process.info["cmdline"] or ())])
        ours = str(root) in words or (process.info["environ"] or {}).get(MARK) == str(root)
        if ours and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(f"{process.info['pid']} {words[-120:]}")
    return found


def stored_bytes(root: Path) -> dict[str, str]:
    """Hash of every file of the book: what a killed run may not change."""
    files = sorted(file for file in (root / "book").rglob("*") if file.is_file())
    hashes = (hashlib.sha256(file.read_bytes()).hexdigest() for file in files)
    return dict(zip((file.relative_to(root).as_posix() for file in files), hashes, strict=True))


def damage(root: Path, before: dict[str, str]) -> list[str]:
    """What is not whole: files of the book that changed or came, records that cannot be read."""
    now = stored_bytes(root)
    names = sorted(before.keys() | now.keys())
    lines = [f"{name} changed" for name in names if before.get(name) != now.get(name)]
    for file in (root / "book").rglob("*.ipynb"):
        try:
            notebooks.parse(file.read_bytes(), file)
        except ValueError as error:
            lines.append(str(error))
    for file in (root / "_build").glob("*.json"):
        try:
            json.loads(file.read_text(encoding="utf-8"))
        except ValueError:
            lines.append(f"{file.name} is not whole")
    return lines


def make_stale(root: Path, tags: Sequence[str]) -> None:
    """The pages of some chapters are out of date: every build has something to build."""
    (root / paths.relative(paths.STAMP)).unlink(missing_ok=True)
    for tag in tags:
        os.utime(root / paths.relative(statement(tag).chapter))


def kill_once(lines: list[list[str]], moment: float, how: signal.Signals, root: Path) -> list[str]:
    """Start commands, kill them at a moment; which processes are left after ``PATIENCE``."""
    running = [start(line, root) for line in lines]
    time.sleep(moment)
    for process in running:
        process.send_signal(how)
    for process in running:
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            return [f"{how.name} did not end it"]
    end = time.monotonic() + PATIENCE
    while (left := left_in(root)) and time.monotonic() < end:
        time.sleep(0.2)
    return left


def results(root: Path) -> bytes:
    """The table that a finished sweep wrote; removed with all its runs, so that the next begins."""
    table = root / SWEPT / "results.csv"
    if not table.exists():
        return b""
    found = table.read_bytes()
    shutil.rmtree(root / SWEPT)
    return found


def left_in_scratch(root: Path) -> list[str]:
    """Folders of processes that are gone; the lock of them all stays."""
    return [place.name for place in (root / "_build/scratch").glob("*") if place.is_dir()]


def wanted(tags: list[str], grid: str, only: Sequence[str]) -> dict[str, list[list[str]]]:
    """Those of ``commands`` that are named, all where none is.  Raises ``ValueError``."""
    what = commands(tags, grid)
    for name in only:
        if name not in what:
            raise ValueError(f"what = {name!r}, allowed: {', '.join(map(repr, what))}")
    return {name: lines for name, lines in what.items() if not only or name in only}


def whole(
    what: dict[str, list[list[str]]], root: Path, tags: Sequence[str]
) -> tuple[dict[str, float], bytes]:
    """Every command to its end: how long each takes, and the table of the sweep.

    Raises ``RuntimeError`` for one that fails: a kill of it would say nothing.
    """
    lasts = {}
    for name, lines in what.items():
        make_stale(root, tags)
        begin = time.monotonic()
        if any(codes := [process.wait() for process in [start(line, root) for line in lines]]):
            raise RuntimeError(f"{name} fails without any kill: status {codes}")
        lasts[name] = time.monotonic() - begin
        print(f"{name}: whole in {lasts[name]:.0f} s", flush=True)
    return lasts, results(root)


def main(number: int, seed: int, tags: list[str], grid: str = "", only: Sequence[str] = ()) -> int:
    """Kill ``number`` times; prints each and a summary, returns 1 where something was left.

    only: names of ``commands``, all when empty.
    """
    what = wanted(tags, grid, only)
    (root,), draw = copies(1, "kills"), random.Random(seed)
    whole(what, root, tags)  # the first build of all pages, which the later ones need not repeat
    lasts, table = whole(what, root, tags)
    before, bad, counts = stored_bytes(root), 0, Counter[str]()
    for index in range(number):
        name, how = draw.choice(sorted(what)), draw.choice(SIGNALS)
        moment = draw.uniform(0.2, lasts[name])
        make_stale(root, tags)
        left = kill_once(what[name], moment, how, root)
        harm = damage(root, before)
        results(root)
        bad += bool(left or harm)
        counts[name] += 1
        words = "; ".join([*(f"left: {one}" for one in left), *harm]) or "nothing left, all whole"
        print(f"{index + 1}: {name}, {how.name} after {moment:.1f} s: {words}", flush=True)
    same = whole(what, root, tags)[1] == table and stored_bytes(root) == before
    scratch = left_in_scratch(root)
    print(
        f"{number} kills ({dict(counts)}): {bad} with harm; afterwards every command ends well,"
        f" same bytes: {same}, left in scratch: {len(scratch)}"
    )
    return int(bool(bad or not same or scratch))
