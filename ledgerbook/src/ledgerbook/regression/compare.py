"""Outputs against outputs: what differs beyond tolerance, for ``make book`` and nbval alike.

Ledger rows are compared field by field: what has a tolerance by it, everything else exactly.
Captions and alt texts are compared exactly; printed text by its words, with each number of two
or more digits free by one unit of its last digit; pictures by what they show from afar.
"""

import base64
import io
import math
import re
from collections.abc import Iterable
from decimal import Decimal
from itertools import zip_longest
from typing import Any

from nbformat import NotebookNode

from ledgerbook.chapters import notebooks
from ledgerbook.ledger.ledger_table import MIME

TOLERANT = ("observed", "bound", "numbers")  # numbers: an erratum's, which has no row's tolerance
DERIVED = "margin"  # follows from the others; ``snapshot`` computes it again
RTOL, ATOL = 1e-6, 0.0
PICTURE_LEVELS = 24  # of 255: a picture moved by a pixel is 16 apart, another one 28 and more
MISSING = "nothing"
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?(?![\w])")


def difference(place: str, stored: Any, computed: Any, tolerance: str = "") -> str:
    """One thing that is not as it was: where, what was there, what is there now."""
    then, now = (text if text == MISSING else repr(text) for text in (stored, computed))
    shorter = (t if len(t) <= 160 else f"{t[:100]} … {t[-50:]}" for t in (then, now))
    return f"{place}: {' -> '.join(shorter)}{tolerance}"


def notebook_differences(stored: NotebookNode, computed: NotebookNode) -> list[str]:
    """What differs between two notebooks of the same cells, each thing once."""
    found: list[str] = []
    cells = zip(notebooks.code_cells(stored), notebooks.code_cells(computed), strict=True)
    for number, (old, new) in enumerate(cells, 1):
        found += output_differences(f"code cell {number}", old.outputs, new.outputs)
    return [*dict.fromkeys(found)]


def output_differences(
    cell: str, stored: list[NotebookNode], computed: list[NotebookNode]
) -> list[str]:
    """What differs between the outputs of one cell; ``cell`` is its name."""
    old, old_rows = _parted(stored)
    new, new_rows = _parted(computed)
    found = ledger_differences(old_rows, new_rows)
    for one, other in zip_longest(old, new):
        if one is None or other is None:
            found.append(difference(f"{cell}: an output", _kind(one), _kind(other)))
        else:
            found += _one_output(cell, one, other)
    return found


def _parted(outputs: list[NotebookNode]) -> tuple[list[NotebookNode], list[dict]]:
    """Outputs for people, and the ledger's; the ledger's tables follow from its rows."""
    joined = notebooks.joined_streams(outputs)
    ledger = [output["data"][MIME] for output in joined if MIME in output.get("data", {})]
    return [output for output in joined if MIME not in output.get("data", {})], ledger


def _kind(output: NotebookNode | None) -> str:
    if output is None:
        return MISSING
    return ", ".join(sorted(output.get("data", {}))) or output.get("name") or output["output_type"]


def _one_output(cell: str, one: NotebookNode, other: NotebookNode) -> Iterable[str]:
    kinds = [f"{out['output_type']} of {_kind(out)}" for out in (one, other)]
    if kinds[0] != kinds[1]:
        yield difference(f"{cell}: kind of output", kinds[0], kinds[1])
        return
    yield from _walk(cell, one.get("metadata", {}), other.get("metadata", {}))
    texts = {"printed text": (one.get("text", ""), other.get("text", ""))}
    texts |= {kind: (data, other["data"][kind]) for kind, data in one.get("data", {}).items()}
    for kind, (old, new) in texts.items():
        if kind != "image/png":
            yield from _text_differences(f"{cell}: {kind}", old, new)
        elif old != new and (apart := pictures_differ(old, new, _levels(one))):
            yield difference(f"{cell}: {kind}: picture", "another", apart)


def _levels(output: NotebookNode) -> int:
    """How far a picture may be from the stored one, which says whether its training is chaotic."""
    chaotic = output.get("metadata", {}).get("image/png", {}).get("chaotic")
    return 255 if chaotic else PICTURE_LEVELS


def _text_differences(place: str, one: str, other: str) -> Iterable[str]:
    if texts_agree(one, other):
        return
    lines = zip_longest(one.splitlines(), other.splitlines(), fillvalue=MISSING)
    for a, b in [pair for pair in lines if not texts_agree(*pair)][:5]:
        yield difference(place, a, b)


def ledger_differences(stored: list[dict], computed: list[dict]) -> list[str]:
    """What differs between the ledger outputs of a cell: rows by id, closing records by tag."""
    old, new = _rows(stored), _rows(computed)
    return [
        told
        for place in dict.fromkeys([*old, *new])
        for told in _walk(place, old.get(place, MISSING), new.get(place, MISSING))
    ]


def _rows(outputs: list[dict]) -> dict[str, dict]:
    """Shown rows and closing records by what they are called."""
    rows = {f"{o['tag']} {row['id']}": row for o in outputs for row in o.get("rows", ())}
    return rows | {o["closed"]["tag"]: o["closed"] for o in outputs if "closed" in o}


def _walk(place: str, old: Any, new: Any, rtol: float = RTOL, atol: float = ATOL) -> Iterable[str]:
    """Differences of two JSON values; a row brings its own tolerances."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        if old != new:
            yield difference(place, old, new)
        return
    rtol, atol = old.get("rtol", rtol), old.get("atol", atol)
    for key in dict.fromkeys([*old, *new]):
        one, other = old.get(key, MISSING), new.get(key, MISSING)
        if key == DERIVED:
            continue
        if key in TOLERANT:
            if not values_agree(one, other, rtol, atol):
                yield difference(f"{place}: {key}", one, other, f" (rtol {rtol:g}, atol {atol:g})")
        elif _has_ids(one) and _has_ids(other):
            tag = place.partition(" ")[0]
            old_items, new_items = ({item["id"]: item for item in _listed(v)} for v in (one, other))
            for id in dict.fromkeys([*old_items, *new_items]):
                pair = old_items.get(id, MISSING), new_items.get(id, MISSING)
                yield from _walk(f"{tag} {id}", *pair, rtol, atol)
        else:
            yield from _walk(f"{place}: {key}", one, other, rtol, atol)


def _listed(value: Any) -> list:
    return value if isinstance(value, list) else [value]


def _has_ids(value: Any) -> bool:
    return all(isinstance(item, dict) and "id" in item for item in _listed(value))


def values_agree(one: Any, other: Any, rtol: float, atol: float) -> bool:
    """Numbers within tolerance, lists entry by entry, everything else equal."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(
            values_agree(a, b, rtol, atol) for a, b in zip(one, other, strict=True)
        )
    if any(isinstance(value, bool | str | list | dict | type(None)) for value in (one, other)):
        return type(one) is type(other) and one == other
    return math.isclose(one, other, rel_tol=rtol, abs_tol=atol)


def pictures_differ(one: str, other: str, levels: int = PICTURE_LEVELS) -> str:
    """How two pictures differ to the eye, by more than ``levels`` of 255, or "".

    Fonts and antialiasing of another machine move an edge by a pixel; the mean levels of 24 by 24
    fields hardly feel that.
    """
    from PIL import Image  # asked for where the bytes differ

    seen = []
    for text in (one, other):
        try:
            with Image.open(io.BytesIO(base64.b64decode(text))) as whole:
                grey = whole.convert("RGB").convert("L")
        except (OSError, ValueError):
            return "no picture"
        seen.append((grey.size, grey.resize((24, 24), Image.Resampling.BOX).tobytes()))
    (size, shown), (wanted, others) = seen
    if any(abs(a - b) > 2 for a, b in zip(size, wanted, strict=True)):
        return f"{wanted[0]} by {wanted[1]} pixels where {size[0]} by {size[1]} are stored"
    worst = max(abs(a - b) for a, b in zip(shown, others, strict=True))
    return f"{worst} of 255 levels away" if worst > levels else ""


def texts_agree(one: str, other: str) -> bool:
    """Same words, and numbers that agree."""
    if NUMBER.sub("#", one).split() != NUMBER.sub("#", other).split():
        return False
    return all(map(numbers_agree, NUMBER.findall(one), NUMBER.findall(other)))


def numbers_agree(one: str, other: str) -> bool:
    """Whether two printed numbers differ by at most a unit of the last printed digit.

    Integers, and numbers of one significant digit, must be the same.
    """
    if one == other:
        return True
    if any(re.fullmatch(r"[-+]?\d+\.?", text) for text in (one, other)):
        return False
    first, second = numbers = Decimal(one), Decimal(other)
    digits = [len(number.as_tuple().digits) for number in numbers]
    last = min(n.adjusted() - count + 1 for n, count in zip(numbers, digits, strict=True))
    return abs(first - second) <= (Decimal(10) ** last if min(digits) > 1 else 0)
