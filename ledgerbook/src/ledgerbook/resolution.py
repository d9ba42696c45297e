"""``make resolution``: how small a change of a formula each claim can see.

A chapter is executed again and again with every function of the companion that it calls changed,
each by a factor of its own: 1 + eps times a number between 1/2 and 1, up or down, for a ladder of
eps; at the end some with a flipped sign.  No factor moves a fitted exponent, a direction or a
ranking: claims that see none below 2 are asked once more with an exponent 1 + eps in the factor's
place.  The smallest eps that turns a claim red is what the claim *sees*.  Claims that see nothing
are asked with wrong formulas (``blind``).  What they do not turn red either is reached by no
formula: a proof in symbols, or a row that cannot fail.
"""

import multiprocessing
import statistics
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

from ledgerbook import blind, notebooks
from ledgerbook.alterations import SIGN, Size, change, changes
from ledgerbook.measured import PROVED, inputs, load, store
from ledgerbook.perturb import LIMIT, Key, Outcome, execute, formulas
from ledgerbook.statements import Statement, statement, written

LADDER = (1e-9, 1e-6, 1e-3, 1e-2, 0.05, 0.2, 1.0)


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
        # a change may send a solver astray: what takes four times as long has not ended
        self.limit = min(LIMIT, 5 + 4 * (time.monotonic() - begun))
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


Sizes = dict[str, dict[str, float]]  # by tag and id


class Found(NamedTuple):
    """What the claims of a chapter see, by tag and id: the size, or else what was wrong, in words.

    A claim that is in neither is reached by no formula.
    """

    sizes: Sizes
    wrong: dict[str, dict[str, str]]


def measure(row: Statement, known: Sizes | None = None, exponents: bool = True) -> Found:
    """What each claim of a chapter that a formula reaches sees.

    known: the sizes, where factors were asked already.  exponents: whether these are asked, too.
    """
    chapter = Chapter(notebooks.code(notebooks.read(row.chapter)), row.chapter.parent)
    open_ = {key for key, passed in chapter.base.passed.items() if passed}
    open_ -= {key for key in open_ if chapter.base.kinds[key] in PROVED}
    if known is None:
        sees = by_factors(chapter, open_)
    else:
        sees = {(tag, id): size for tag in known for id, size in known[tag].items()}
    names = chapter.names
    if exponents:
        weak = {key for key in open_ if sees.get(key, SIGN) >= 1}
        found = chapter.smallest(EXPONENTS, weak)
        sees |= {key: min(size, sees.get(key, SIGN)) for key, size in found.items()}
    blind_ = (open_ & chapter.base.claims) - sees.keys()
    wrong = blind.asked(chapter.code, chapter.folder, names, blind_, chapter.limit)
    return Found(by_tag(sees), by_tag(wrong))


def by_factors(chapter: Chapter, open_: set[Key]) -> dict[Key, float]:
    """The smallest factor that turns each claim red."""
    sees = chapter.smallest(FACTORS[:1], open_)
    makes_no_data = chapter.names
    sees |= chapter.smallest(FACTORS[1:], open_ - sees.keys())
    chapter.names = makes_no_data
    return sees


def by_tag(found: dict[Key, Any]) -> dict[str, dict[str, Any]]:
    """What is known by tag and id, by tag."""
    tags: dict[str, dict[str, Any]] = {}
    for (tag, id), value in sorted(found.items()):
        tags.setdefault(tag, {})[id] = value
    return tags


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
    measurable = [row for row in written() if row.kind != "experiment"]
    rows = [statement(tag) for tag in tags] or measurable
    stored, now = load(), {row.tag: inputs(row) for row in rows}
    measured = {row.tag for row in rows if stored["inputs"].get(row.tag) == now[row.tag]}
    raised = measured & {*stored["exponents"]}
    todo = [row for row in rows if row.tag not in raised & stored["wrong"].keys()]
    known = [_known(row, stored) if row.tag in measured else None for row in todo]
    for row in todo:  # everything that the children share is imported before they are forked
        formulas(notebooks.code(notebooks.read(row.chapter)))
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(jobs, mp_context=fork) as pool:
        asked = {
            pool.submit(measure, row, sizes, row.tag not in raised): row.tag
            for row, sizes in zip(todo, known, strict=True)
        }
        for answer in as_completed(asked):  # an interruption loses the chapters under way alone
            tag, found = asked[answer], answer.result()
            store(tag, *found, now[tag])
            sized, wrong = (sum(map(len, by.values())) for by in found)
            print(f"{tag}: {sized} claims see a size, {wrong} a wrong formula", flush=True)
    for kind, (median, some, all_) in medians(measurable, load()).items():
        print(f"{kind}: median {median:g}; {some} of {all_} see a formula")
    return 0


def _known(row: Statement, stored: dict) -> Sizes:
    """The stored sizes of a chapter's rows."""
    tags = notebooks.closing_records(notebooks.read(row.chapter))
    return {tag: stored[tag] for tag in tags if tag in stored}
