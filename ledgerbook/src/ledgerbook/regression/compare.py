"""Outputs against outputs: what differs beyond tolerance, for ``make book`` and nbval alike.

Ledger rows are compared field by field: what has a tolerance by it, everything else exactly.
Captions and alt texts are compared exactly; printed text by its words, with each number of two
or more digits free by one unit of its last digit; pictures by colour, pixel by pixel, with room for
a line that moved by two.
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
from ledgerbook.ledger.ledger_table import MIME, show_value
from ledgerbook.regression import forms

TOLERANT = ("observed", "bound", "numbers")  # numbers: an erratum's, which has no row's tolerance
DERIVED = "margin"  # follows from the others; ``snapshot`` computes it again
RTOL, ATOL = 1e-6, 0.0
# A pixel is off by so many of 255 levels from all within the reach, a window's width.  Moved by a
# pixel, a picture of this size has fewer than 1 of 100,000 pixels off, with another colour or with
# something missing at least 5 of 10,000 (83 pictures).
PICTURE_LEVELS, PICTURE_REACH, PICTURE_SHARE = 32, 5, 2e-4
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
    yield from _walk(cell, forms.told(one), forms.told(other))
    texts = {"printed text": (one.get("text", ""), other.get("text", ""))}
    texts |= {kind: (data, other["data"][kind]) for kind, data in one.get("data", {}).items()}
    texts |= forms.pair(one, other)
    for kind, (old, new) in texts.items():
        if kind not in forms.PICTURES:
            yield from _text_differences(f"{cell}: {kind}", old, new)
        elif old != new and (apart := pictures_differ(old, new, _chaotic(one))):
            yield difference(f"{cell}: {kind}: picture", "another", apart)


def _chaotic(output: NotebookNode) -> bool:
    """Whether a stored picture says that another processor draws another one."""
    return bool(output.get("metadata", {}).get("image/png", {}).get("chaotic"))


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
            yield _one_sided(place, old, new)
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


def _one_sided(place: str, old: Any, new: Any) -> str:
    """A difference of values that are not both records; a row that is new or gone in a line."""
    row = old if new == MISSING else new
    if MISSING not in (old, new) or not isinstance(row, dict) or "passed" not in row:
        return difference(place, old, new)
    tag, _, id = place.partition(" ")
    word = "a new row" if old == MISSING else "a row that is gone"
    verdict = "holds" if row["passed"] else "fails"
    return f"{tag} {word}: {id}, {verdict}, observed {show_value(row['observed'])}"


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


def pictures_differ(one: str, other: str, chaotic: bool = False) -> str:
    """How two pictures differ to the eye, or "": by their size or by the pixels that are off.

    A pixel is off where its colour is none that the other picture has within two pixels.  So a line
    may be a pixel or two away, as antialiasing and a changed last digit move it, while another
    colour, something missing, and anything drawn elsewhere are seen.  ``chaotic``: only the size
    counts.
    """
    from PIL import Image  # asked for where the bytes differ

    seen = []
    for text in (one, other):
        try:
            with Image.open(io.BytesIO(base64.b64decode(text))) as whole:
                seen.append(whole.convert("RGB"))
        except (OSError, ValueError):
            return "no picture"
    size, wanted = (picture.size for picture in seen)
    if any(abs(a - b) > 2 for a, b in zip(size, wanted, strict=True)):
        return f"{wanted[0]} by {wanted[1]} pixels where {size[0]} by {size[1]} are stored"
    if chaotic:
        return ""
    common = (0, 0, *map(min, size, wanted))
    first, second = (picture.crop(common) for picture in seen)
    off = max(_pixels_off(first, second), _pixels_off(second, first))
    return f"{off} pixels off" if off > PICTURE_SHARE * common[2] * common[3] else ""


def _pixels_off(one: Any, other: Any) -> int:
    """Pixels of one picture of which a channel is outside of what the other has around them."""
    from PIL import ImageChops, ImageFilter

    low, high = (kind(PICTURE_REACH) for kind in (ImageFilter.MinFilter, ImageFilter.MaxFilter))
    above = ImageChops.subtract(one, other.filter(high))
    below = ImageChops.subtract(other.filter(low), one)
    red, green, blue = ImageChops.lighter(above, below).split()
    worst = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return sum(worst.histogram()[PICTURE_LEVELS:])


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
