"""What rows add up to: verdict, margin, status, strength.  Each is computed by one function here.

A *row* is a claim's record as ``ledger`` stores it; nothing in this file reads a file or
knows a paper.
"""

import math
import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ledgerbook.ledger.ledger_table import verdict
from ledgerbook.project.validation import require

RELATIONS = {
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
    "==": operator.eq,
    "in": lambda observed, limits: limits[0] <= observed <= limits[1],
}
STRENGTHS = ("measured", "certified", "proved", "kernel-checked")
# What a kind of row establishes when it passes.
KINDS = {
    "identity": "measured",
    "inequality": "measured",
    "limit": "measured",
    "rate": "measured",
    "sign": "measured",
    "statistical": "measured",
    "reproduction": "measured",
    "certified": "certified",  # interval arithmetic over a stated range of parameters
    "exact": "certified",  # exact rational arithmetic, an exhaustive finite case
    "symbolic": "proved",  # an identity in symbols, for all that the symbols stand for
    "decided": "proved",  # an inequality by a decision procedure or a factorization
    "kernel": "kernel-checked",  # a proof assistant's kernel accepted it
}
STATUSES = (
    "holds",
    "holds as corrected",
    "holds under extra conditions",
    "does not hold",
    "not checked",
    "replicated",
    "partly replicated",
    "not replicated",
    "an assumption",
)


def compare(observed: Any, relation: str, bound: Any) -> bool:
    """``observed relation bound``; ``in`` takes a pair of limits.  A missing value never passes."""
    if observed is None:
        return False
    return bool(RELATIONS[relation](observed, bound))


def noise(relation: str, bound: Any) -> float:
    """How far an identity's observed value may move: its bound, or half the width of its range."""
    size = (bound[1] - bound[0]) / 2 if relation == "in" else bound
    require(isinstance(size, int | float), "bound", bound, "a number")
    return size


def margin(observed: Any, relation: str, bound: Any) -> float | None:
    """How clear the verdict is: a ratio for positive values (> 1 passes), else a difference (> 0).

    For ``in``: distance to the nearer limit over half the width.  ``None`` for equality and words.
    """
    if observed is None or relation == "==" or isinstance(observed, bool | str):
        return None
    if relation == "in":
        low, high = bound
        if high <= low:
            return None
        return rounded(min(observed - low, high - observed) / ((high - low) / 2))
    big, small = (bound, observed) if relation in ("<=", "<") else (observed, bound)
    return rounded(big / small if big > 0 and small > 0 else big - small)


def rounded(value: float) -> float | None:
    """Nine significant digits: enough to compare, few enough to read.  Non-finite: ``None``."""
    return float(f"{value:.9g}") if math.isfinite(value) else None


def status(record: Mapping, kind: str = "statement") -> str:
    """The status of a statement, from the rows of its closing record alone.

    A claim that is not ``as_printed`` and fails: *does not hold*.  An as-printed claim that
    fails is answered by an erratum, or by the consequence of another statement's, whose second
    evidence passes: *holds under extra conditions* if that evidence has a condition, else *holds
    as corrected*; unanswered: *does not hold*.  A slip of the proof alone, answered so, leaves the
    statement's own status as it is.  A claim as printed that passes only under a
    condition (any claim, where none is as printed) makes it *holds under extra conditions*, too.
    An experiment's verdict counts the claims as printed: *replicated* (all, and none under a
    condition, such as a smaller range), *not replicated* (none), *partly replicated*.
    An assumption has no truth value: who meets it is in ``met``.
    """
    claims = record["claims"]
    if not claims:
        return "not checked"
    if kind == "assumption":
        return "an assumption"
    ours_hold = all(row["passed"] for row in claims if not row["as_printed"])
    printed = [row for row in claims if row["as_printed"]]
    if kind == "experiment" and printed:
        held = sum(row["passed"] for row in printed)
        limited = any(row.get("condition") for row in printed)
        all_held = held == len(printed) and ours_hold and not limited
        return "replicated" if all_held else "partly replicated" if held else "not replicated"
    return _truth(record, ours_hold, printed)


def _truth(record: Mapping, ours_hold: bool, printed: list) -> str:
    """Status of a statement that has a truth value."""
    failed = [row["id"] for row in printed if not row["passed"]]
    answers = answered(record)
    if not ours_hold or not all(any(row["passed"] for row in answers.get(id, ())) for id in failed):
        return "does not hold"
    in_proof = {slip["evidence"][0] for slip in record["errata"] if slip.get("proof")}
    failed = [id for id in failed if id not in in_proof]
    held = [row for row in printed if row["passed"]]
    decisive = [row for id in failed for row in answers[id]] + held or record["claims"]
    if any(row.get("condition") for row in decisive):
        return "holds under extra conditions"
    return "holds as corrected" if failed else "holds"


def answered(record: Mapping) -> dict[str, list]:
    """For each claim that an erratum or a consequence says to fail: the rows that hold instead."""
    by_id = {row["id"]: row for row in record["claims"]}
    answers: dict[str, list] = {}
    for item in [*record["errata"], *record.get("consequences", ())]:
        fails, holds = item["evidence"]
        answers.setdefault(fails, []).append(by_id[holds])
    return answers


def weakest(strengths: Iterable[str | None]) -> str | None:
    """The weakest of some strengths; ``None`` for none at all or where one is missing."""
    found = list(strengths)
    return min(found, key=STRENGTHS.index) if found and None not in found else None


def strength(record: Mapping) -> str | None:
    """The strength of a statement: the weakest row that its conclusion, as it holds, needs.

    These are the rows marked ``concludes``; where none is, those as printed that pass and those
    that answer the ones that fail; where there is neither, all that pass.
    """
    passed = [row for row in record["claims"] if row["passed"]]
    answers = [row for rows in answered(record).values() for row in rows if row["passed"]]
    needed = [row for row in passed if row.get("concludes")]
    needed = needed or [row for row in passed if row["as_printed"]] + answers or passed
    return weakest(row["strength"] for row in needed)


def surprises(record: Mapping) -> list[str]:
    """What in a statement's record nobody announced: lines that name the row and the difference.

    A red claim that is not as printed, a red control, a failure as printed that nothing explains,
    an erratum or a consequence whose evidence does not fail and then hold.
    """
    claims = {row["id"]: row for row in record["claims"]}
    explained = answered(record)
    lines = [
        f"claim {verdict(row)}"
        for row in claims.values()
        if not row["passed"] and not row.get("subject")
        if not (row["as_printed"] and row["id"] in explained)
    ]
    lines += [f"control {verdict(row)}" for row in controls(record) if not row["passed"]]
    for item in [*record["errata"], *record.get("consequences", ())]:
        fails, holds = (claims[id]["passed"] for id in item["evidence"])
        if fails or not holds:
            lines.append(
                f"{item['id']}: its evidence should fail, then hold; passed = {fails}, {holds}"
            )
    return [f"{record['tag']}: {line}" for line in lines]


def controls(record: Mapping) -> list:
    """All controls of a record, hypothesis after hypothesis."""
    return [
        row
        for h in record["hypotheses"]
        if h["control"]
        for row in [h["control"], *h.get("further_controls", [])]
    ]


def rows_of(statement: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The claims of an entry, or of a chapter's closing record, and its controls."""
    yield from statement["claims"]
    for hypothesis in statement["hypotheses"]:
        controls = [hypothesis.get("control"), *hypothesis.get("further_controls", ())]
        yield from (control for control in controls if control)
