"""``make hunt``: statements with one formula changed, and a score for who finds which.

Three kinds of exercise: a slip of a paper as printed, a statement of the book with one formula
changed (a sign, a factor, an exponent, an index, a term, a fraction turned over, a logarithm), and
one that stands as it is.  Everything follows from a seed, so that answers are scored without a
hidden file.
"""

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ledgerbook import collect, markup, notebooks, paths
from ledgerbook.statements import Statement, written
from ledgerbook.validation import require

FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+?)\$", re.DOTALL)
THEOREM = re.compile(r"^:::\{prf:[a-z]+\}[^\n]*\n(?::[^\n]*\n)*(.*?)^:::$", re.M | re.DOTALL)
# Only an equation is certainly wrong when one side changes.
LOOSE = re.compile(
    r"\\(le|ge|approx|lesssim|gtrsim|gg|ll|sim|to|propto|in)(?![a-zA-Z])"
    r"|[<>]|\\Theta|[oO](?:\\[bB]ig)?\("
)
# A set, a list, a name: nothing that a factor or a sign makes wrong.
NO_FORMULA = re.compile(r"span|\\{|\[|\\dots|\\text\{[a-z]|mathbf 1")
# Kinds of change that a pattern makes.
REWRITES = (
    ("term", r"\b([A-Z])-1\b", r"\1"),
    ("fraction", r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"\\frac{\2}{\1}"),
    ("logarithm", r"(?<!\\ln)(?<!\\log)\\(?:ln|log)\s+", ""),
    ("rate", r"\\eta_Y", r"\\eta_Z"),
    ("overlap", r"\(1-\\rho\)", r"(1+\\rho)"),
)
RICH = re.compile(r"\\frac|\^|\\sum|\\int|\\ln|\\sqrt")
SHORTEST = 11  # characters of an equation worth a look
CLEAN = 4  # of so many exercises of the book's own one is left as it is


@dataclass(frozen=True)
class Exercise:
    """A text in which one formula may be wrong.

    wrong: the number of the wrong formula, counted from 1, or ``None``.  kind: how it was changed.
    right: what it was.  tag: of the chapter, where it is from one.
    """

    number: str
    title: str
    text: str
    wrong: int | None
    kind: str
    right: str = ""
    tag: str = ""


def changes(tex: str) -> Iterator[tuple[str, str]]:
    """Each way to make an equation wrong: ``(kind, tex)``."""
    left, equals, right = tex.partition("=")
    short = len(tex.strip()) < SHORTEST or not RICH.search(right) or not left.strip()
    if not equals or short or "=" in right or LOOSE.search(tex) or NO_FORMULA.search(tex):
        return
    sign = re.search(r"(?<=[\w})\]] )?(?<=[\w})\]])\s*([+-])(?![^{]*\})", right)
    if sign:
        other = {"+": "-", "-": "+"}[sign[1]]
        yield "sign", f"{left}={right[: sign.start(1)]}{other}{right[sign.end(1) :]}"
    minus = "-" if right.lstrip().startswith("-") else ""
    yield "factor", f"{left}={minus}2\\,{right.lstrip().removeprefix('-')}"
    if "^2" in right:
        yield "exponent", f"{left}={right.replace('^2', '^3', 1)}"
    for kind, pattern, other in REWRITES:
        if re.search(pattern, right):
            yield kind, f"{left}={re.sub(pattern, other, right, count=1)}"
    for one, other in (("_n", "_m"), ("_l", "_{l'}")):
        found = re.search(re.escape(one) + r"(?![a-zA-Z'{])", right)
        if found and one in left:
            yield "index", f"{left}={right[: found.start()]}{other}{right[found.end() :]}"


def exercises(seed: int) -> list[Exercise]:
    """All exercises of a seed, in an order that tells nothing."""
    rng = random.Random(seed)
    found = [*_slips(), *_own(rng)]
    rng.shuffle(found)
    return [Exercise(f"H{count:03}", *values) for count, values in enumerate(found, 1)]


def _slips() -> Iterator[tuple]:
    for erratum in collect.collect()["errata"]:
        title = erratum["location"]
        if not erratum["misprint"] and FORMULA.search(erratum["printed"]):
            yield title, erratum["printed"], 1, "slip", erratum["corrected"]


def _own(rng: random.Random) -> Iterator[tuple]:
    """The book's own statements, where nothing printed is known to be wrong."""
    errata = collect.collect()["errata"]
    slipped = {one["tag"] for one in errata if not (one["misprint"] or one.get("proof"))}
    for row in written():
        for text in _statements(row) if row.tag not in slipped else ():
            formulas = list(FORMULA.finditer(text))
            wrong = [
                (place, found, kind, changed)
                for place, found in enumerate(formulas, 1)
                for kind, changed in changes(found[1] or found[2])
            ]
            for place, found, kind, changed in wrong:
                if not rng.randrange(CLEAN):
                    yield row.name, text, None, "clean", "", row.tag
                at = found.start(1) if found[1] else found.start(2)
                old = found[1] or found[2]
                new = text[:at] + changed + text[at + len(old) :]
                yield row.name, new, place, kind, old, row.tag


def _statements(row: Statement) -> list[str]:
    """The statements of a chapter, and each piece of its walk that displays a formula."""
    cells = notebooks.read(row.chapter).cells
    words = [cell.source for cell in cells if cell.cell_type == "markdown"]
    stated = [found.strip() for text in words for found in THEOREM.findall(text)]
    walked = [text for text in words if "$$" in text and not THEOREM.search(text)]
    return stated + walked


def write(folder: Path, seed: int = 0) -> list[Exercise]:
    """The exercises as one page each and ``exercises.json``, without their answers."""
    made = exercises(seed)
    folder.mkdir(parents=True, exist_ok=True)
    for one in made:
        text = markup.render("exercise.md.jinja", one=one)
        paths.write_if_changed(folder / f"{one.number}.md", text)
    listed = {"seed": seed, "exercises": [one.number for one in made]}
    paths.write_if_changed(folder / "exercises.json", json.dumps(listed, indent=1))
    return made


def score(answers: dict[str, Any]) -> dict[str, float]:
    """Recall and precision of ``{"seed": 0, "answers": {"H001": 2, "H002": null}}``.

    An answer is the number of the wrong formula, or null for none.  Raises ``ValueError`` for an
    exercise that the seed does not have.
    """
    oracle = {one.number: one for one in exercises(int(answers["seed"]))}
    given = answers["answers"]
    unknown = sorted(set(given) - set(oracle))
    require(not unknown, "answers", unknown, f"H001 to H{len(oracle):03}")
    flagged = {name: place for name, place in given.items() if place is not None}
    right = sum(oracle[name].wrong == place for name, place in flagged.items())
    wrong = sum(one.wrong is not None for one in oracle.values())
    return {
        "exercises": len(oracle),
        "wrong": wrong,
        "found": right,
        "recall": right / wrong,
        "precision": right / len(flagged) if flagged else 1.0,
    }


def main(answers: Path | None, seed: int) -> int:
    """Write the exercises, or score a file of answers."""
    if answers is None:
        folder = paths.BUILD / "hunt"
        print(f"{len(write(folder, seed))} exercises in {paths.relative(folder)}")
        return 0
    for name, value in score(json.loads(answers.read_text(encoding="utf-8"))).items():
        print(f"{name}: {value:g}")
    return 0
