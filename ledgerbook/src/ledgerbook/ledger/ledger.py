"""Claims, controls and errata: what a chapter asserts.

A chapter opens a ``Ledger`` for each tag that it judges, records rows, shows and closes them.  What
is shown carries a copy for machines (``ledger_table.MIME``); ``judgement`` adds it up.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from numbers import Real
from types import MappingProxyType
from typing import Any, NamedTuple

from ledgerbook.ledger.coq_record import checked, row_id, theorems
from ledgerbook.ledger.judgement import KINDS, RELATIONS, STRENGTHS, compare, margin, noise, rounded
from ledgerbook.ledger.ledger_table import Rows, Summary
from ledgerbook.project.validation import require, require_choice

REACHES = ("harmless", "changes a constant", "changes a conclusion")
# How a statement's words are known: read in print, established by public code, reconstructed.
STANDINGS = ("read", "established", "reconstructed", "ours")
TAG = re.compile(r"[a-z]+(-[a-z]+)*\.[a-z0-9]+(-[a-z0-9]+)*")
SHARPER = ("where", "printed", "best", "factor")  # what a sharper constant says
NUMBERS = ("printed", "corrected", "measured")
# What a closing record holds beside rows and hypotheses.
NOTHING: dict = {"errata": [], "consequences": [], "findings": [], "parts": {}, "trusted": []}


class Trust(NamedTuple):
    """What no row checks and the conclusion needs.

    kind: one of ``TRUSTS``.  of: the tag of the chapter that concludes it.  parts: of the
    conclusion, those that need it; all where none is named.
    """

    kind: str
    words: str
    of: str = ""
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Claim:
    """An observed value against a bound.

    as_printed: the row takes a formula or a sentence exactly as the paper has it.
    condition: set when the claim holds only under something that the paper does not assume.
    concludes: the statement's conclusion, as it holds, rests on this row.
    role: "claim", or "step" for a step of the proof.
    subject: of an assumption's rows, what is asked whether it meets the assumption.
    equation: the numbers in the paper that it is about, as in "(33)", "(35), (36)", "(34)–(39)".
    strength: what kind of evidence it is, at most that of its kind.
    rtol, atol: how far ``observed`` may move on another machine.
    """

    id: str
    claim: str
    kind: str
    observed: float | int | bool | str | None
    relation: str
    bound: Any
    as_printed: bool = False
    equation: str | None = None
    condition: str | None = None
    concludes: bool = False
    role: str = "claim"
    subject: str | None = None
    strength: str = "measured"
    rtol: float = 1e-6
    atol: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether the observed value stands in the stated relation to the bound."""
        return compare(self.observed, self.relation, self.bound, self.kind)

    def record(self) -> dict:
        """The row as the ledger's JSON has it."""
        edge = margin(self.observed, self.relation, self.bound)
        return asdict(self) | {"margin": edge, "passed": self.passed}


def plain(value: Any) -> Any:
    """Numbers of any library as plain Python ones."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return rounded(value) if isinstance(value, float) else value


def _row(id, claim, observed, relation, bound, kind, details):
    """A claim.  Raises ``ValueError``, by the row's id, for what cannot be compared."""
    observed, bound = plain(observed), plain(bound)
    require_choice(f"{id}: relation", relation, tuple(RELATIONS))
    require_choice(f"{id}: kind", kind, tuple(KINDS))
    if relation != "==":
        pair = isinstance(bound, list) and len(bound) == 2
        numbers = all(isinstance(one, Real) for one in (bound if pair else [bound]))
        wanted = "[low, high]" if relation == "in" else "a number"
        right = numbers and pair == (relation == "in")
        require(right, f"{id}: bound", bound, f"{wanted}, for the relation {relation}")
        one = isinstance(observed, Real | None)
        require(one, f"{id}: observed", observed, f"one number, for the relation {relation}")
    if kind == "identity" and not isinstance(bound, bool | str) and "atol" not in details:
        details["atol"] = noise(relation, bound)
    allowed = STRENGTHS[: STRENGTHS.index(KINDS[kind]) + 1]
    require_choice(f"{id}: strength", details.setdefault("strength", KINDS[kind]), allowed)
    return Claim(id, claim, kind, observed, relation, bound, **details)


@dataclass
class Ledger:
    """The rows of one statement.

    tag: the statement's permanent tag.  hypotheses: id to text.  standing: how the words are known,
    one of ``STANDINGS``.
    """

    tag: str
    hypotheses: Mapping = field(default_factory=dict)
    standing: str = "read"

    def __post_init__(self):
        shape = "paper.name in lower case, as in the-paper.lemma-05"
        require(TAG.fullmatch(self.tag), "tag", self.tag, shape)
        require_choice("standing", self.standing, STANDINGS)
        self.claims: dict[str, Claim] = {}
        self.controls: dict[str, list[Claim]] = {}
        self.pending: list[tuple[str, Claim]] = []

    def claim(self, id, claim, observed, relation, bound, *, kind, **details):
        """Record a claim, or with ``role="step"`` a step of the proof; return whether it passed.

        ``details``: the further fields of ``Claim``.  An identity's observed value is rounding
        noise, so its ``atol`` is the bound, or half its width, unless stated.
        """
        row = _row(id, claim, observed, relation, bound, kind, details)
        require(id not in self.claims, "id", id, "an id not used before in this chapter")
        self.claims[id] = row
        self.pending.append((row.role, row))
        return row.passed

    def kernel(self, theorem, **details):
        """Record as a step that the kernel accepted ``theorem``, in the sources as they are."""
        rows = {row["name"]: row for row in theorems(self.tag)}
        words = rows[theorem]["words"] if theorem in rows else f"theorem `{theorem}`"
        told = row_id(theorem), words, checked(self.tag, theorem), "==", f"{theorem} accepted"
        return self.claim(*told, kind="kernel", role="step", **details)

    def control(
        self, id, hypothesis, claim, observed, relation, bound, *, kind="inequality", **details
    ):
        """Record what happens without ``hypothesis``; it passes when the stated failure is seen."""
        require_choice("hypothesis", hypothesis, tuple(self.hypotheses))
        row = _row(id, claim, observed, relation, bound, kind, details)
        self.controls.setdefault(hypothesis, []).append(row)
        self.pending.append((f"control of {hypothesis}", row))
        return row.passed

    def show(self):
        """The rows recorded since the last ``show``, for display as a cell's last expression."""
        rows, self.pending = self.pending, []
        return Rows([(role, row.record()) for role, row in rows], self.tag, self.standing)

    def close(self, unknown: Mapping = MappingProxyType({}), **beside):
        """Finish the statement: the summary that the book's ledger is collected from.

        unknown: hypothesis to why nobody knows whether it is needed.  beside: what rests on the
        rows, as the record has it: errata, consequences, findings, parts, trusted.
        Raises ``ValueError`` for no claim at all, or a hypothesis that has
        neither a control nor a word that its necessity is unknown.
        """
        require(self.claims, "claims", 0, "at least one")
        bare = [h for h in self.hypotheses if h not in self.controls and h not in unknown]
        require(not bare, "hypotheses without a control", bare, "a control, or unknown={…}")
        record: dict = {"tag": self.tag, "standing": self.standing}
        record["claims"] = [row.record() for row in self.claims.values()]
        record["hypotheses"] = [self._hypothesis(h, unknown.get(h)) for h in self.hypotheses]
        return Summary(record | NOTHING | beside)

    def _hypothesis(self, id, why):
        first, *more = [row.record() for row in self.controls.get(id, ())] or [None]
        record = {"id": id, "text": self.hypotheses[id], "control": first}
        if more:
            record["further_controls"] = more
        return record if first else record | {"necessity": "unknown", "why": why}


def is_sharper(finding: dict) -> bool:
    """Whether a finding of the ledger is a sharper constant, and not words."""
    return isinstance(finding["finding"], dict)
