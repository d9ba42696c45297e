"""The generated parts of the book as Markdown: ledger, status, errata, links, provenance."""

import os
import platform
import re
import sys
from collections import defaultdict
from importlib.metadata import version

from lib.ledger_table import HEADER, markdown_table, row_cells, table_cell
from tooling import fingerprint, notebooks, paths, runs
from tooling.statements import PAPERS, statement, statements, used_by

# A status is told by a symbol as well as by a colour.
SYMBOLS = {
    "holds": "✓",
    "holds under extra conditions": "◐",
    "holds as corrected": "✎",
    "does not hold": "✗",
    "not checked": "○",
    "replicated": "✓",
    "partly replicated": "◐",
    "not replicated": "✗",
}


def link(row, from_docname, text=None):
    """A Markdown link to a chapter as seen from another document; plain text if it is not
    written.
    """
    text = text or row.number
    if not row.written:
        return f"{text} (not written yet)"
    return f"[{text}]({os.path.relpath(row.docname, os.path.dirname(from_docname))}.ipynb)"


def marked(status):
    """A status with its symbol."""
    return f"{SYMBOLS[status]} {status}"


def where_it_sits(row, statuses):
    """What a statement uses and what uses it."""

    def names(rows):
        return (
            "; ".join(
                f"{link(other, row.docname)} *{other.title}*"
                f" ({marked(statuses.get(other.tag, 'not checked'))})"
                for other in rows
            )
            or "nothing in this book"
        )

    lines = [
        f"- **Uses:** {names([statement(tag) for tag in row.uses])}",
        f"- **Used by:** {names(used_by(row.tag))}",
    ]
    if row.equations:
        lines.append(f"- **Equations of the paper:** {row.equations}")
    lines.append(
        f"- **Status, as computed:** {marked(statuses.get(row.tag, 'not checked'))} — "
        f"[graph]({_up(row)}graph.md), [ledger]({_up(row)}ledger.md), [errata]({_up(row)}errata.md)"
    )
    return "\n".join(lines)


def _up(row):
    return "../" * (row.docname.count("/") - 1)


def provenance(row):
    """Seed, parameters, ``lib`` fingerprint, and the command that re-runs this chapter alone."""
    notebook = notebooks.read(row.chapter)
    values = " ".join(f"{name}={value}" for name, value in notebooks.parameters(notebook).items())
    files = ", ".join(
        f"`{paths.relative(file)}`"
        for file in fingerprint.closure(notebooks.code(notebook))
        if file.name != "__init__.py"
    )
    return "\n".join(
        [
            f"- **Tag:** `{row.tag}`",
            f"- **Parameters:** `{values}`",
            f"- **Built on:** {files}",
            f"- **Fingerprint of these files:** `{fingerprint.lib_fingerprint(notebook)}`",
            f"- **Run this chapter alone:** `make chapter CH={row.tag}`, with other parameters "
            f'`make chapter CH={row.tag} P="{values}"`',
        ]
    )


def ledger_page(ledger):
    """Every claim and control of every statement."""
    parts = []
    for record in ledger["statements"]:
        row = statement(record["tag"])
        parts.append(
            f"## {row.number}: {row.title}\n\n`{row.tag}`, {link(row, 'book/ledger', 'chapter')},"
            f" **{marked(record['status'])}**"
        )
        if not record["claims"]:
            continue
        cells = [row_cells(f"`{claim['id']}`", claim) for claim in record["claims"]]
        for hypothesis in record["hypotheses"]:
            controls = (
                [hypothesis["control"], *hypothesis.get("further_controls", ())]
                if hypothesis["control"]
                else []
            )
            cells += [row_cells(f"control of {hypothesis['id']}", control) for control in controls]
            if not controls:
                cells.append(
                    [
                        f"control of {hypothesis['id']}",
                        table_cell(hypothesis["text"]),
                        "",
                        "",
                        "",
                        f"○ necessity unknown: {table_cell(hypothesis['why'])}",
                    ]
                )
        parts.append(markdown_table(HEADER, cells))
    return unlinked("\n\n".join(parts))


def unlinked(text):
    """Links that chapters put into claims lead nowhere from another folder: keep their words."""
    return re.sub(r"\[([^\]]*)\]\((?!\.\./)[\w-]+\.ipynb\)", r"\1", text)


def errata_page(ledger):
    """Printed, as it holds, evidence, and what depends on it."""
    if not ledger["errata"]:
        return "No slip recorded so far."
    claims = {
        (row["tag"], claim["id"]): claim for row in ledger["statements"] for claim in row["claims"]
    }
    grouped = defaultdict(list)
    for erratum in ledger["errata"]:
        grouped[erratum["tag"]].append(erratum)
    parts = []
    for tag in (tag for tag in statements() if tag in grouped):
        row = statement(tag)
        parts.append(
            f"## {row.number}: {row.title}\n\n{link(row, 'book/errata', 'To the chapter')}."
            f" {_reach(row)}"
        )
        cells = [
            [
                table_cell(e["location"])
                + (
                    " *(our reading of this formula is uncertain)*"
                    if e["uncertain_reading"]
                    else ""
                ),
                table_cell(e["printed"]),
                table_cell(e["corrected"]),
                *(_evidence(claims[tag, id]) for id in e["evidence"]),
                e["reach"],
            ]
            for e in grouped[tag]
        ]
        parts.append(
            markdown_table(
                ["where", "printed", "holds", "evidence against", "evidence for", "reach"], cells
            )
        )
    return "\n\n".join(parts)


def _evidence(claim):
    cells = row_cells("", claim)
    return f"`{claim['id']}`: observed {cells[2]}, bound {cells[3]}"


def _reach(row):
    """The statements downstream of a slip, through the graph."""
    downstream, waiting = [], [row]
    while waiting:
        for other in used_by(waiting.pop().tag):
            if other not in downstream:
                downstream.append(other)
                waiting.append(other)
    order = [other for other in statements().values() if other in downstream]
    return (
        "Downstream of it: "
        + (", ".join(link(other, "book/errata") for other in order) or "nothing")
        + "."
    )


def status_page(ledger):
    """Per chapter: status, run time, peak memory; and the environment."""
    cells = []
    for record in ledger["statements"]:
        row, run = statement(record["tag"]), runs.load(record["tag"])
        cost = (
            [
                f"{run['seconds']:.1f} s",
                f"{run['cpu_seconds']:.1f} s",
                f"{run['peak_bytes'] / 2**20:.0f} MiB",
            ]
            if "seconds" in run
            else ["not run here"] * 3
        )
        outcome = table_cell(run["error"]) if run.get("error") else "executed" if run else ""
        cells.append(
            [
                link(row, "book/status", f"{row.number}: {row.title}"),
                marked(record["status"]),
                *cost,
                outcome,
            ]
        )
    packages = [
        "numpy",
        "scipy",
        "torch",
        "sympy",
        "mpmath",
        "networkx",
        "matplotlib",
        "papermill",
        "nbval",
        "jupyter-book",
    ]
    environment = (
        f"Python {platform.python_version()} on {platform.system()} {platform.machine()}; "
        + ", ".join(f"{name} {version(name)}" for name in packages)
        + "."
    )
    return (
        markdown_table(
            ["chapter", "status", "wall time", "processor time", "peak memory", "last run"], cells
        )
        + f"\n\n**Environment of the last build:** {environment}"
    )


def counts_sentence(ledger):
    """What is known, in one sentence, from the ledger."""
    claims = [claim for row in ledger["statements"] for claim in row["claims"]]
    controls = sum(
        h["control"] is not None for row in ledger["statements"] for h in row["hypotheses"]
    )
    checked = sum(row["status"] != "not checked" for row in ledger["statements"])
    slips = len(ledger["errata"])
    return (
        f"At the last build **{checked}** of {len(ledger['statements'])} statements and experiments"
        f" had been checked by **{len(claims)}** claims and {controls} controls; **{slips}**"
        " formulas or sentences did not hold as printed and are listed, with evidence, under"
        " [errata](errata.md)."
    )


def status_table(ledger):
    """How many statements of each paper have which status."""
    names = list(dict.fromkeys(SYMBOLS))
    counts = {
        paper: {
            name: sum(
                row["paper"] == paper and row["status"] == name for row in ledger["statements"]
            )
            for name in names
        }
        for paper in PAPERS
    }
    used = [name for name in names if any(counts[paper][name] for paper in PAPERS)]
    return markdown_table(
        ["", *map(marked, used)],
        [[PAPERS[paper], *(str(counts[paper][name] or "") for name in used)] for paper in PAPERS],
    )


def python_version():
    """Major and minor version, for messages."""
    return ".".join(map(str, sys.version_info[:2]))
