"""What a row and a trust are, and the words that they may use; ``judgement`` adds rows up."""

import re
from dataclasses import asdict, dataclass
from numbers import Real
from typing import Any, NamedTuple

from ledgerbook.ledger.judgement import KINDS, RELATIONS, STRENGTHS, compare, margin, rounded
from ledgerbook.project.validation import require, require_choice

REACHES = ("harmless", "changes a constant", "changes a conclusion")
# How a statement's words are known: read in print, established by public code, reconstructed.
STANDINGS = ("read", "established", "reconstructed", "ours")
TAG = re.compile(r"[a-z]+(-[a-z]+)*\.[a-z0-9]+(-[a-z0-9]+)*")
SHARPER = ("where", "printed", "best", "factor")  # what a sharper constant says
NUMBERS = ("printed", "corrected", "measured")


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


def measured(
    id: str, claim: str, observed: Any, relation: str, bound: Any, kind: str, **details: Any
) -> Claim:
    """A claim; ``details``: its further fields.

    An identity's observed value is rounding noise, so its ``atol`` is the bound, or half its width,
    unless stated.  Raises ``ValueError``, by the row's id, for what cannot be compared.
    """
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
        noise = (bound[1] - bound[0]) / 2 if relation == "in" else bound
        require(isinstance(noise, Real), f"{id}: bound", bound, "a number")
        details["atol"] = noise
    allowed = STRENGTHS[: STRENGTHS.index(KINDS[kind]) + 1]
    require_choice(f"{id}: strength", details.setdefault("strength", KINDS[kind]), allowed)
    return Claim(id, claim, kind, observed, relation, bound, **details)


def is_sharper(finding: dict) -> bool:
    """Whether a finding of the ledger is a sharper constant, and not words."""
    return isinstance(finding["finding"], dict)
