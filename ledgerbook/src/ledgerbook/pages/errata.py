"""The errata page, and the letter to the authors: the same rows, said twice."""

import re

from ledgerbook.chapters import collect, equations
from ledgerbook.chapters.statements import PAPERS, part_of, statement
from ledgerbook.ledger.ledger import REACHES, is_sharper
from ledgerbook.ledger.ledger_table import markdown_table, show_value, table_cell, typeset
from ledgerbook.pages.parts import erratum_class, link, places, row_link, slip
from ledgerbook.project import paths

FEW = 4  # so many other slips are named
INDEX = ["reach", "erratum", "location", "chapter", "part", "equation", "evidence"]

INTRO = {
    "slip": "## Slips\n\nWhat does not hold as printed, one entry a slip.",
    "misprint": "## Misprints\n\nTypographical slips and readings that no argument of the papers"
    " uses.",
}


def page(ledger: dict) -> str:
    """Slips, misprints and findings as one document."""
    claims = _claims(ledger)
    parts, owners = [index(ledger, claims)], _owners(ledger["errata"])
    for kind in INTRO:
        rows = [erratum for erratum in by_weight(ledger) if erratum_class(erratum) == kind]
        if rows:
            parts += [INTRO[kind], *(_entry(erratum, claims, owners) for erratum in rows)]
    parts.append(findings(ledger))
    return "\n\n".join(filter(None, parts)) or "No slip recorded so far."


def by_weight(ledger: dict) -> list[dict]:
    """The errata that reach furthest first; of one reach those that no argument uses last."""
    weight = lambda one: (-REACHES.index(one["reach"]), erratum_class(one) != "slip")
    return sorted(ledger["errata"], key=weight)


def index(ledger: dict, claims: dict) -> str:
    """All entries as a table to choose from, what they reach first."""
    rows = [_line(erratum, claims) for erratum in by_weight(ledger)]
    return markdown_table(INDEX, rows) if rows else ""


def _line(erratum: dict, claims: dict) -> list[str]:
    _, holds = (claims[erratum["tag"], claim] for claim in erratum["evidence"])
    return [
        erratum["reach"],
        slip(erratum["id"]),
        table_cell(erratum["location"]),
        _link(statement(erratum["tag"])),
        part_of(erratum["tag"]),
        ", ".join(f"({number})" for number in sorted(equations.numbers(erratum["location"]))),
        holds["strength"],
    ]


def _claims(ledger: dict) -> dict:
    """Every claim by (tag, id)."""
    return {(row["tag"], c["id"]): c for row in ledger["statements"] for c in row["claims"]}


def _owners(errata: list[dict]) -> dict:
    """Which slip each claim that fails as printed fails by, as (tag, id) to the slip's id."""
    own = {(e["tag"], e["evidence"][0]): e["id"] for e in errata}
    return own | {(c["tag"], c["evidence"][0]): e["id"] for e in errata for c in e["consequences"]}


def _entry(erratum: dict, claims: dict, owners: dict) -> str:
    row, id = statement(erratum["tag"]), erratum["id"]
    printed, corrected, measured = (_number(value) for value in erratum["numbers"])
    fails, holds = (
        _evidence(erratum["tag"], claims[erratum["tag"], claim]) for claim in erratum["evidence"]
    )
    beside = [_link(row), *places(row.tag, "graph", "ledger")]
    where = "outside the statement, " if erratum.get("proof") else ""
    holds_in_short, more = _first_sentence(erratum["corrected"])
    return "\n\n".join(
        [
            f"({id})=\n### {id} — {erratum['location']}",
            f"**{erratum['reach']}**, {where}{', '.join(beside)}{_answer(id)}",
            f"Printed\n: {erratum['printed']}",
            f"Holds\n: {holds_in_short}",
            f"At one point\n: printed {printed}, corrected {corrected}, measured {measured}",
            f"Evidence\n: {fails}; {holds}",
            f"Reach\n: {_reach(erratum, owners)}",
            _folded(more),
            _script(id),
        ]
    )


def _folded(more: str) -> str:
    """What a correction says beyond its first sentence."""
    return f":::{{dropdown}} In full, and what the numbers are\n{more}\n:::" if more else ""


def _first_sentence(text: str) -> tuple[str, str]:
    """A text's first sentence and the rest; a full stop inside of a formula ends none."""
    outside = re.sub(r"\$[^$]*\$", lambda formula: "$" * len(formula[0]), text)
    stop = re.search(r"\.\s+(?=[A-Z($])", outside)
    return (text[: stop.start() + 1], text[stop.end() :]) if stop else (text, "")


def _link(row) -> str:
    """A link from the errata page to a chapter."""
    return link(row, paths.document("errata"))


def _number(value: float | None) -> str:
    return "—" if value is None else typeset(f"{value:.6g}")


def _named(tag: str, id: str) -> str:
    """A row as a link."""
    return row_link(statement(tag), id, paths.document("errata"))


def _evidence(tag: str, claim: dict) -> str:
    verdict = "holds" if claim["passed"] else "fails"
    observed, bound = (show_value(claim[key]) for key in ("observed", "bound"))
    bound = typeset(f"{claim['relation']} {bound}")
    known = f"observed {typeset(observed)}, bound {bound}, {claim['strength']}"
    return f"{_named(tag, claim['id'])} {verdict} ({known})"


def _reach(erratum: dict, owners: dict) -> str:
    """What follows from the slip elsewhere; the rest downstream, and by which slips it fails."""
    follows = dict.fromkeys(one["tag"] for one in erratum["consequences"])
    rest = [item for item in erratum["downstream"] if item["tag"] not in follows]
    lines = [f"{_link(statement(tag))} (a consequence)" for tag in follows]
    if rest:
        holding, claims = (sum(item[what] for item in rest) for what in ("survive", "claims"))
        failing = {owners.get((item["tag"], claim)) for item in rest for claim in item["fail"]}
        named = ", ".join(sorted(filter(None, failing), key=lambda id: int(id[1:])))
        why = f"; the rest fails by {named if len(failing) <= FEW else 'other slips'}"
        more = "further " * bool(follows)
        lines.append(
            f"{holding} of {claims} {more}claims downstream hold{why * (holding < claims)}"
        )
    return "; ".join(lines) or "nothing else in this book"


def _place(id: str) -> str:
    """Where an erratum's own script lies."""
    return paths.relative(paths.ERRATA / f"{id}.py")


def _script(id: str) -> str:
    """The erratum's own script, folded, with the command that runs it."""
    if not (paths.ERRATA / f"{id}.py").exists():
        return ""
    return (
        f"::::{{dropdown}} Verify it in a minute: `python {_place(id)}`\n"
        f":::{{literalinclude}} errata/{id}.py\n:language: python\n:::\n::::"
    )


def _answer(id: str) -> str:
    """What the authors said, where they did."""
    answer = collect.answers().get(id)
    return f"; *disputed* by the authors: {answer['words']}" if answer else ""


def findings(ledger: dict) -> str:
    """What was found that answers nothing printed."""
    lines = [
        f"- {link(statement(row['tag']), paths.document('errata'))}: {finding['finding']}"
        f" ({', '.join(_named(row['tag'], id) for id in finding['evidence'])})"
        for row in ledger["statements"]
        for finding in row["findings"]
        if not is_sharper(finding)
    ]
    head = "## Findings\n\nWhat was found that answers nothing printed."
    return "\n".join([head, "", *lines]) if lines else ""


def letter(ledger: dict) -> str:
    """A letter to the authors of each paper, with room for their answer to each entry.

    What our runs did not show is no question to them, at other settings than theirs.
    """
    claims, parts = _claims(ledger), []
    for paper, title in PAPERS.items():
        rows = [e for e in by_weight(ledger) if statement(e["tag"]).paper == paper]
        if rows:
            parts.append(f"## To the authors of *{title}*")
            parts += [_paragraph(erratum, claims) for erratum in rows]
    return "\n\n".join(parts) or "There is nothing to write about."


def _paragraph(erratum: dict, claims: dict) -> str:
    fails, holds = (
        _evidence(erratum["tag"], claims[erratum["tag"], claim]) for claim in erratum["evidence"]
    )
    answer = collect.answers().get(erratum["id"], {}).get("words", "…")
    holds_in_short, more = _first_sentence(erratum["corrected"])
    return "\n\n".join(
        [
            f"**{erratum['id']}, {erratum['location']}** ({erratum['reach']}). "
            f"Printed: {erratum['printed']}. We find that this holds instead: "
            f"{holds_in_short.rstrip('.')}. "
            f"Evidence: {fails}; {holds}; `python {_place(erratum['id'])}` shows it without our "
            "library.",
            *filter(None, [_folded(more)]),
            f"> Your answer: {answer}",
        ]
    )
