"""``make chapter``: one chapter with parameters of your own, apart from the stored book.

Its page is built in a copy of the project made of links, where the chapter is as it was executed
and no other page is; links to others lead to the built site.
"""

import os
import re
import shutil
import subprocess
import sys
from contextlib import chdir, suppress
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from nbformat import NotebookNode
from sphinx import addnodes
from sphinx.application import Sphinx

from ledgerbook.chapters import collect, notebooks, registry
from ledgerbook.chapters.parameters import parse_parameters, shown
from ledgerbook.chapters.statements import Statement, judged_in, statement
from ledgerbook.execution import environment, execute, snapshot
from ledgerbook.ledger import fields
from ledgerbook.ledger.judgement import status, surprises
from ledgerbook.ledger.ledger_table import verdict
from ledgerbook.pages.parts import marked
from ledgerbook.project import parent_watch, paths, settings, tempdirs
from ledgerbook.project.validation import require
from ledgerbook.site import accessibility, mathfont, sphinx_build, sphinx_project

TARGET = "LEDGERBOOK_TARGET"
ANSWER = ":::{dropdown} Answer"
LEFT_OUT = {".git", ".venv", "_build", "_toc.yml"}


def main(tag: str, parameters: str) -> int:
    """Execute one chapter with parameters, show its rows, write its page."""
    row = statement(tag)
    require(row.written, "CH", tag, "a chapter that is written")
    values = parse_parameters(row, parameters)
    whole = notebooks.parameters(notebooks.read(row.chapter)) | values
    if values:
        refuse(row, whole)
    print(f"parameters: {shown(whole)}", flush=True)
    with tempdirs.only_run(tag):  # its notebook and its page are of one run
        try:
            target = execute.run_chapter(row, values)
        except RuntimeError as error:
            print(f"FAILED {tag}: {error}")
            return 1
        records = notebooks.closing_records(notebooks.read(target))
        for claim in (row for one in records.values() for _, row in snapshot.recorded_rows(one)):
            print(f"[{'ok' if claim['passed'] else 'FAILS'}] {verdict(claim)}")
        found = [line for record in records.values() for line in surprises(record)]
        found = found if records else [f"{tag}: no ledger row"]
        print("\n".join(f"SURPRISE {line}" for line in found) or "no surprise")
        print(f"executed: {paths.relative(target)} (the stored chapter is untouched)", flush=True)
        print(f"its page: {paths.relative(write_page(row, target))}")
        return 1 if found else 0


def refuse(row: Statement, values: dict[str, Any]) -> None:
    """Raise ``ValueError`` for a value that a class of the chapter would refuse, before a kernel
    starts.  Whatever else is wrong with a class its cell tells.
    """
    os.environ.update(environment.quiet())
    others = LookupError, ImportError, SyntaxError, TypeError, NameError, AttributeError
    with suppress(*others), chdir(row.chapter.parent):  # where its cells run
        judged = {one.tag for one in judged_in(row)} & {*registry.declared()}
        for kind in registry.classes([*judged]).values() if judged else ():
            known = {one.name for one in fields.parameters(kind)}
            kind(**{name: value for name, value in values.items() if name in known})


def write_page(row: Statement, executed: Path) -> Path:
    """The page of an executed chapter, in a folder beside it.

    Raises ``OSError`` where Sphinx makes none.
    """
    folder = executed.parent / "html"
    page = folder / f"{row.docname}.html"
    site = os.path.relpath(paths.HTML, page.parent)
    mathfont.write_font(paths.EXTRA)  # the book's own: its next page has it
    with tempdirs.folder() as place:
        copy = mirror(place / "copy", row, executed)
        env = os.environ | environment.quiet()
        env |= {settings.VARIABLE: str(copy), settings.SITE: site, TARGET: str(place / "html")}
        env["PYTHONPATH"] = os.pathsep.join([str(copy), env["PYTHONPATH"]])
        log, ours = place / "log", ("ledgerbook.project.parent_watch", __name__)
        with open(log, "wb") as said:
            command = [sys.executable, "-m", *ours]
            parent_watch.run(command, cwd=copy, env=env, stdout=said, stderr=subprocess.STDOUT)
        if not (place / "html" / f"{row.docname}.html").is_file():
            last = (log.read_text(errors="replace").strip().splitlines() or ["no word"])[-1]
            raise OSError(f"no page of {row.tag}: {last}")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.move(place / "html", folder)
    lead_to_the_site(page, folder, site)
    return page


def headed(row: Statement, executed: Path) -> NotebookNode:
    """The executed chapter, with what is not the book's below its title: parameters, statuses, and
    what nobody announced.  Answers, which somebody wrote, say that they speak of the book.
    """
    notebook, book = notebooks.read(executed), notebooks.parameters(notebooks.read(row.chapter))
    ran = notebooks.parameters(notebook)
    said = "; ".join(
        f"`{shown({name: value})}` (the book: `{book.get(name)}`)"
        for name, value in ran.items()
        if value != book.get(name)
    )
    records = notebooks.closing_records(notebook)
    found = [line for record in records.values() for line in surprises(record)]
    states = (
        f"{one.number} {marked(status(records[one.tag], one.kind))}"
        for one in judged_in(row)
        if one.tag in records
    )
    lines = [
        f":::{{warning}} A run of your own, with {said or 'the parameters of the book'}",
        f"This run: {'; '.join(states)}. What a row gives is this run's;"
        " the other sentences speak of the book's numbers.",
        *(f"- did not come out: {line}" for line in found),
        ":::",
    ]
    for cell in notebook.cells if said else ():
        if cell.cell_type == "markdown":
            cell.source = cell.source.replace(ANSWER, f"{ANSWER}, with the book's numbers")
    notebook.cells.insert(1, nbformat.v4.new_markdown_cell("\n\n".join(lines)))
    return notebook


def mirror(copy: Path, row: Statement, executed: Path) -> Path:
    """A project of links with one chapter of its own, and that alone in its table of contents."""
    copy.mkdir(parents=True)
    top = paths.BOOK.relative_to(paths.ROOT).parts[0]
    for entry in paths.ROOT.iterdir():
        if entry.name not in LEFT_OUT | {top}:
            (copy / entry.name).symlink_to(entry)
    for file in (file for file in (paths.ROOT / top).rglob("*") if file.is_file()):
        link = copy / file.relative_to(paths.ROOT)
        link.parent.mkdir(parents=True, exist_ok=True)
        if file == row.chapter:
            nbformat.write(headed(row, executed), link)
        else:
            link.symlink_to(file)
    for name in ("_fonts", *settings.settings().extra):  # what the site computed for its pages
        if (paths.EXTRA / name).is_dir():
            (copy / "_build/extra").mkdir(parents=True, exist_ok=True)
            (copy / "_build/extra" / name).symlink_to(paths.EXTRA / name)
    toc = f"format: jb-book\nroot: {row.docname}\n"
    (copy / "_toc.yml").write_text(toc, encoding="utf-8")
    return copy


def build_page() -> None:
    """In the copy: the ledger as it would be, and the one page."""
    collect.write(collect.collect())
    accessibility.write_templates(paths.SPHINX / "templates")
    sphinx_project.write_conf()
    try:
        sphinx_project.sphinx("html", Path(os.environ[TARGET]))
    except sphinx_build.BuildError:  # what it refers to beyond its page is not there
        pass


def name_the_site(app: Sphinx, doctree: nodes.document) -> None:
    """References to pages that are not here become links to the book's own."""
    site = os.environ.get(settings.SITE)
    if not site:
        return
    for found in list(doctree.findall(addnodes.pending_xref)):
        docname = found.get("reftarget", "")
        if found.get("refdomain") == "doc" and docname not in app.env.found_docs:
            target = f"{site}/{docname}.html"
            found.replace_self(nodes.reference("", "", *found.children, refuri=target))


def lead_to_the_site(page: Path, folder: Path, site: str) -> None:
    """Links of a page to files that only the site has lead there."""

    def again(found: re.Match) -> str:
        inside = os.path.relpath(page.parent / found[2], folder)
        beyond = not (folder / inside).exists() and (paths.HTML / inside).exists()
        return f"{found[1]}{site}/{Path(inside).as_posix()}" if beyond else found[0]

    text = re.sub(r'(\shref=")([^":#]+)', again, page.read_text(encoding="utf-8"))
    page.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect it; without a site named it does nothing."""
    app.connect("doctree-read", name_the_site)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    build_page()
