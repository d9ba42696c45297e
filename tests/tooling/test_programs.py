"""The programs of the reader's own: each prints, when it runs, just what its page shows below it.

A program is a block of Python in the words of a page, followed by the block of what it prints.
"""

import ast
import contextlib
import io
import re

import pytest
from ledgerbook.chapters import notebooks
from ledgerbook.chapters.statements import statement, written
from ledgerbook.project import paths

from lib.scan_snap.decoder import crossings, time_at_height
from tooling import placed

PROGRAM = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SECTION = "## A program of your own"
FIRST_HOUR = paths.BOOK / "first_hour.md"
SHORTEST, LONGEST = 6, 20  # lines


def prose(file):
    """The words of a page: a Markdown file's, or those of a notebook's Markdown cells."""
    if file.suffix == ".md":
        return file.read_text(encoding="utf-8")
    cells = notebooks.read(file).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def pages():
    """The pages with a program, and what is found on each: (program, output) pairs."""
    files = [*sorted(paths.BOOK.glob("**/*.md")), *(row.chapter for row in written())]
    texts = {file: prose(file) for file in files}
    return {file: PROGRAM.findall(text) for file, text in texts.items() if "```python" in text}


FOUND = pages()
PROGRAMS = [
    pytest.param(program, output, id=f"{file.stem}-{place}")
    for file, pairs in FOUND.items()
    for place, (program, output) in enumerate(pairs)
]


def printed(program):
    """What a program prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(program, "<a program of your own>", "exec"), {})
    return out.getvalue()


@pytest.mark.parametrize(("program", "output"), PROGRAMS)
def test_a_program_prints_what_its_page_shows(program, output):
    assert printed(program) == output


@pytest.mark.parametrize(("program", "output"), PROGRAMS)
def test_a_program_is_short_and_needs_no_library_of_ours(program, output):
    nodes = list(ast.walk(ast.parse(program)))
    imported = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    assert imported <= {"numpy", "torch"}
    assert not any(isinstance(node, ast.ImportFrom) for node in nodes)
    lines = [line for line in program.splitlines() if line.strip()]
    assert SHORTEST <= len(lines) <= LONGEST and max(map(len, lines)) <= 100


def test_each_block_of_python_is_a_program_with_its_output():
    blocks = {file.stem: prose(file).count("```python") for file in FOUND}
    assert blocks == {file.stem: len(pairs) for file, pairs in FOUND.items()}
    promised = {row.chapter for row in written() if SECTION in prose(row.chapter)}
    assert promised | {FIRST_HOUR} == set(FOUND)


def test_the_program_of_the_first_hour_is_the_run_of_its_table():
    figure_2 = notebooks.read(statement(placed.TAG).chapter)
    _, steps, rows = placed.run(figure_2)
    stored = dict(zip(steps, rows, strict=True))
    ((program, output),) = FOUND[FIRST_HOUR]
    lines = [re.findall(r"[\d.]+", line) for line in output.splitlines()]
    shown = {int(step): list(map(float, shares)) for step, *shares in lines}
    assert shown == {step: stored[step][:3] for step in placed.moments(figure_2)}


def test_the_first_hour_says_when_its_decoder_leaves_the_flat_phase():
    K, M, rate = 4, 11, 1.0
    crossing = K * float(time_at_height(crossings(M)[1] / M, M, rate))
    assert f"balance at step {crossing:.0f}." in prose(FIRST_HOUR)
