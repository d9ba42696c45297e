"""The status page: what each chapter's run on this machine said, what it cost, and where."""

import re
from importlib.metadata import version
from typing import Any

from ledgerbook.chapters.statements import statement
from ledgerbook.execution import environment, run_records
from ledgerbook.ledger.ledger_table import markdown_table, table_cell
from ledgerbook.pages.parts import chip, link
from ledgerbook.project.project import current
from ledgerbook.regression.reproduce import FAILED
from ledgerbook.rows import kept

HEADER = ["chapter", "status", "this machine's run", "wall time"]
PACKAGES = ("papermill", "nbval", "jupyter-book")  # beside those that the settings name


def page(ledger: dict) -> str:
    """Per chapter: status, outcome and cost of the last run here; and the environment."""
    rows = [_row(record) for record in ledger["statements"]]
    shown = (*current().settings.packages, *PACKAGES)
    packages = ", ".join(f"{name} {version(name)}" for name in shown)
    words = f"**Environment of the last build:** {environment.described()}; {packages}."
    return "\n\n".join([markdown_table(HEADER, rows), words, *_without_witness()])


def _without_witness() -> list[str]:
    """The rows that no small change can turn red, each with its reason; nothing for none."""
    lines = [f"- `{name}`: {table_cell(why)}" for name, why in sorted(kept.reasons().items())]
    told = "**Rows that no small change was seen to turn red**, each with the reason:"
    return [told, "\n".join(lines)] if lines else []


def _row(record: dict) -> list[str]:
    row = statement(record["tag"])
    name = link(row, current().document("status"), row.name)
    if row.home:
        return [name, chip(record["status"]), f"with {statement(row.home).number}", ""]
    run = run_records.load(row.tag)
    time = f"{run['seconds']:.1f} s" if "seconds" in run else ""
    return [name, chip(record["status"]), outcome(run), time]


def outcome(run: dict[str, Any]) -> str:
    """How the chapter's run here compares with what is stored, when and under which Python."""
    if not run:
        return "not run here"
    words = "executed, not yet compared"
    if run["error"]:
        # Whatever it holds is neither Markdown nor HTML.
        shown = re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", " ".join(run["error"].split()))
        words = f"**{FAILED}**: {shown}"
    elif run.get("verdict"):
        words = f"**{run['verdict']['outcome']}**"
    return ", ".join(filter(None, [words, run.get("time"), run.get("environment")]))
