"""``make resolution``: how small a change of a formula each claim can see.

A chapter is executed again and again with every function of the companion that it calls changed,
each by a factor of its own: 1 + eps times a number between 1/2 and 1, up or down, for a ladder of
eps; at the end some with a flipped sign.  No factor moves a fitted exponent, a direction or a
ranking: claims that see none below 2 are asked once more with an exponent 1 + eps in the factor's
place.  The smallest eps that turns a claim red is what the claim *sees*.  A claim that sees nothing
is one that no formula reaches: a proof in symbols, or a row that cannot fail.
"""

import ast
import functools
import json
import multiprocessing
import statistics
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import filelock

from ledgerbook import fingerprint, notebooks, paths, project
from ledgerbook.alterations import SIGN, Size, change, changes
from ledgerbook.perturb import LIMIT, Key, Outcome, execute, formulas
from ledgerbook.statements import Statement, statement, written

LADDER = (1e-9, 1e-6, 1e-3, 1e-2, 0.05, 0.2, 1.0)
PROVED = {"symbolic", "decided", "kernel"}  # what no function of the companion computes


FACTORS = (*map(Size, LADDER), Size(SIGN, seed=1), Size(SIGN, seed=2))
EXPONENTS = tuple(Size(size, exponent=True) for size in LADDER)


class Chapter:
    """One chapter under measurement.

    names: functions whose change lets the chapter end.  One whose smallest change stops it makes
    data, not formulas; one that stops it at some size is left out at the larger ones.
    """

    def __init__(self, code: str, folder: Path):
        self.code, self.folder = code, folder
        begun = time.monotonic()
        self.base = execute(code, folder)
        # a change may send a solver astray: what takes ten times as long has not ended
        self.limit = min(LIMIT, 10 + 10 * (time.monotonic() - begun))
        self.names = formulas(code)

    def changed(self, names: list[str], by: Size) -> Outcome:
        """The chapter with some functions changed."""

        def prepare():
            for name, how in changes(names, by).items():
                change(name, how)

        return execute(self.code, self.folder, prepare, limit=self.limit)

    def red(self, by: Size, open_: set[Key]) -> set[Key]:
        """Which claims turn red; where a change stops the chapter, in halves of the functions."""
        waiting, found = [self.names] if self.names else [], set[Key]()
        while waiting and open_ - found:
            names = waiting.pop()
            now = self.changed(names, by)
            found |= {key for key in open_ if now.passed.get(key) is False}
            if len(names) > 1 and not now.ended:
                waiting += [names[: len(names) // 2], names[len(names) // 2 :]]
            elif not now.ended and by.size != SIGN:
                self.names = [name for name in self.names if name != names[0]]
        return found

    def smallest(self, ladder: Iterable[Size], open_: set[Key]) -> dict[Key, float]:
        """For each claim the first change of a ladder that turns it red."""
        found: dict[Key, float] = {}
        for by in ladder:
            found |= dict.fromkeys(self.red(by, open_ - found.keys()), by.size)
        return found


def measure(row: Statement) -> dict[str, dict[str, float]]:
    """For each claim of a chapter that a formula reaches, what it sees: by tag and id."""
    chapter = Chapter(notebooks.code(notebooks.read(row.chapter)), row.chapter.parent)
    open_ = {key for key, passed in chapter.base.passed.items() if passed}
    open_ -= {key for key in open_ if chapter.base.kinds[key] in PROVED}
    sees = chapter.smallest(FACTORS[:1], open_)
    makes_no_data = chapter.names
    sees |= chapter.smallest(FACTORS[1:], open_ - sees.keys())
    chapter.names = makes_no_data
    weak = {key for key in open_ if sees.get(key, SIGN) >= 1}
    sees |= {
        k: min(size, sees.get(k, SIGN)) for k, size in chapter.smallest(EXPONENTS, weak).items()
    }
    found: dict[str, dict[str, float]] = {}
    for (tag, id), size in sorted(sees.items()):
        found.setdefault(tag, {})[id] = size
    return found


class _Meaning(ast.NodeTransformer):
    """Drops from code what no measurement depends on: words, checks of input, the package."""

    def visit_Constant(self, node):
        words = isinstance(node.value, str) and " " in node.value
        return ast.Constant("") if words else node

    def visit_Expr(self, node):
        call = node.value.func if isinstance(node.value, ast.Call) else None
        if isinstance(call, ast.Name) and call.id.startswith("require"):
            return None
        return self.generic_visit(node)

    def visit_ImportFrom(self, node):
        name = node.module or ""
        own = name.partition(".")[0] == __name__.partition(".")[0]
        return None if own or name in project.settings().ground else node


@functools.cache
def meaning(source: str) -> str:
    """Code without words, comments, checks of arguments, and imports of what is no formula."""
    return ast.dump(_Meaning().visit(ast.parse(source)))


def inputs(row: Statement) -> str:
    """What a measurement depends on: the chapter's formulas and the modules that they reach."""
    code = notebooks.code(notebooks.read(row.chapter))
    ground = {fingerprint.module_file(name) for name in project.settings().ground}
    package = Path(__file__).parent
    files = [
        file
        for file in fingerprint.closure(code)
        if file not in ground and package not in file.parents
    ]
    texts = [file.read_text(encoding="utf-8") for file in files]
    return fingerprint.digest(
        [meaning(code), *map(meaning, texts), *fingerprint.data_files([code, *texts])]
    )


def current(rows: Iterable[Statement], keys: dict[str, str]) -> tuple[int, int]:
    """How many chapters were measured with the formulas that they have now, and of how many."""
    measurable = [row for row in rows if row.kind != "experiment"]
    return sum(keys.get(row.tag) == inputs(row) for row in measurable), len(measurable)


def load() -> dict[str, Any]:
    """What is stored: by tag and id the size, ``inputs`` by tag, tags asked with ``exponents``."""
    if not paths.RESOLUTION.exists():
        return {"inputs": {}, "exponents": []}
    return json.loads(paths.RESOLUTION.read_text(encoding="utf-8"))


def _store(tag: str, found: dict[str, dict[str, float]], key: str) -> None:
    """Add a chapter to what is stored; runs side by side lose nothing of each other's."""
    paths.BUILD.mkdir(parents=True, exist_ok=True)
    with filelock.FileLock(paths.BUILD / "resolution.lock"):
        stored = load() | found
        stored["inputs"][tag] = key
        stored["exponents"] = sorted({*stored["exponents"], tag})
        text = json.dumps(stored, indent=1, sort_keys=True) + "\n"
        paths.write_atomically(paths.RESOLUTION, text)


def sentence() -> str:
    """What a reader of the column *sees* has to know: how much of it is up to date."""
    if not paths.RESOLUTION.exists():
        return ""
    stored, rows = load(), written()
    fresh, all_ = current(rows, stored["inputs"])
    asked, _ = current([row for row in rows if row.tag in stored["exponents"]], stored["inputs"])
    rest = "" if fresh == all_ else ", in the others for formulas that have been edited since"
    last = "" if asked == fresh else f" In {asked} of these {fresh} exponents were asked, too."
    return (
        f"*Sees* was measured for the formulas as they stand in {fresh} of {all_} chapters{rest}."
        + last
    )


def medians(rows: Iterable[Statement], stored: dict) -> dict[str, tuple[float, int, int]]:
    """By kind of claim: the median of what is seen, how many see something, how many are there."""
    seen: dict[str, list[float | None]] = {}
    for row in rows:
        for tag, record in notebooks.closing_records(notebooks.read(row.chapter)).items():
            for claim in record["claims"]:
                if claim["passed"] and claim["kind"] not in PROVED:
                    size = stored.get(tag, {}).get(claim["id"])
                    seen.setdefault(claim["kind"], []).append(size)
    found = {kind: [s for s in sizes if s is not None] for kind, sizes in sorted(seen.items())}
    return {k: (statistics.median(v or [0]), len(v), len(seen[k])) for k, v in found.items()}


def main(tags: list[str], jobs: int = 2) -> int:
    """Measure what is out of date and store it; returns the exit status."""
    rows = [statement(tag) for tag in tags] or [r for r in written() if r.kind != "experiment"]
    stored, now = load(), {row.tag: inputs(row) for row in rows}
    done = {tag: key for tag, key in stored["inputs"].items() if tag in stored["exponents"]}
    todo = [row for row in rows if done.get(row.tag) != now[row.tag]]
    for row in todo:  # everything that the children share is imported before they are forked
        formulas(notebooks.code(notebooks.read(row.chapter)))
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(jobs, mp_context=fork) as pool:
        for row, found in zip(todo, pool.map(measure, todo), strict=True):
            _store(row.tag, found, now[row.tag])
            print(f"{row.tag}: {sum(map(len, found.values()))} claims see a formula", flush=True)
    for kind, (median, some, all_) in medians(rows, load()).items():
        print(f"{kind}: median {median:g}; {some} of {all_} see a formula")
    return 0
