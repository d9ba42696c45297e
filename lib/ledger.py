"""Claims, controls and errata: what a chapter asserts, and the one function that judges it.

A chapter opens a ``Ledger``, records rows, shows them, and closes it.  What is shown
carries a machine-readable copy under ``lib.ledger_table.MIME``, from which the book's ledger is
collected.
"""

import math
import operator
import re
from dataclasses import asdict, dataclass, field

from lib.ledger_table import Rows, Summary, verdict
from lib.validation import require, require_choice

KINDS = (
    "identity",
    "inequality",
    "limit",
    "rate",
    "sign",
    "statistical",
    "reproduction",
    "symbolic",
    "certified",
)
RELATIONS = {
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
    "==": operator.eq,
    "in": lambda observed, limits: limits[0] <= observed <= limits[1],
}
REACHES = ("harmless", "changes a constant", "changes a conclusion")
TAG = re.compile(r"(scan-snap|mechanics|real-text)\.[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Claim:
    """An observed value against a bound.

    ``rtol``, ``atol``: how far ``observed`` may move on another machine.
    ``condition``: set when the claim holds only under something that the paper does not assume.
    """

    id: str
    claim: str
    kind: str
    observed: float | int | bool | str | None
    relation: str
    bound: object
    as_printed: bool = False
    equation: str | None = None
    condition: str | None = None
    rtol: float = 1e-6
    atol: float = 0.0

    @property
    def passed(self):
        """Whether the observed value stands in the stated relation to the bound."""
        return compare(self.observed, self.relation, self.bound)

    def record(self):
        """The row as the ledger's JSON has it."""
        return asdict(self) | {
            "margin": margin(self.observed, self.relation, self.bound),
            "passed": self.passed,
        }


def compare(observed, relation, bound):
    """``observed relation bound``; ``in`` takes a pair of limits.  A missing value never passes."""
    if observed is None:
        return False
    return bool(RELATIONS[relation](observed, bound))


def margin(observed, relation, bound):
    """How clear the verdict is: a ratio for positive values (> 1 passes), else a difference (> 0
    passes).

    For ``in``: distance to the nearer limit over half the width.  ``None`` for equality and words.
    """
    if observed is None or relation == "==" or isinstance(observed, (bool, str)):
        return None
    if relation == "in":
        low, high = bound
        return (
            _round(min(observed - low, high - observed) / ((high - low) / 2))
            if high > low
            else None
        )
    big, small = (bound, observed) if relation in ("<=", "<") else (observed, bound)
    return _round(big / small if big > 0 and small > 0 else big - small)


def _round(value):
    """Nine significant digits: enough to compare, few enough to read.  Non-finite becomes
    ``None``.
    """
    return float(f"{value:.9g}") if math.isfinite(value) else None


def _plain(value):
    """Numbers of any library as plain Python ones."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return _round(value) if isinstance(value, float) else value


@dataclass
class Ledger:
    """The rows of one statement.

    tag: the statement's permanent tag, e.g. ``scan-snap.lemma-05``.
    hypotheses: id to text; each needs a control or an honest ``unknown`` before ``close``.
    """

    tag: str
    hypotheses: dict = field(default_factory=dict)

    def __post_init__(self):
        require(
            TAG.fullmatch(self.tag),
            "tag",
            self.tag,
            "paper.name in lower case, as in scan-snap.lemma-05",
        )
        self._claims, self._controls, self._unknown, self._errata, self._pending = (
            {},
            {},
            {},
            [],
            [],
        )

    def claim(self, id, claim, observed, relation, bound, *, kind, **details):
        """Record a claim and return whether it passed.

        ``details``: ``as_printed``, ``equation``, ``condition``, ``rtol``, ``atol``.  An identity's
        observed value is rounding noise, so its ``atol`` is the bound unless stated.
        """
        row = self._row(id, claim, observed, relation, bound, kind, details)
        require(id not in self._claims, "id", id, "an id not used before in this chapter")
        self._claims[id] = row
        self._pending.append(("claim", row))
        return row.passed

    def control(
        self, id, hypothesis, claim, observed, relation, bound, *, kind="inequality", **details
    ):
        """Record what happens without ``hypothesis``; it passes when the stated failure is seen.

        To show instead that a hypothesis is not needed, state that as the control's claim.
        """
        require_choice("hypothesis", hypothesis, tuple(self.hypotheses))
        row = self._row(id, claim, observed, relation, bound, kind, details)
        self._controls.setdefault(hypothesis, []).append(row)
        self._pending.append((f"control of {hypothesis}", row))
        return row.passed

    def unknown(self, hypothesis, why):
        """Say that nobody knows whether ``hypothesis`` is needed, and why it was not tried."""
        self._unknown[require_choice("hypothesis", hypothesis, tuple(self.hypotheses))] = why

    def erratum(
        self, location, printed, corrected, *, fails, holds, reach, uncertain_reading=False
    ):
        """Record a slip: the claim ids that fail as printed and that hold as corrected."""
        for id in (fails, holds):
            require(id in self._claims, "evidence", id, "the id of a recorded claim")
        self._errata.append(
            {
                "tag": self.tag,
                "location": location,
                "printed": printed,
                "corrected": corrected,
                "evidence": [fails, holds],
                "reach": require_choice("reach", reach, REACHES),
                "uncertain_reading": uncertain_reading,
            }
        )

    def show(self):
        """The rows recorded since the last ``show``, for display as a cell's last expression."""
        rows, self._pending = self._pending, []
        return Rows([(role, row.record()) for role, row in rows], self.tag)

    def close(self):
        """Finish the chapter: the summary that the book's ledger is collected from.

        Raises ``ValueError`` for rows that were never shown, no claim at all, or a
        hypothesis without a control and without a word that its necessity is unknown.
        """
        require(
            not self._pending,
            "rows never shown",
            [row.id for _, row in self._pending],
            "none: end the cell with ledger.show()",
        )
        require(self._claims, "claims", 0, "at least one")
        bare = [h for h in self.hypotheses if h not in self._controls and h not in self._unknown]
        require(not bare, "hypotheses without a control", bare, "a control, or ledger.unknown(…)")
        return Summary(
            {
                "tag": self.tag,
                "claims": [row.record() for row in self._claims.values()],
                "hypotheses": [self._hypothesis(h) for h in self.hypotheses],
                "errata": self._errata,
            }
        )

    def _hypothesis(self, id):
        controls = [row.record() for row in self._controls.get(id, [])]
        record = {
            "id": id,
            "text": self.hypotheses[id],
            "control": controls[0] if controls else None,
        }
        if len(controls) > 1:
            record["further_controls"] = controls[1:]
        if not controls:
            record |= {"necessity": "unknown", "why": self._unknown[id]}
        return record

    def _row(self, id, claim, observed, relation, bound, kind, details):
        require_choice("kind", kind, KINDS)
        require_choice("relation", relation, tuple(RELATIONS))
        observed, bound = _plain(observed), _plain(bound)
        if kind == "identity" and not isinstance(bound, (bool, str)):
            details.setdefault("atol", bound)
        return Claim(id, claim, kind, observed, relation, bound, **details)


def status(claims, errata, experiment=False):
    """The status of a statement, from its claims alone.

    A claim that is not ``as_printed`` and fails: *does not hold*.  An as-printed claim that
    fails is answered by an erratum whose second evidence passes: *holds under extra conditions*
    if that evidence has a condition, else *holds as corrected*; unanswered: *does not hold*.
    Where nothing fails: *holds*, or *under extra conditions* if a claim as printed (any claim,
    where none is as printed) has a condition.
    An experiment's verdict counts the claims as printed: *replicated* (all), *not replicated*
    (none), *partly replicated*.
    """
    if not claims:
        return "not checked"
    by_id = {row["id"]: row for row in claims}
    ours_hold = all(row["passed"] for row in claims if not row["as_printed"])
    printed = [row for row in claims if row["as_printed"]]
    if experiment and printed:
        held = sum(row["passed"] for row in printed)
        return (
            "not replicated"
            if held == 0
            else "replicated"
            if held == len(printed) and ours_hold
            else "partly replicated"
        )
    failed = [row["id"] for row in printed if not row["passed"]]
    answers = {
        id: [by_id[e["evidence"][1]] for e in errata if e["evidence"][0] == id] for id in failed
    }
    if not ours_hold or not all(any(row["passed"] for row in rows) for rows in answers.values()):
        return "does not hold"
    decisive = [row for rows in answers.values() for row in rows] if failed else printed or claims
    if any(row.get("condition") for row in decisive):
        return "holds under extra conditions"
    return "holds as corrected" if failed else "holds"


def surprises(record):
    """What in a statement's record nobody announced: lines that name the row and the difference.

    A red claim that is not as printed, a red control, a failure as printed that no erratum
    explains, an erratum whose evidence does not fail and then hold.
    """
    claims = {row["id"]: row for row in record["claims"]}
    explained = {e["evidence"][0] for e in record["errata"]}
    lines = [
        f"claim {verdict(row)}"
        for row in claims.values()
        if not row["passed"] and not (row["as_printed"] and row["id"] in explained)
    ]
    controls = [
        c
        for h in record["hypotheses"]
        if h["control"]
        for c in [h["control"], *h.get("further_controls", [])]
    ]
    lines += [f"control {verdict(row)}" for row in controls if not row["passed"]]
    for erratum in record["errata"]:
        fails, holds = (claims[id]["passed"] for id in erratum["evidence"])
        if fails or not holds:
            lines.append(
                f"erratum at {erratum['location']}: its evidence should fail, then hold; passed ="
                f" {fails}, {holds}"
            )
    return [f"{record['tag']}: {line}" for line in lines]
