"""``make chapter``: one chapter with parameters of your own, apart from the stored book.

What the run gave, its pictures, tables and printed lines below the chapter's headings, becomes a
page of one file beside the executed notebook.
"""

import html
from contextlib import chdir, suppress
from typing import Any

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from nbformat import NotebookNode

from ledgerbook.chapters import notebooks, registry
from ledgerbook.chapters.parameters import parse_parameters, shown
from ledgerbook.chapters.statements import Statement, judged_in, statement
from ledgerbook.execution import environment, execute
from ledgerbook.ledger import fields
from ledgerbook.ledger.judgement import rows_of, status, surprises
from ledgerbook.ledger.ledger_table import SYMBOLS, verdict
from ledgerbook.project import tempdirs
from ledgerbook.project.project import current
from ledgerbook.project.validation import require
from ledgerbook.references import mathml

STYLE = "body { font: 1rem/1.5 sans-serif; max-width: 60rem; margin: auto } img { width: 100% }"


def main(tag: str, parameters: str) -> int:
    """Execute one chapter with parameters, show its rows, write its page."""
    row = statement(tag)
    require(row.written, "CH", tag, "a chapter that is written")
    values = parse_parameters(row, parameters)
    whole = notebooks.parameters(notebooks.read(row.chapter)) | values
    beyond = beyond_claims(row, whole) if values else []
    print(f"parameters: {shown(whole)}", flush=True)
    with tempdirs.only_run(tag):  # its notebook and its page are of one run
        try:
            target = execute.run_chapter(row, values)
        except RuntimeError as error:
            print(f"FAILED {tag}: {error}")
            return 1
        notebook = notebooks.read(target)
        records = notebooks.closing_records(notebook)
        for claim in (row for one in records.values() for row in rows_of(one)):
            print(f"[{'ok' if claim['passed'] else 'FAILS'}] {verdict(claim)}")
        found = found_in(records, tag) if not (records and beyond) else []
        told = beyond or [f"SURPRISE {line}" for line in found] or ["no surprise"]
        print("\n".join(told))
        if not beyond:  # a status is a claim, and none is made there
            told += statuses(row, records)
        page = target.with_suffix(".html")
        page.write_text(page_of(row, notebook, told), encoding="utf-8")
        print(f"executed: {current().relative(target)} (the stored chapter is untouched)")
        print(f"its page: {current().relative(page)}")
        return 1 if found else 0


def found_in(records: dict[str, dict], tag: str) -> list[str]:
    """What is not as the chapter announces it, a line for each."""
    found = [line for record in records.values() for line in surprises(record)]
    return found if records else [f"{tag}: no ledger row"]


def statuses(row: Statement, records: dict[str, dict]) -> list[str]:
    """The status of each statement that the chapter judges, in a line."""
    judged = [one for one in judged_in(row) if one.tag in records]
    found = [(one.number, status(records[one.tag], one.kind)) for one in judged]
    return [f"{number}: {SYMBOLS[name]} {name}" for number, name in found]


def beyond_claims(row: Statement, values: dict[str, Any]) -> list[str]:
    """A line for each value with which a class of the chapter does not claim its rows.

    Raises ``ValueError``, before a kernel starts, for a value that a class refuses.  Whatever else
    is wrong with a class its cell tells.
    """
    told = list[str]()
    others = LookupError, ImportError, SyntaxError, TypeError, NameError, AttributeError
    with (
        suppress(*others),
        environment.in_force(),
        chdir(row.chapter.parent),
    ):  # where its cells run
        judged = {one.tag for one in judged_in(row)} & {*registry.declared()}
        for kind in registry.classes([*judged]).values() if judged else ():
            known = {one.name for one in fields.parameters(kind)}
            made = kind(**{name: value for name, value in values.items() if name in known})
            told += fields.beyond(made)
    return [f"{one}; beyond, a row that fails is no surprise" for one in dict.fromkeys(told)]


def page_of(row: Statement, notebook: NotebookNode, told: list[str]) -> str:
    """What a run gave, as HTML that needs no other file: ``told``, then outputs below headings."""
    set_ = lambda tex, options: mathml.converted(tex, options["display_mode"])
    markdown = MarkdownIt().enable("table").use(dollarmath_plugin, renderer=set_)
    ran = f"A run of your own, with {shown(notebooks.parameters(notebook))}"
    parts = [f"<style>{STYLE}</style>", *(f"<p>{html.escape(line)}</p>" for line in (ran, *told))]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            heads = [line for line in cell.source.splitlines() if line.startswith("#")]
            parts.append(markdown.render("\n\n".join(heads)))
        for output in cell.get("outputs", ()):
            parts.append(_shown(output, markdown))
    return f"<!doctype html><meta charset=utf-8><title>{row.name}</title>\n" + "\n".join(parts)


def _shown(output: NotebookNode, markdown: MarkdownIt) -> str:
    data = output.get("data", {})
    if "image/png" in data:
        said = output.metadata.get("image/png", {})
        alt, caption = html.escape(said.get("alt", "")), markdown.render(said.get("caption", ""))
        return f'<img src="data:image/png;base64,{data["image/png"]}" alt="{alt}">{caption}'
    if "text/markdown" in data:
        return markdown.render(data["text/markdown"])
    return f"<pre>{html.escape(data.get('text/plain') or output.get('text', ''))}</pre>"
