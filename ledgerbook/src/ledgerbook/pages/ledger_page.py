"""The ledger page, the equations page and the strengths: every row of the book in tables."""

import json
import os
import re

from ledgerbook.chapters import statements
from ledgerbook.chapters.statements import statement
from ledgerbook.ledger.judgement import BESIDE, STRENGTHS, controls
from ledgerbook.ledger.ledger_table import HEADER, markdown_table, table_cell
from ledgerbook.pages.parts import chip, evidence, link, places, slip
from ledgerbook.pages.row_tables import cells, deferred
from ledgerbook.project import markup
from ledgerbook.project.project import current
from ledgerbook.references import mathml, targets
from ledgerbook.references.targets import address

FILTER = ("part", "verdict", "evidence", "kind")  # what a reader may choose by
FACET = re.compile(": | · ")  # what follows says more of one row
SIZE = 50  # rows of a page
COLUMNS = [*HEADER[:-2], "kind", "evidence", HEADER[-1]]


def page(ledger: dict) -> str:
    """Every claim and control of every statement."""
    here = current().document("ledger")
    # Where the script puts its controls, ``rows.js``, with the files for machines.
    tables = {one["tag"]: _rows(one) for one in ledger["statements"] if one["claims"]}
    how = json.dumps({"filter": choices(tables), "size": SIZE})
    data = os.path.relpath("_data", os.path.dirname(here))
    parts = [strengths_table(ledger), markup.render("rows.html.jinja", how=how, data=data)]
    for record in ledger["statements"]:
        row = statement(record["tag"])
        slips = [erratum["id"] for erratum in ledger["errata"] if erratum["tag"] == row.tag]
        named = [*places(row.tag, here, "graph"), *map(slip, slips)]
        parts.append(
            f"({address('rows', row.tag)})=\n## {row.name}\n\n"
            f"`{row.tag}`, {', '.join([link(row, here, 'chapter'), *named])},"
            f" {chip(record['status'])} {standing_of(record)}"
        )
        if record["kind"] in ("statement", "remark"):
            parts.append(conclusion(record))
        if row.tag in tables:
            parts.append(deferred(row.tag, markdown_table(COLUMNS, tables[row.tag])))
    return unlinked("\n\n".join(filter(None, parts)))


def choices(tables: dict[str, list[list[str]]]) -> dict[str, list[str]]:
    """For each column that a reader may choose by, what stands in it, as ``rows.js`` reads it."""
    order = [*STRENGTHS, *(part.caption for part in statements.parts())]
    found = {"part": {statements.part_of(tag) for tag in tables}}
    rows = [row for table in tables.values() for row in table]
    for name in FILTER[1:]:
        found[name] = {FACET.split(row[COLUMNS.index(name)])[0] for row in rows} - {""}
    rank = lambda value: (order.index(value) if value in order else -1, value)
    return {name: sorted(values, key=rank) for name, values in found.items()}


def standing_of(record: dict) -> str:
    """How strong the evidence is, what it inherits, and how the words are known."""
    return f"{evidence(record)}; statement {record['standing']}"


def conclusion(record: dict) -> str:
    """The parts of a conclusion with their rows, and what the paper displays on the way to it."""
    said = [
        f"{one['part']} ({one['strength']}{': ' + _named(one['rows']) if one['rows'] else ''})"
        for one in record["parts"]
    ]
    said += [f"{BESIDE}: {_named(record['beside'])}"] * bool(record["beside"])
    trusted = [f"on trust: {trust['words']}" for trust in record["trusted"]]
    return f"Parts of the conclusion: {'; '.join([*said, *trusted])}." if said else ""


def _named(ids: list[str]) -> str:
    return ", ".join(f"`{id}`" for id in ids)


def _rows(record: dict) -> list[list[str]]:
    rows = [_cells(f"`{claim['id']}`", claim) for claim in record["claims"]]
    for hypothesis in record["hypotheses"]:
        own = controls(hypothesis)
        name = f"control of {hypothesis['id']}"
        rows += [_cells(f"{name} `{control['id']}`", control) for control in own]
        if not own:
            why = f"○ necessity unknown: {table_cell(hypothesis['why'])}"
            rows.append([name, table_cell(hypothesis["text"]), *[""] * (len(COLUMNS) - 3), why])
    return rows


def _cells(name: str, row: dict) -> list[str]:
    *first, evidence, verdict = cells(name, row)
    return [*first, row["kind"], evidence, verdict]


def unlinked(text: str) -> str:
    """Links that chapters put into claims lead nowhere from another folder: keep their words."""
    return re.sub(r"\[([^\]]*)\]\((?:\.\./[\w-]+/)?[\w-]+\.ipynb\)", r"\1", text)


def strengths_table(ledger: dict) -> str:
    """How many statements and claims of each part have which strength."""
    rows = []
    for paper, title in current().settings.papers.items():
        part = [row for row in ledger["statements"] if row["paper"] == paper]
        claims = [claim for row in part for claim in row["claims"]]
        for what, found in (("statements", part), ("claims", claims)):
            counts = [sum(item["strength"] == name for item in found) for name in STRENGTHS]
            rows.append([f"{title}: {what}", *(str(count) for count in counts)])
    return markdown_table(["rows of", *STRENGTHS], rows)


def equations_page(ledger: dict) -> str:
    """For each displayed equation the formula, where a chapter displays it, and the claims that
    answer for it, or why there is none.
    """
    own = ((row["tag"], claim) for row in ledger["statements"] for claim in row["claims"])
    claims = {f"{tag}#{claim['id']}": claim for tag, claim in own}
    rows = [_equation(entry, claims) for entry in ledger["equations"]]
    return markdown_table(["equation", "formula", "chapter", "claims", "evidence"], rows)


def _equation(entry: dict, claims: dict[str, dict]) -> list[str]:
    first = [entry["number"], _formula(entry["number"].strip("()"))]
    if not entry["claims"]:
        return [*first, "", f"none: {entry['why_not'] or 'nobody said why'}", "none"]
    pairs = [name.split("#") for name in entry["claims"]]
    here = current().document("equations")
    chapters = dict.fromkeys(link(statement(tag), here) for tag, _ in pairs)
    names = _named([id for _, id in pairs])
    held = [claims[name]["strength"] for name in entry["claims"] if claims[name]["passed"]]
    best = max(held, key=STRENGTHS.index, default=STRENGTHS[0])
    return [*first, ", ".join(chapters), names, best]


def _formula(number: str) -> str:
    """The equation as the page displays it to which its number leads, without the number."""
    shown, best = targets.shown().get(number, {}), targets.equation(number, "")
    if best is None or best.docname not in shown:
        return ""
    tex = mathml.apart(shown[best.docname])[0].strip().rstrip(".,;").rstrip()
    return table_cell(f"${tex}$")
