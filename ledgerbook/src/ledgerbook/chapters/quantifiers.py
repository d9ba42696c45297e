"""Words that speak of everything, and what they rest on.

A sentence that says "for all", "for every", "for any", "always" or "never" is *backed* where it
rests on a proof:

- in a row's text, by that row: its own strength is proved or more;
- in a chapter's prose, by the statement: the chapter judges one whose conclusion, as it holds, is
  proved; or by the section: a cell under the same heading of second level records a proved row.

What stands inside a theorem environment is the paper's statement and is left out, as are formulas,
code and the options that a reader is asked to predict.  A row as printed that fails quotes the
paper, too; *not always* and *for all practical purposes* promise nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nbformat import NotebookNode

from ledgerbook.chapters import notebooks
from ledgerbook.chapters.statements import judged_in, written
from ledgerbook.ledger.judgement import STRENGTHS, controls
from ledgerbook.ledger.ledger_table import MIME

SWEEPING = re.compile(
    r"\b(?:for\s+(?:(?:all|every)(?!\s+practical)|any)|(?<!not )always|never)\b", re.IGNORECASE
)
PROVED = STRENGTHS[STRENGTHS.index("proved") :]
QUOTED = re.compile(
    r"^(:{3,})\{prf:\w+\}.*?^\1\s*$"  # the paper's statement
    r"|^## Predict$.*?(?=^:::|^## |\Z)"  # its answer asserts, its options do not
    r"|`+[^`]*`+"
    r"|\$\$.*?\$\$|\$[^$]*\$",
    re.DOTALL | re.MULTILINE,
)
SENTENCE = re.compile(r"(?<=[.!?:])\s+|\n\s*\n|\n(?=[-#|*] )")
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Offender:
    """A sentence that no proof stands behind: where, the words, the sentence."""

    place: str
    words: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.place}: “{self.words}” rests on no proved row: {self.sentence}"


def sweeping(text: str) -> Iterator[tuple[str, str]]:
    """The sentences of a Markdown text that speak of everything, with the words that do."""
    for sentence in SENTENCE.split(QUOTED.sub(" · ", text)):
        for found in SWEEPING.finditer(sentence):
            yield " ".join(found.group().lower().split()), " ".join(sentence.split())


def offending_rows(record: dict) -> Iterator[Offender]:
    """Rows of a statement whose text says more than their own strength."""
    for row in [*record["claims"], *controls(record)]:
        quoted = row["as_printed"] and not row["passed"]
        if row["strength"] not in PROVED and not quoted:
            for words, sentence in sweeping(row["claim"]):
                yield Offender(f"{record['tag']}#{row['id']}", words, sentence)


def offending_prose(name: str, notebook: NotebookNode, proved: bool) -> Iterator[Offender]:
    """Sentences of a chapter's prose without a proof; ``proved``: its conclusion has one."""
    if proved:
        return
    pending: list[Offender] = []
    section, backed = "the head", False
    for cell in notebook.cells:
        if cell.cell_type == "code":
            backed = backed or _records_a_proof(cell)
            continue
        for number, part in enumerate(HEADING.split(QUOTED.sub(" · ", cell.source))):
            if number % 2:
                yield from () if backed else pending
                section, pending, backed = part, [], False
            else:
                pending += [Offender(f"{name}, {section}", *found) for found in sweeping(part)]
    yield from () if backed else pending


def _records_a_proof(cell: NotebookNode) -> bool:
    rows = (output["data"][MIME] for output in cell.outputs if MIME in output.get("data", {}))
    return any(
        row["passed"] and row["strength"] in PROVED
        for shown in rows
        for row in shown.get("rows", ())
    )


def offenders(ledger: dict) -> list[Offender]:
    """Every sentence of the book, in rows and in prose, that says more than is proved."""
    records = {record["tag"]: record for record in ledger["statements"]}
    found = [one for record in records.values() for one in offending_rows(record)]
    for chapter in written():
        proved = any(records[row.tag]["strength"] in PROVED for row in judged_in(chapter))
        notebook = notebooks.read(chapter.chapter)
        found += offending_prose(chapter.tag, notebook, proved)
    return found
