"""What rows see, as ``make resolution`` stored it, and whether it holds for today's rows."""

import json
import re
from typing import Any

from ledgerbook.chapters import fingerprint, notebooks, registry
from ledgerbook.chapters.statements import statement
from ledgerbook.project import paths, seals, storage

PROVED = {"symbolic", "decided", "kernel"}  # what no function of the companion computes


# What no measurement depends on, in code: comments, layout, and texts of more than one word.
WORDS = re.compile(r'"{3}.*?"{3}|"[^"\n]* [^"\n]*"|#[^\n]*|\s+', re.DOTALL)


def inputs(tag: str) -> str:
    """What a measurement of a statement's rows depends on: their module, and what they show.

    How the companion's functions compute is left out: a change that moves no row leaves what the
    rows see as it was, and measuring one statement takes minutes.
    """
    file = registry.declared()[tag]
    source = file.read_text(encoding="utf-8")
    own = [other for other in fingerprint.closure(source) if other in registry.files()]
    code = [WORDS.sub("", other.read_text(encoding="utf-8")) for other in [file, *own]]
    record = notebooks.closing_records(notebooks.read(statement(tag).chapter)).get(tag, {})
    rows = [f"{tag} {claim['id']} {_shown(claim)}" for claim in record.get("claims", ())]
    return fingerprint.digest([*code, *rows, *fingerprint.data_files([source])])


def _shown(claim: dict[str, Any]) -> str:
    """A row's verdict and numbers, as coarse as rounding on another machine needs."""
    if claim["kind"] in PROVED:
        return str(claim["passed"])
    bound, seen = (_numbers(claim[key]) for key in ("bound", "observed"))
    size = max([0.0, *map(abs, bound)])
    coarse = [f"{x:.2g}" if abs(x) > size else f"{x / size if size else 0:z.2f}" for x in seen]
    words = [str(claim[key]) for key in ("relation", "passed", "kind")]
    return " ".join([*words, *(f"{x:.6g}" for x in bound), *coarse])


def _numbers(value: Any) -> list[float]:
    """All numbers in a number or in lists of lists of them."""
    if isinstance(value, list):
        return [number for item in value for number in _numbers(item)]
    return [float(value)] if isinstance(value, int | float) else []


def load() -> dict[str, Any]:
    """What is stored: ``sees``, by tag and id ``[size, function]``; ``inputs``, by tag."""
    return {"sees": {}, "inputs": {}} | storage.table(paths.RESOLUTION)


def current() -> dict[str, dict[str, Any]]:
    """What is known of the rows as they are now, by tag and id."""
    stored = load()
    known = registry.declared()
    return {
        tag: seen
        for tag, seen in stored["sees"].items()
        if tag in known and stored["inputs"].get(tag) == inputs(tag)
    }


def store(tag: str, seen: dict, key: str) -> None:
    """Add a statement to what is stored."""
    stored = load()
    stored["sees"][tag], stored["inputs"][tag] = seen, key
    text = json.dumps(stored, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    storage.write_atomically(paths.RESOLUTION, text)
    seals.seal(paths.RESOLUTION)


def sentence() -> str:
    """What a reader of the column *sees* has to know: how much of it is up to date."""
    fresh, all_ = len(current()), len(registry.declared())
    if not fresh:
        return ""
    rest = "" if fresh == all_ else "; the rows of the others have been edited since"
    return f"*Sees* was measured for {fresh} of {all_} statements as they are now{rest}."
