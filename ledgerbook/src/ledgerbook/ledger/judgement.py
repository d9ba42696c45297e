"""From rows to judgements: verdict, margin, status and strength, each computed by one function.

A *row* is the record of a claim or a control as ``ledger`` stores it.  Nothing in this module reads
a file or depends on a paper.
"""

import math
import operator
import re
from collections.abc import Iterable, Iterator, Mapping
from graphlib import TopologicalSorter
from typing import Any

from ledgerbook.ledger.ledger_table import printed_word, verdict

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
ERRORS = (
    "identity",
    "limit",
    "rate",
    "reproduction",
)  # a number below a bound is the size of an error
# What is taken on trust allows at most: a tool of every textbook; what a chapter of the companion
# concludes allows what that chapter has; anything else is as good as measured.
TRUSTS = {"textbook": "proved", "chapter": None, "unproved": "measured"}
BESIDE = "beside it"  # printed, no part of the conclusion: the paper's proof, a sentence behind
BEYOND = "beyond the print"  # what nobody printed
NUMBERED = re.compile(r"\((\d+)\)(?:\s*[–-]\s*\((\d+)\))?")


def compare(observed: Any, relation: str, bound: Any, kind: str = "inequality") -> bool:
    """``observed relation bound``; ``in`` takes a pair of limits.  A missing value never passes.

    What is an error by its kind is bounded on both sides: a difference that lost its modulus would
    pass whenever the formula is off to the other side.
    """
    if observed is None:
        return False
    if kind in ERRORS and relation in ("<=", "<") and not isinstance(observed, str):
        observed = abs(observed)
    return bool(RELATIONS[relation](observed, bound))


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
    as corrected*; unanswered: *does not hold*.  A slip of the proof alone, or ``BESIDE`` the
    conclusion, answered so, leaves the statement's own status as it is.  A claim as printed that
    passes only under a condition (any claim, where none is as printed) makes it *holds under extra
    conditions*, too.
    An experiment's verdict counts the claims as printed: *replicated* (all, and none under a
    condition, such as a smaller range), *not replicated* (none), *partly replicated*.  One that
    repeats nothing printed asks a question of its own, which is *answered* where its rows hold.
    An assumption has no truth value: who meets it is in ``met``.  Nor has a
    setting: it is *a definition*, unless a row fails.
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
    found = _truth(record, ours_hold, printed)
    own = {"setting": "a definition", "experiment": "answered"}
    return own.get(kind, found) if found == "holds" else found


def _truth(record: Mapping, ours_hold: bool, printed: list) -> str:
    """Status of a statement that has a truth value."""
    failed = [row["id"] for row in printed if not row["passed"]]
    answers = answered(record)
    if not ours_hold or not all(any(row["passed"] for row in answers.get(id, ())) for id in failed):
        return "does not hold"
    if conditions(record):
        return "holds under extra conditions"
    corrected = any(row["id"] in failed for row in _in_conclusion(record))
    return "holds as corrected" if corrected else "holds"


def conditions(record: Mapping, of: str = "") -> list[str]:
    """The conditions that a statement's conclusion needs beside its hypotheses, each once.

    They are those of the rows that decide: claims as printed that pass, and where one fails, the
    rows that hold instead.  of: text that may name equations of the statement; only rows about
    these equations are then considered.
    """
    answers = answered(record)
    named = {found[0] for found in NUMBERED.finditer(of)}
    rows = _in_conclusion(record)
    meant = [row for row in rows if named & {one.partition(", ")[0] for one in _about(row)}]
    decisive = []
    for row in meant or rows:
        if row["as_printed"]:
            decisive += [row] if row["passed"] else answers.get(row["id"], [])
    found = (row.get("condition") for row in decisive or meant or record["claims"])
    return [*dict.fromkeys(filter(None, found))]


def inherited(tag: str, records: Mapping[str, Mapping]) -> dict[str, str]:
    """The conditions that a statement inherits from other statements that it relies on.

    Statements on which those rely are included, at any depth; conditions that the statement has
    itself are not.  Returns the tag of the statement whose condition it is, by the words of the
    condition.
    """
    own = conditions(records[tag])
    return {words: of for words, of in _trusted(tag, records).items() if words not in own}


def _trusted(tag: str, records: Mapping[str, Mapping]) -> dict[str, str]:
    """The conditions of all statements that a statement relies on, at any depth, by their words.

    Where several have the same condition, the value is the tag of the last one that is reached.
    """
    found: dict[str, str] = {}
    for trust in records[tag]["trusted"]:
        of = trust["of"]
        if of in records and [*trust["parts"]] != [BEYOND]:
            found |= dict.fromkeys(conditions(records[of], trust["words"]), of)
            found |= _trusted(of, records)
    return found


def _in_conclusion(record: Mapping) -> list:
    """The claims that concern the conclusion of a statement.

    Left out are slips of the proof alone, and rows that the class lists as ``BESIDE`` the
    conclusion.
    """
    beside = {slip["evidence"][0] for slip in record["errata"] if slip.get("proof")}
    beside |= {*record.get("parts", {}).get(BESIDE, ())}
    return [row for row in record["claims"] if row["id"] not in beside]


def answered(record: Mapping) -> dict[str, list]:
    """For each claim that an erratum or a consequence says to fail: the rows that hold instead."""
    by_id = {row["id"]: row for row in record["claims"]}
    answers: dict[str, list] = {}
    for item in [*record["errata"], *record.get("consequences", ())]:
        fails, holds = item["evidence"]
        answers.setdefault(fails, []).append(by_id[holds])
    return answers


def weakest(strengths: Iterable[str | None]) -> str | None:
    """The weakest of some strengths; ``None`` if there are none or one of them is ``None``."""
    found = list(strengths)
    return min(found, key=STRENGTHS.index) if found and None not in found else None


def labels(equation: str | None) -> list[str]:
    """What a row is about, one by one: "(31)–(33), Lemma 7(a)" is four, "(62), late" is one."""
    found: list[str] = []
    for piece in (equation or "").split(", "):
        number = NUMBERED.fullmatch(piece)
        if number:
            last = int(number[2] or number[1])
            found += [f"({k})" for k in range(int(number[1]), last + 1)]
        elif found and not piece[:1].isupper():  # it says which half of the formula is meant
            found[-1] += f", {piece}"
        elif piece:
            found.append(piece)
    return found


def parts(record: Mapping, strengths: Mapping[str, str | None] | None = None) -> dict[str, str]:
    """The parts of a statement's conclusion, as it holds, and how strong each is.

    A part that its class lists is as strong as the weakest of its rows, and *measured* where it has
    none.  Whatever else the conclusion needs is a part without being listed: each equation that a
    row is about which is ``needed``, and each equation of the statement, as strong as the strongest
    such row; a needed row about no equation is a part alone.  Left out is only an equation that a
    listed row is about, what the class puts ``BESIDE`` the conclusion, and the slips of a proof.

    What is taken on trust caps the parts that it names, or all: see ``TRUSTS``; ``strengths`` of
    other statements by tag.
    """
    rows = {row["id"]: row for row in record["claims"]}
    listed = dict(record.get("parts", {}))
    aside = [rows[id] for id in listed.pop(BESIDE, ())]
    inside = [rows[id] for ids in listed.values() for id in ids]
    found = {
        name: weakest(rows[id]["strength"] if rows[id]["passed"] else STRENGTHS[0] for id in ids)
        or STRENGTHS[0]
        for name, ids in listed.items()
    }
    wanted = [row for row in needed(record) if row not in inside and row not in aside]
    loose = {name: wanted for row in wanted for name in _about(row)}
    left_out = {name for row in [*inside, *aside] for name in _about(row)}
    passed = [row for row in rows.values() if row["passed"]]
    own = [name for name in labels(record.get("equations")) if name not in {*loose, *left_out}]
    loose |= {name: passed for name in own if any(name in _about(row) for row in passed)}
    if not found and not loose:
        loose = {name: passed for row in passed for name in _about(row)}
    spoken = {name for row in inside for name in _about(row)}
    for name, among in loose.items():
        whole = name.partition(", ")[0]  # all of a formula speaks for its half
        if not {name, whole} & spoken:
            about = [row["strength"] for row in among if {name, whole} & {*_about(row)}]
            found[name] = max(about, key=STRENGTHS.index)
    return {name: _capped(name, own, record, strengths or {}) for name, own in found.items()}


def _about(row: Mapping) -> list[str]:
    """The equations that a row is about; for a row about no equation, its own id."""
    return labels(row.get("equation")) or [f"`{row['id']}`"]


def needed(record: Mapping) -> list:
    """The rows that a statement's conclusion, as it holds, rests on."""
    in_proof = {slip["evidence"][1] for slip in record["errata"] if slip.get("proof")}
    answers = {row["id"] for rows in answered(record).values() for row in rows} - in_proof
    wanted = lambda row: row["as_printed"] or row.get("concludes") or row["id"] in answers
    return [row for row in record["claims"] if row["passed"] and wanted(row)]


def _capped(part: str, own: str, record: Mapping, strengths: Mapping[str, str | None]) -> str:
    """The strength of a part, limited by the statements and theorems that it relies on."""
    caps = [
        TRUSTS[trust["kind"]] or strengths.get(trust["of"]) or STRENGTHS[0]
        for trust in record.get("trusted", ())
        if part in (trust["parts"] or [part])
    ]
    return weakest([own, *caps]) or own


def strength(record: Mapping, strengths: Mapping[str, str | None] | None = None) -> str | None:
    """The strength of a statement: that of its weakest part, or of the evidence against it."""
    against = [row["strength"] for row in deciding(record)]
    if against:
        return max(against, key=STRENGTHS.index)
    return weakest(parts(record, strengths).values())


def deciding(record: Mapping) -> list:
    """The failed rows that nothing announces; a statement with such a row does not hold here."""
    explained = answered(record)
    return [
        row
        for row in record["claims"]
        if not row["passed"] and not row.get("subject")
        if not (row["as_printed"] and row["id"] in explained)
    ]


def strengths(records: Mapping[str, Mapping]) -> dict[str, str | None]:
    """The strength of every statement, by tag.

    Raises ``ValueError`` where statements rely on each other in a circle.
    """
    trusted = {
        tag: {trust["of"] for trust in record["trusted"] if trust["of"] in records}
        for tag, record in records.items()
    }
    found: dict[str, str | None] = {}
    for tag in TopologicalSorter(trusted).static_order():
        found[tag] = strength(records[tag], found)
    return found


def label(row: Mapping, record: Mapping) -> str:
    """Whose words a row takes: "as printed", "as corrected" or "beyond the print".

    Nothing for a row that the conclusion rests on in words of our own.
    """
    if record["standing"] == "ours":
        return BEYOND
    if row["as_printed"]:
        return printed_word(record["standing"])
    if any(row in rows for rows in answered(record).values()):
        return "as corrected"
    parts = record.get("parts", {}).items()
    listed = {id for name, ids in parts if name != BESIDE for id in ids}
    return "" if row.get("concludes") or row["id"] in listed else BEYOND


def surprises(record: Mapping) -> list[str]:
    """What in a statement's record nobody announced: lines that name the row and the difference.

    A red claim that is not as printed, a red control, a failure as printed that nothing explains,
    an erratum or a consequence whose evidence does not fail and then hold.
    """
    claims = {row["id"]: row for row in record["claims"]}
    lines = [f"claim {verdict(row)}" for row in deciding(record)]
    dropped = [row for hypothesis in record["hypotheses"] for row in controls(hypothesis)]
    lines += [f"control {verdict(row)}" for row in dropped if not row["passed"]]
    for item in [*record["errata"], *record.get("consequences", ())]:
        fails, holds = (claims[id]["passed"] for id in item["evidence"])
        if fails or not holds:
            lines.append(
                f"{item['id']}: its evidence should fail, then hold; passed = {fails}, {holds}"
            )
    return [f"{record['tag']}: {line}" for line in lines]


def controls(hypothesis: Mapping) -> list:
    """The controls of a hypothesis of a record."""
    found = (hypothesis.get("control"), *hypothesis.get("further_controls", ()))
    return [row for row in found if row]


def rows_of(statement: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The claims of an entry, or of a chapter's closing record, and its controls."""
    yield from statement["claims"]
    for hypothesis in statement["hypotheses"]:
        yield from controls(hypothesis)
