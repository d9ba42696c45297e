"""A statement's rows as methods: the name is the row's id, the docstring its words.

A class of ``checks/`` judges one statement.  Its fields are the chapter's parameters
(``fields``).  A method under ``step``, ``claim`` or ``control`` returns what its row
observes, one under ``erratum`` the numbers printed, corrected and measured, one under ``finding``
nothing.  ``@{name}`` and ``@{name:format}`` in words stand for an attribute of the object.

A method, or a ``once``, that takes ``rng`` is given a generator of its own, made of the seed and
its name: each row can be measured alone, and in any order.
"""

import functools
import inspect
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, TypedDict, Unpack

from ledgerbook.ledger import fields, places
from ledgerbook.ledger.coq_record import checked, row_id, theorems
from ledgerbook.ledger.judgement import BESIDE, BEYOND, STRENGTHS
from ledgerbook.ledger.ledger import (
    NUMBERS,
    SHARPER,
    STANDINGS,
    TAG,
    Claim,
    Trust,
    measured,
    plain,
)
from ledgerbook.ledger.ledger_table import Rows, Summary
from ledgerbook.project.validation import require, require_choice

PLACE = re.compile(r"@\{([\w.]+)(?::([^}]*))?\}")
KERNEL = "kernel"  # the role of what a proof assistant accepted, shown with the steps


class once(functools.cached_property):
    """What is dear and common to several rows: computed when first asked for, with its own rng."""

    def __init__(self, method: Callable):
        super().__init__(_drawing(method))


class group(str):
    """A heading in the body of a class: the rows behind it are shown together, by its name."""

    def __new__(cls):
        return super().__new__(cls, "")


class Sharper(NamedTuple):
    """A printed constant or order that can be better, with the claims that show it.

    where: equation or part.  factor: what lies between the two.  upper: the claim that the better
    one holds; lower: that nothing better does.
    """

    id: str
    where: str
    printed: str
    best: str
    factor: str
    upper: str
    lower: str


class Consequence(NamedTuple):
    """What follows here from another statement's erratum: part of its reach."""

    of: str
    fails: str
    holds: str


class Row(NamedTuple):
    """A row as its class declares it.

    id: as the ledger has it.  name: the method's.  role: step, claim, control, erratum, finding or
    kernel.  group: the heading above it, or "".  case: its value where one method gives several
    rows.  details: what the decorator was told.
    """

    id: str
    name: str
    role: str
    group: str
    case: Any
    details: Mapping[str, Any]


class Details(TypedDict, total=False):
    """What a decorator may say of a row besides relation, bound and kind: fields of ``Claim``.

    role: "step" for a claim that is shown with the steps.  cases: from the end of an id to what the
    method gets as ``case``, a row each.  met: of a row with a subject, whether it meets the
    assumption.  witness: of a row that no small change of anything can turn red, why.
    """

    as_printed: bool
    concludes: bool
    condition: str
    subject: str
    strength: str
    rtol: float
    atol: float
    role: Literal["claim", "step"]
    cases: Mapping[str, Any]
    met: bool
    witness: str


def step(kind: str, equation: str | None = None, **details: Unpack[Details]) -> Callable:
    """A step of the proof: facts for ``symbolic``, else whether it holds."""
    return _row(details.pop("role", "step"), "==", True, kind, equation, details)


def claim(
    relation: str, bound: Any, kind: str, equation: str | None = None, **details: Unpack[Details]
) -> Callable:
    """A claim: what the method returns, against the bound, which may be a function of the object.

    Raises ``ValueError``, by the row's name, for a detail that ``Details`` does not have.
    """
    return _row(details.pop("role", "claim"), relation, bound, kind, equation, details)


def control(
    hypothesis: str,
    relation: str,
    bound: Any,
    kind: str = "inequality",
    equation: str | None = None,
    **details: Unpack[Details],
) -> Callable:
    """What happens without a hypothesis; to show that it is not needed, claim that."""
    return _row("control", relation, bound, kind, equation, details, hypothesis=hypothesis)


def _row(
    role: str, relation: str, bound: Any, kind: str, equation: str | None, details: Details, **more
) -> Callable:
    told = dict(relation=relation, bound=bound, kind=kind, equation=equation) | more
    return _mark(role, details, **told)


def erratum(
    id: str,
    location: str,
    printed: str,
    *,
    fails: str,
    holds: str,
    reach: str,
    misprint: bool = False,
    proof: bool = False,
) -> Callable:
    """A slip: the docstring is what holds instead, ``printed`` the paper's words or formula.

    The method returns ``dict(printed=…, corrected=…, measured=…)``, three numbers at one stated
    point; the erratum's own script gives the same without the companion's code.  ``misprint``: of
    type alone; ``proof``: of the proof alone.
    """
    return _mark(
        "erratum", {}, number=id, location=location, printed=printed, fails=fails, holds=holds,
        reach=reach, misprint=misprint, proof=proof,
    )  # fmt: skip


def textbook(words: str, *parts: str) -> Trust:
    """A theorem of every textbook: what rests on it can be proved and not kernel-checked."""
    return Trust("textbook", words, parts=parts)


def chapter(tag: str, words: str, *parts: str) -> Trust:
    """What another statement concludes: what rests on it is at most as strong."""
    require(TAG.fullmatch(tag), words, tag, "the tag of a chapter")
    return Trust("chapter", words, tag, parts)


def unproved(words: str, *parts: str) -> Trust:
    """Anything else that no row checks: what rests on it is measured."""
    return Trust("unproved", words, parts=parts)


def finding(*evidence: str) -> Callable:
    """What answers nothing printed: words alone, with the rows behind them."""
    require(evidence, "evidence", evidence, "the id of at least one row")
    return _mark("finding", {}, evidence=evidence)


def _mark(role: str, details: Details, **told: Any) -> Callable:
    def mark(method: Callable) -> Callable:
        name = method.__name__
        require(method.__doc__, f"{name}: docstring", None, "the words of the row")
        _known(name, details)
        measured = _drawing(method)
        measured.row = role, told | details  # type: ignore[attr-defined]
        return measured

    return mark


def _known(name: str, details: Mapping[str, Any], *others: str) -> None:
    """Refuse, by the row's name, a detail that no row has."""
    allowed = [*Details.__annotations__, *others]
    for one in details:
        require(one in allowed, f"{name}: detail", one, ", ".join(allowed))


def _kernel_details(kind: "type[Checks]") -> None:
    """Refuse, by the theorem's name, a detail that no row has."""
    for name, told in kind.kernel_theorems.items():
        _known(name, told, "equation", "group")


def _drawing(method: Callable) -> Callable:
    """The method, given a generator of its own where it takes ``rng`` and none is handed over."""
    if "rng" not in inspect.signature(method).parameters:
        return method

    @functools.wraps(method)
    def drawn(self, *case, rng=None):
        name = "-".join([method.__name__, *map(str, case)])
        return method(self, *case, rng=self.generator(name) if rng is None else rng)

    return drawn


@dataclass
class Checks:
    """The rows of one statement, recorded in the order in which the chapter shows them."""

    tag: ClassVar[str]
    hypotheses: ClassVar[Mapping[str, str]] = {}
    standing: ClassVar[str] = "read"
    kernel_theorems: ClassVar[Mapping[str, Mapping[str, Any]]] = {}  # name to details of its row
    parts: ClassVar[Mapping[str, tuple[str, ...]]] = {}  # of the conclusion: see judgement.parts
    trusts: ClassVar[tuple[Trust, ...]] = ()
    unknown: ClassVar[Mapping[str, str]] = {}  # hypothesis to why nobody knows whether it is needed
    consequences: ClassVar[tuple[Consequence, ...]] = ()
    sharper: ClassVar[tuple[Sharper, ...]] = ()

    def __init_subclass__(cls) -> None:
        if "tag" in vars(cls):
            _well_formed(cls)

    def __post_init__(self) -> None:
        fields.check(self)
        self.validate()

    def validate(self) -> None:
        """What the ranges alone do not say; raises ``ValueError`` by the parameter's name."""

    def generator(self, name: str) -> Any:
        """The generator of random numbers of one row or quantity, from the seed and its name."""
        import numpy as np

        return np.random.default_rng([self.seed, zlib.crc32(name.encode())])  # type: ignore[attr-defined]

    @once
    def ledger(self) -> dict[str, Claim]:
        """The rows shown so far by id, in the order in which the chapter shows them."""
        return {}

    def show(self, *names: str) -> Rows:
        """Measure, record and show rows: of roles ("step", "claim", "control"), of groups, by id.

        A role stands for its rows outside groups; kernel rows come with the steps.  Raises
        ``ValueError`` for a name that gives no row, and for a row shown before.
        """
        declared = [row for row in rows(type(self)) if row.role in SHOWN]
        for name in names:
            there = any(name in _called(row) for row in declared)
            require(there, "show", name, ", ".join(showable(type(self))))
        now = [row for row in declared if _called(row) & {*names}]
        for row in now:
            require(row.id not in self.ledger, "show", row.id, "a row not shown before")
            self.ledger[row.id] = self.judge(row)
        records = [(_told(row), self.ledger[row.id].record()) for row in now]
        return Rows(records, self.tag, self.standing)

    def close(self) -> Summary:
        """Finish the statement: the record that the book's ledger is collected from.

        Raises ``ValueError`` where a row was never shown, and for a hypothesis that has neither a
        control nor a word that nobody knows whether it is needed.
        """
        declared = list(rows(type(self)))
        missing = [row.id for row in declared if row.role in SHOWN and row.id not in self.ledger]
        require(not missing, "rows never shown", missing, "none: show them in the chapter")
        of = {row.id: row.details["hypothesis"] for row in declared if row.role == "control"}
        bare = [h for h in self.hypotheses if h not in {*of.values(), *self.unknown}]
        require(not bare, "hypotheses without a control", bare, "a control, or a word in unknown")
        slips = [self._slip(row) for row in declared if row.role == "erratum"]
        findings: list[dict[str, Any]] = [
            {"id": row.id, "finding": self.row_words(row), "evidence": [*row.details["evidence"]]}
            for row in declared
            if row.role == "finding"
        ]
        for one in self.sharper:
            said = {name: self.words(getattr(one, name)) for name in SHARPER}
            findings.append({"id": one.id, "finding": said, "evidence": [one.upper, one.lower]})
        record: dict[str, Any] = {
            "tag": self.tag,
            "standing": self.standing,
            "claims": [row.record() for id, row in self.ledger.items() if id not in of],
            "hypotheses": [self._hypothesis(name, of) for name in self.hypotheses],
            "errata": sorted(slips, key=lambda slip: int(slip["id"][1:])),
            "consequences": [
                {"id": slip.of, "tag": self.tag, "evidence": [slip.fails, slip.holds]}
                for slip in self.consequences
            ],
            "findings": findings,
            "parts": {name: [*ids] for name, ids in self.parts.items()},
            "trusted": [trust._asdict() | {"parts": [*trust.parts]} for trust in self.trusts],
        }
        return Summary(record)

    def _hypothesis(self, name: str, of: Mapping[str, str]) -> dict[str, Any]:
        """A hypothesis as the record has it; ``of``: what each control goes without, by its id."""
        own = [row.record() for id, row in self.ledger.items() if of.get(id) == name]
        record: dict[str, Any] = {"id": name, "text": self.hypotheses[name]}
        record["control"] = own[0] if own else None
        if own[1:]:
            record["further_controls"] = own[1:]
        if not own:
            record |= {"necessity": "unknown", "why": self.words(self.unknown[name])}
        return record

    def judge(self, row: Row) -> Claim:
        """One row, measured alone and recorded nowhere."""
        left_out = ("cases", "hypothesis", "met", "witness")
        details = {k: v for k, v in row.details.items() if v is not None and k not in left_out}
        if row.role == KERNEL:
            known = {one["name"]: one["words"] for one in theorems(self.tag)}
            words = known.get(row.name, f"theorem `{row.name}`")
            observed, bound = checked(self.tag, row.name), f"{row.name} accepted"
            details |= {"kind": "kernel", "role": "step"}
            return measured(row.id, words, observed, "==", bound, **details)
        case = () if row.case is None else (row.case,)
        relation, bound = details.pop("relation"), details.pop("bound")
        bound = bound(self, *case) if callable(bound) else bound
        for name in ("condition", "subject", "equation"):
            if name in details:
                details[name] = self.words(details[name], row.case)
        places.require_known(f"{self.tag}: {row.id}", self.tag, details.get("equation"))
        observed = getattr(self, row.name)(*case)
        if details["kind"] == "symbolic":
            from ledgerbook.ledger import symbolic  # SymPy is asked for where it is needed

            observed = symbolic.decided(observed, row.id)
        if row.role == "step":
            details["role"] = "step"
        if "witness" in row.details:
            details["strength"] = STRENGTHS[0]  # a row that cannot fail is no evidence
        return measured(row.id, self.row_words(row), observed, relation, bound, **details)

    def _slip(self, row: Row) -> dict[str, Any]:
        """An erratum as the record has it."""
        told, numbers = row.details, getattr(self, row.name)()
        return {
            "id": told["number"],
            "tag": self.tag,
            "printed": self.words(told["printed"]),
            "corrected": self.row_words(row),
            "evidence": [told["fails"], told["holds"]],
            "numbers": [plain(numbers[name]) for name in NUMBERS],
            **{name: told[name] for name in ("location", "reach", "misprint", "proof")},
        }

    def row_words(self, row: Row) -> str:
        """The words of a row, with its numbers."""
        return self.words(getattr(type(self), row.name).__doc__, row.case)

    def words(self, text: str, case: Any = None) -> str:
        """A text on one line, with what its places stand for."""

        def value(found: re.Match) -> str:
            first, *rest = found[1].split(".")
            thing = case if first == "case" else getattr(self, first)
            for name in rest:
                thing = thing[name] if isinstance(thing, Mapping) else getattr(thing, name)
            return format(thing, found[2] or "")

        return PLACE.sub(value, " ".join(text.split()))


SHOWN = ("step", "claim", "control", KERNEL)


def rows(kind: type[Checks]) -> Iterator[Row]:
    """The rows that a class declares, kernel rows behind the last step; then errata, findings."""
    found, heading = list[Row](), ""
    for name, value in vars(kind).items():
        if isinstance(value, group):
            heading = name
        elif hasattr(value, "row"):
            role, details = value.row
            base = name.replace("_", "-")
            for end, case in (details.get("cases") or {"": None}).items():
                id = f"{base}-{end}" if end else base
                found.append(Row(id, name, role, heading, case, details))
    kernel = []
    for name, told in kind.kernel_theorems.items():
        details = {key: value for key, value in told.items() if key != "group"}
        kernel.append(Row(row_id(name), name, KERNEL, told.get("group", ""), None, details))
    last = max((n + 1 for n, row in enumerate(found) if row.role == "step"), default=0)
    yield from [*found[:last], *kernel, *found[last:]]


def _told(row: Row) -> str:
    """What a table says that a row is."""
    if row.role == "control":
        return f"control of {row.details['hypothesis']}"
    return "step" if row.role == KERNEL else row.role


def _called(row: Row) -> set[str]:
    """What ``show`` knows a row by: its id, and its group or else its role."""
    roles = {row.role, "step"} if row.role == KERNEL else {row.role}
    return {row.id} | ({row.group} if row.group else roles)


def showable(kind: type[Checks]) -> list[str]:
    """The roles and groups that a class has rows of."""
    found = [row.group or row.role for row in rows(kind) if row.role in SHOWN]
    return list(dict.fromkeys(found))


def announced(kind: type[Checks]) -> set[str]:
    """Ids of the rows that are to fail as printed, since an erratum or a consequence says so."""
    slips = {row.details["fails"] for row in rows(kind) if row.role == "erratum"}
    return slips | {one.fails for one in kind.consequences}


def _well_formed(kind: type[Checks]) -> None:
    """Refuse, by name, what a class declares and would otherwise be passed over in silence."""
    require(isinstance(kind.parts, Mapping), "parts", kind.parts, "a dict from a part to its rows")
    _kernel_details(kind)
    found = list(rows(kind))
    require(TAG.fullmatch(kind.tag), "tag", kind.tag, "paper.name in lower case")
    require_choice("standing", kind.standing, STANDINGS)
    for trust in kind.trusts:
        parts = {*kind.parts, BESIDE, BEYOND}
        require(not kind.parts or parts >= {*trust.parts}, trust.words, trust.parts, parts)
    known = {row.id for row in found if row.role in SHOWN and row.role != "control"}
    for place, evidence in _evidence(kind, found):
        for id in evidence:
            require(id in known, place, id, "the id of a row, of a claim or a step")
    for row in found:
        if row.role == "control":
            require_choice(f"{row.id}: hypothesis", row.details["hypothesis"], kind.hypotheses)
        _says_what_it_must(row, kind)
    _about_known(kind, found)
    own = {field for base in kind.__mro__ for field in vars(base).get("__annotations__", ())}
    _places_known(kind, found, {"case", *own, *dir(kind)})
    clash = sorted({row.name for row in found} & {*dir(Checks), *own})
    require(not clash, f"{kind.__name__}: rows", clash, "names of no parameter and not of Checks")


def _says_what_it_must(row: Row, kind: type[Checks]) -> None:
    """A subject comes with whether it is met; a row that can have no witness is no evidence."""
    met, why = row.details.get("met"), row.details.get("witness")
    allowed = "True or False beside a subject, and nothing without one"
    require(isinstance(met, bool) == ("subject" in row.details), f"{row.name}: met", met, allowed)
    if why is not None:
        words = isinstance(why, str) and len(why.split()) > 1
        require(words, f"{row.name}: witness", why, "words that say why it can have none")
        part = next((name for name, ids in kind.parts.items() if row.id in ids), None)
        counts = row.details.get("concludes") or part not in (None, BESIDE)
        require(not counts, row.id, part, "no part of the conclusion, since it has no witness")


def _about_known(kind: type[Checks], found: list[Row]) -> None:
    """Refuse, by file and row, an equation or a part that the paper and the statement do not have.

    A label with a value in it is asked when the row is measured.
    """
    from ledgerbook.project import paths  # late: `ledgerbook init` has no project yet

    module = sys.modules.get(kind.__module__)
    file = paths.relative(getattr(module, "__file__", None) or kind.__module__)
    for row in found:
        about = row.details.get("equation") or ""
        if not PLACE.search(about):
            places.require_known(f"{file}: {kind.__name__}.{row.name}", kind.tag, about)
        said = row.details.get("location")
        places.require_displayed(f"{file}: {kind.__name__}.{row.name}: location", kind.tag, said)
    places.require_parts(f"{file}: {kind.__name__}", kind.tag, kind.parts)


def _places_known(kind: type[Checks], found: list[Row], known: set[str]) -> None:
    """Refuse, by the row's id, a place ``@{name}`` in words that stands for nothing."""
    for row in found:
        texts = [getattr(kind, row.name).__doc__] if hasattr(kind, row.name) else []
        texts += [row.details.get(name) or "" for name in ("condition", "subject", "equation")]
        for place in (found[1] for text in texts for found in PLACE.finditer(text)):
            name = place.partition(".")[0]
            require(name in known, f"{row.id}: place in its words", name, "an attribute")


def _evidence(kind: type[Checks], found: list[Row]) -> Iterator[tuple[str, Iterable[str]]]:
    """The claims that parts, errata, findings, sharper constants and consequences name."""
    yield from ((f"parts: {part}", named) for part, named in kind.parts.items())
    yield from ((row.name, row.details["evidence"]) for row in found if row.role == "finding")
    slips = (row for row in found if row.role == "erratum")
    yield from ((row.name, (row.details["fails"], row.details["holds"])) for row in slips)
    yield from ((one.id, (one.upper, one.lower)) for one in kind.sharper)
    yield from ((one.of, (one.fails, one.holds)) for one in kind.consequences)
