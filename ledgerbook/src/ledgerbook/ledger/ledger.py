"""Claims, controls and errata: what a chapter asserts.

A chapter opens a ``Ledger`` for each tag that it judges, records rows, shows and closes them.  What
is shown carries a copy for machines (``ledger_table.MIME``); ``judgement`` adds it up.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from numbers import Real
from typing import Any, NamedTuple

from ledgerbook.ledger.coq_record import checked, row_id, theorems
from ledgerbook.ledger.judgement import (
    KINDS,
    RELATIONS,
    STRENGTHS,
    TRUSTS,
    compare,
    margin,
    noise,
    rounded,
)
from ledgerbook.ledger.ledger_table import Rows, Summary
from ledgerbook.project.validation import require, require_choice

REACHES = ("harmless", "changes a constant", "changes a conclusion")
# How a statement's words are known: read in print, established by public code, reconstructed.
STANDINGS = ("read", "established", "reconstructed", "ours")
TAG = re.compile(r"[a-z]+(-[a-z]+)*\.[a-z0-9]+(-[a-z0-9]+)*")
SHARPER = ("where", "printed", "best", "factor")  # what a sharper constant says
NUMBERS = ("printed", "corrected", "measured")
NUMBER = re.compile(r"E[1-9][0-9]*")


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


def _plain(value: Any) -> Any:
    """Numbers of any library as plain Python ones."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return rounded(value) if isinstance(value, float) else value


def _require_json(name: str, value: Any) -> None:
    kinds = (Real, str, type(None))
    plain = all(isinstance(one, kinds) for one in (value if isinstance(value, list) else [value]))
    require(plain, name, value, "numbers, truth values or texts")


def require_bound(id: str, relation: str, bound: Any) -> None:
    """Raise ``ValueError`` unless a row's bound fits its relation: a number, two for ``in``."""
    if relation == "==":
        return
    pair = isinstance(bound, list | tuple) and len(bound) == 2
    fits = all(isinstance(one, Real) for one in (bound if pair else [bound]))
    wanted = "[low, high]" if relation == "in" else "a number"
    right = fits and pair == (relation == "in")
    require(right, f"{id}: bound", bound, f"{wanted}, for the relation {relation}")


def is_sharper(finding: dict) -> bool:
    """Whether a finding of the ledger is a sharper constant, and not words."""
    return isinstance(finding["finding"], dict)


@dataclass
class Ledger:
    """The rows of one statement.

    tag: the statement's permanent tag.  hypotheses: id to text; each needs a control or an
    honest ``unknown`` before ``close``.  standing: how the words are known, one of ``STANDINGS``.
    """

    tag: str
    hypotheses: dict = field(default_factory=dict)
    standing: str = "read"

    def __post_init__(self):
        shape = "paper.name in lower case, as in the-paper.lemma-05"
        require(TAG.fullmatch(self.tag), "tag", self.tag, shape)
        require_choice("standing", self.standing, STANDINGS)
        self._claims: dict[str, Claim] = {}
        self._controls: dict[str, list[Claim]] = {}
        self._unknown: dict[str, str] = {}
        self._pending: list[tuple[str, Claim]] = []
        self._errata: list[dict] = []
        self._consequences: list[dict] = []
        self._findings: list[dict] = []
        self._trusted: list[Trust] = []
        self._parts: dict[str, list[str]] = {}

    def claim(self, id, claim, observed, relation, bound, *, kind, **details):
        """Record a claim and return whether it passed.

        ``details``: the further fields of ``Claim``.  An identity's observed value is rounding
        noise, so its ``atol`` is the bound, or half its width, unless stated.
        """
        row = self._row(id, claim, observed, relation, bound, kind, details)
        require(id not in self._claims, "id", id, "an id not used before in this chapter")
        self._claims[id] = row
        self._pending.append((row.role, row))
        return row.passed

    def step(self, id, claim, observed, relation, bound, *, kind, **details):
        """Record a step of the proof: a claim that the statement's proof rests on."""
        return self.claim(id, claim, observed, relation, bound, kind=kind, role="step", **details)

    def kernel(self, theorem, **details):
        """Record that a proof assistant's kernel accepted ``theorem`` of this statement's proof.

        The words are the record's; it passes only while the sources are those on record.
        """
        rows = {row["name"]: row for row in theorems(self.tag)}
        words = rows[theorem]["words"] if theorem in rows else f"theorem `{theorem}`"
        done = checked(self.tag, theorem)
        return self.step(
            row_id(theorem), words, done, "==", f"{theorem} accepted", kind="kernel", **details
        )

    def meets(self, subject, id, claim, observed, relation, bound, *, kind, **details):
        """Record whether ``subject`` (a data set, a training) meets this assumption."""
        return self.claim(
            id, claim, observed, relation, bound, kind=kind, subject=subject, **details
        )

    def trusts(self, *trusted):
        """Name what the conclusion takes on trust, each a ``Trust``."""
        for trust in trusted:
            require_choice("trust", trust.kind, tuple(TRUSTS))
            named = bool(TAG.fullmatch(trust.of)) == (trust.kind == "chapter")
            require(named, trust.words, trust.of, "the tag of a chapter, and of no other kind")
        self._trusted += trusted

    def parts(self, parts: Mapping):
        """Name the parts of the conclusion, each with the ids of all rows that it needs."""
        self._require_rows(*(id for ids in parts.values() for id in ids))
        self._parts = {name: list(ids) for name, ids in parts.items()}

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
        self, id, location, printed, holds_instead, *, fails, holds, reach, numbers, **details
    ):
        """Record a slip: the claim ids that fail as printed and that hold as corrected.

        id: its permanent number in the book, as in "E17".  printed, holds_instead: Markdown.
        numbers: ``dict(printed=…, corrected=…, measured=…)``, values at one stated point; the
        erratum's own script computes them without the companion's code.  details:
        ``misprint=True``, a slip of type or a reading, which no argument uses; ``proof=True``, a
        slip of the proof alone.  Raises ``ValueError``, by the number, for anything else.
        """
        require(details.keys() <= {"misprint", "proof"}, "details", [*details], "misprint, proof")
        require(NUMBER.fullmatch(id), "id", id, "E and a number, as in E17")
        self._require_rows(fails, holds)
        plain = isinstance(numbers, dict) and {name: _plain(one) for name, one in numbers.items()}
        named = plain and plain.keys() == set(NUMBERS)
        fits = named and all(isinstance(one, Real) for one in plain.values())
        wanted = "dict(printed=…, corrected=…, measured=…), three numbers"
        require(fits, f"{id}: numbers", numbers, wanted)
        self._errata.append(
            {
                "id": id,
                "tag": self.tag,
                "location": location,
                "printed": printed,
                "corrected": holds_instead,
                "evidence": [fails, holds],
                "reach": require_choice("reach", reach, REACHES),
                "numbers": [plain[name] for name in NUMBERS],
                **{flag: bool(details.get(flag)) for flag in ("misprint", "proof")},
            }
        )

    def consequence(self, of, *, fails, holds):
        """Record what follows here from another erratum: no slip of its own, part of its reach."""
        require(NUMBER.fullmatch(of), "of", of, "the number of an erratum, as in E17")
        self._require_rows(fails, holds)
        self._consequences.append({"id": of, "tag": self.tag, "evidence": [fails, holds]})

    def finding(self, id, words, evidence):
        """Record what was found that answers nothing printed, with the claims behind it."""
        self._require_rows(*evidence)
        self._findings.append({"id": id, "finding": words, "evidence": list(evidence)})

    def sharper(self, id, where, printed, best, factor, upper, lower):
        """Record that a printed constant or order can be replaced by a better one.

        where: equation or part of the statement.  printed, best: Markdown.  factor: what lies
        between the two.  upper, lower: the claims that show that the better one holds, and that
        nothing better than it does; one claim may show both.  Raises ``ValueError`` for an empty
        field, for two that say the same and for a claim that is not recorded.
        """
        found = dict(zip(SHARPER, (where, printed, best, factor), strict=True))
        for name, value in found.items():
            require(bool(value.strip()), name, value, "some words")
        require(printed != best, "best", best, "something else than what is printed")
        self.finding(id, found, [upper, lower])

    def show(self):
        """The rows recorded since the last ``show``, for display as a cell's last expression."""
        rows, self._pending = self._pending, []
        return Rows([(role, row.record()) for role, row in rows], self.tag, self.printed_word)

    @property
    def printed_word(self):
        """What a row says that takes the statement's own words."""
        return "as printed" if self.standing == "read" else "as established"

    def close(self):
        """Finish the statement: the summary that the book's ledger is collected from.

        Raises ``ValueError`` for rows never shown, no claim at all, or a hypothesis that has
        neither a control nor a word that its necessity is unknown.
        """
        unseen = [row.id for _, row in self._pending]
        require(not unseen, "rows never shown", unseen, "none: end the cell with ledger.show()")
        require(self._claims, "claims", 0, "at least one")
        bare = [h for h in self.hypotheses if h not in self._controls and h not in self._unknown]
        require(not bare, "hypotheses without a control", bare, "a control, or ledger.unknown(…)")
        return Summary(self._record())

    def _record(self):
        return {
            "tag": self.tag,
            "standing": self.standing,
            "claims": [row.record() for row in self._claims.values()],
            "hypotheses": [self._hypothesis(h) for h in self.hypotheses],
            "errata": self._errata,
            "consequences": self._consequences,
            "findings": self._findings,
            "parts": self._parts,
            "trusted": [trust._asdict() | {"parts": [*trust.parts]} for trust in self._trusted],
        }

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
        require_choice("kind", kind, tuple(KINDS))
        require_choice("relation", relation, tuple(RELATIONS))
        observed, bound = _plain(observed), _plain(bound)
        if relation == "==":
            _require_json(f"{id}: observed", observed)
        else:
            found = observed is None or isinstance(observed, Real)
            require(found, f"{id}: observed", observed, f"one number, for the relation {relation}")
        require_bound(id, relation, bound)
        if kind == "identity" and not isinstance(bound, bool | str) and "atol" not in details:
            details["atol"] = noise(relation, bound)
        allowed = STRENGTHS[: STRENGTHS.index(KINDS[kind]) + 1]
        require_choice("strength", details.setdefault("strength", KINDS[kind]), allowed)
        return Claim(id, claim, kind, observed, relation, bound, **details)

    def _require_rows(self, *ids):
        for id in ids:
            known = isinstance(id, str) and id in self._claims
            require(known, "evidence", id, f"the id of a recorded claim: {', '.join(self._claims)}")
