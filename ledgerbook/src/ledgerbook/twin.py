"""The book for readers who are programs: every page as plain Markdown, and one index.

A chapter's page holds its words, code, printed text, each picture's description, and its rows as
the ledger has them; a generated page holds what its directive makes of the ledger.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml
from nbformat import NotebookNode

from ledgerbook import errata, ledger_page, notebooks, pages, paths, project, sharper_page, status
from ledgerbook.data_scripts import packed
from ledgerbook.ledger_table import MIME
from ledgerbook.statements import Statement, of_docname, statements

# Each chapter's page ends with its rows, and the whole ledger is a file: no third copy here.
ROWS = "The rows stand at the end of each chapter's page, all of them in `../_data/ledger.json`."

GENERATED: dict[str, Callable[[dict], str]] = {
    "ledger-page": lambda ledger: f"{ledger_page.strengths_table(ledger)}\n\n{ROWS}",
    "equations-page": ledger_page.equations_page,
    "errata-page": errata.page,
    "letter-page": errata.letter,
    "sharper-page": sharper_page.page,
    "status-page": status.page,
    "counts": pages.counts_sentence,
}
DIRECTIVE = re.compile(r"^(:{3,}|`{3,})\{([\w-]+)\}.*?\n(?:.*?\n)??\1$", re.MULTILINE | re.DOTALL)

LABEL = re.compile(r"^\([\w-]+\)=\n", re.MULTILINE)


def write(folder: Path, ledger: dict[str, Any]) -> None:
    """Write all pages and ``index.json`` into ``folder``."""
    entries = []
    for file in documents():
        name = file.relative_to(paths.BOOK).with_suffix(".md").as_posix()
        row = of_docname(paths.relative(file.with_suffix("")))
        text = chapter(file, row, ledger) if file.suffix == ".ipynb" else page(file, ledger)
        paths.write_if_changed(folder / name, text)
        entries.append(_entry(name, text, row, ledger))
    index = {"title": project.settings().title, "ledger": "../_data/ledger.json", "pages": entries}
    paths.write_if_changed(folder / "index.json", json.dumps(index, indent=1, ensure_ascii=False))


def documents() -> list[Path]:
    """The pages of the table of contents that exist, in the reader's order."""
    toc = yaml.safe_load(paths.TOC.read_text(encoding="utf-8"))
    found = [toc["root"], *(item["file"] for part in toc["parts"] for item in part["chapters"])]
    places = [paths.ROOT / f"{name}{suffix}" for name in found for suffix in (".ipynb", ".md")]
    return [place for place in places if place.is_file()]


def _entry(name: str, text: str, row: Statement | None, ledger: dict) -> dict[str, Any]:
    title = re.search(r"^# (.+)$", text, re.MULTILINE)
    entry: dict[str, Any] = {"page": name, "title": title[1] if title else name}
    records = [record for record in ledger["statements"] if row and row.tag in _tags(record)]
    if records:
        keys = ("tag", "number", "status", "strength", "uses")
        entry["statements"] = [{key: record[key] for key in keys} for record in records]
    return entry


def _tags(record: dict) -> tuple[str, str]:
    return record["tag"], statements()[record["tag"]].home


def page(file: Path, ledger: dict) -> str:
    """A page of words, with what its directives make of the ledger."""
    text = file.read_text(encoding="utf-8")

    def made(found: re.Match) -> str:
        make = GENERATED.get(found[2])
        return plain(make(ledger)) if make else found[0]

    return DIRECTIVE.sub(made, text)


def plain(text: str) -> str:
    """Markdown without labels, and with the words of a reference alone."""
    return re.sub(r"\{ref\}`([^`<]*?) *<[^`]*>`", r"\1", LABEL.sub("", text))


def chapter(file: Path, row: Statement | None, ledger: dict) -> str:
    """A chapter: its cells in order, then its rows with their numbers."""
    parts = [part for cell in notebooks.read(file).cells for part in _cell(cell)]
    for record in ledger["statements"]:
        if row and row.tag in _tags(record):
            shown = {**record, "uses": list(record["uses"])}
            parts.append(f"## Ledger of {record['tag']}\n\n```json\n{packed(shown)}\n```")
    return "\n\n".join(parts) + "\n"


def _cell(cell: NotebookNode) -> Iterator[str]:
    if cell.cell_type == "markdown":
        yield cell.source
    elif cell.source.strip():
        yield f"```python\n{cell.source}\n```"
        for output in cell.outputs:
            yield from _output(output)


def _output(output: NotebookNode) -> Iterator[str]:
    data = output.get("data", {})
    if "image/png" in data:
        alt = output.get("metadata", {}).get("image/png", {}).get("alt", "no description")
        yield f"[picture: {alt}]"
    elif "text/markdown" in data and MIME in data:
        yield data["text/markdown"]
    elif output.get("name") == "stdout":
        yield f"```text\n{output['text'].rstrip()}\n```"
    elif "text/plain" in data and MIME not in data:
        yield f"```text\n{data['text/plain']}\n```"
