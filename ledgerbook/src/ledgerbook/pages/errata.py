"""The errata page."""

import re

from ledgerbook.chapters import equations
from ledgerbook.chapters.statements import part_of, statement
from ledgerbook.ledger.ledger import REACHES, is_sharper
from ledgerbook.ledger.ledger_table import markdown_table, show_value, table_cell, typeset
from ledgerbook.pages.parts import link, places, row_link, slip
from ledgerbook.project.project import current

INDEX = ["reach", "erratum", "location", "chapter", "part", "equation", "evidence"]
INTRO = {  # by whether it is a misprint: a reading or a slip that no argument uses
    False: "## Slips\n\nWhat does not hold as printed, one entry a slip.",
    True: "## Misprints\n\nTypographical slips and readings that no argument of the papers uses.",
}


def here() -> str:
    """The document of the page."""
    return current().document("errata")


def page(ledger: dict) -> str:
    """Slips, misprints and findings as one document."""
    claims = {(row["tag"], c["id"]): c for row in ledger["statements"] for c in row["claims"]}
    # Those that reach furthest first; of one reach those that no argument uses last.
    weight = lambda one: (-REACHES.index(one["reach"]), one["misprint"])
    rows = sorted(ledger["errata"], key=weight)
    parts = [markdown_table(INDEX, [_line(one, claims) for one in rows])] if rows else []
    for kind, intro in INTRO.items():
        some = [_entry(one, claims) for one in rows if one["misprint"] == kind]
        parts += [intro, *some] if some else []
    parts.append(findings(ledger))
    return "\n\n".join(filter(None, parts)) or "No slip recorded so far."


def _line(erratum: dict, claims: dict) -> list[str]:
    """An entry's line of the table that the page begins with."""
    return [
        erratum["reach"],
        slip(erratum["id"]),
        table_cell(erratum["location"]),
        link(statement(erratum["tag"]), here()),
        part_of(erratum["tag"]),
        ", ".join(f"({number})" for number in sorted(equations.numbers(erratum["location"]))),
        claims[erratum["tag"], erratum["evidence"][1]]["strength"],
    ]


def _entry(erratum: dict, claims: dict) -> str:
    row, id = statement(erratum["tag"]), erratum["id"]
    numbers = ("—" if value is None else typeset(f"{value:.6g}") for value in erratum["numbers"])
    printed, corrected, measured = numbers
    where = "outside the statement, " if erratum.get("proof") else ""
    in_short, folded = _corrected(erratum)
    script = current().errata / f"{id}.py"
    shown = (
        f"::::{{dropdown}} Verify it in a minute: `python {current().relative(script)}`\n"
        f":::{{literalinclude}} errata/{id}.py\n:language: python\n:::\n::::"
    )
    return "\n\n".join(
        [
            f"({id})=\n### {id} — {erratum['location']}",
            f"**{erratum['reach']}**, {where}"
            + ", ".join([link(row, here()), *places(row.tag, here(), "graph", "ledger")]),
            f"Printed\n: {erratum['printed']}",
            f"Holds\n: {in_short}",
            f"At one point\n: printed {printed}, corrected {corrected}, measured {measured}",
            f"Evidence\n: {_evidence(erratum, claims)}",
            f"Reach\n: {_reach(erratum)}",
            folded,
            shown if script.exists() else "",
        ]
    )


def _corrected(erratum: dict) -> tuple[str, str]:
    """The first sentence of what holds, and the rest as a fold; no formula's full stop ends one."""
    text = erratum["corrected"]
    outside = re.sub(r"\$[^$]*\$", lambda formula: "$" * len(formula[0]), text)
    stop = re.search(r"\.\s+(?=[A-Z($])", outside)
    if stop is None:
        return text, ""
    more = f":::{{dropdown}} In full, and what the numbers are\n{text[stop.end() :]}\n:::"
    return text[: stop.start() + 1], more


def _evidence(erratum: dict, claims: dict) -> str:
    """The claim that fails and the one that holds."""
    found = []
    for claim in (claims[erratum["tag"], id] for id in erratum["evidence"]):
        observed, bound = (show_value(claim[key]) for key in ("observed", "bound"))
        bound = typeset(f"{claim['relation']} {bound}")
        known = f"observed {typeset(observed)}, bound {bound}, {claim['strength']}"
        verdict = "holds" if claim["passed"] else "fails"
        name = row_link(statement(erratum["tag"]), claim["id"], here())
        found.append(f"{name} {verdict} ({known})")
    return "; ".join(found)


def _reach(erratum: dict) -> str:
    """What follows from the slip elsewhere, and how much of the rest downstream holds."""
    follows = dict.fromkeys(one["tag"] for one in erratum["consequences"])
    rest = [item for item in erratum["downstream"] if item["tag"] not in follows]
    lines = [f"{link(statement(tag), here())} (a consequence)" for tag in follows]
    if rest:
        holding, claims = (sum(item[what] for item in rest) for what in ("survive", "claims"))
        more = "further " * bool(follows)
        why = "; the rest fails by other slips" * (holding < claims)
        lines.append(f"{holding} of {claims} {more}claims downstream hold{why}")
    return "; ".join(lines) or "nothing else in this book"


def findings(ledger: dict) -> str:
    """What was found that answers nothing printed."""
    lines = [
        f"- {link(statement(row['tag']), here())}: {finding['finding']}"
        f" ({', '.join(row_link(statement(row['tag']), id, here()) for id in finding['evidence'])})"
        for row in ledger["statements"]
        for finding in row["findings"]
        if not is_sharper(finding)
    ]
    head = "## Findings\n\nWhat was found that answers nothing printed."
    return "\n".join([head, "", *lines]) if lines else ""
