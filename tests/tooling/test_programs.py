"""The programs of the reader's own: each prints, when it runs, just what its page shows below it.

A program is a block of Python in the words of a page, followed by the block of what it prints.
The first one on each chapter that a file of ``book/programs`` names is the chapter's section of
that file, and goes on from the sections before it.
"""

import ast
import contextlib
import io
import re

import numpy as np
import pytest
from ledgerbook.chapters import notebooks, summary
from ledgerbook.chapters.statements import statement, written
from ledgerbook.project.project import current
from ledgerbook.site import reading_path

from lib.mechanics.automaton import automaton_law
from lib.mechanics.five_samples import five_samples
from lib.mechanics.problem import Problem
from lib.scan_snap.decoder import crossings, h_star
from lib.scan_snap.four_classes import MOMENTS, SNAP, VOCABULARY, WORDS, four_classes
from lib.scan_snap.joint_ascent import joint_ascent
from lib.scan_snap.overlaps import backprop_coefficients
from lib.scan_snap.phase_transition import first_c0, gain_at
from lib.scan_snap.sequence_classes import normalized_attention
from tests.tooling.shares import shares

PROGRAM = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SECTION = "## A program of your own"
FIRST_HOUR = current().book / "first_hour.md"
SHORTEST, LONGEST = 6, 20  # lines
GROWING = {"scan-snap": "one_layer.py", "mechanics": "five_samples.py"}  # by folder of the book
STAGE = re.compile(r"^# --- (\w+): .*\n", re.MULTILINE)


def source(folder):
    """The whole growing file of a part."""
    return (current().book / "programs" / GROWING[folder]).read_text(encoding="utf-8")


def sections(folder):
    """The sections of a growing file in order: chapter's file to source."""
    _, *parts = STAGE.split(source(folder))
    return {
        current().book / folder / f"{page}.ipynb": part.strip() + "\n"
        for page, part in zip(parts[::2], parts[1::2], strict=True)
    }


SECTIONS = {folder: sections(folder) for folder in GROWING}
SECTION_OF = {file: part for found in SECTIONS.values() for file, part in found.items()}


def before(file):
    """The sections above a chapter's own, as one program."""
    found = SECTIONS[file.parent.name]
    return "\n".join(list(found.values())[: list(found).index(file)])


def prose(file):
    """The words of a page: a Markdown file's, or those of a notebook's Markdown cells."""
    if file.suffix == ".md":
        return file.read_text(encoding="utf-8")
    cells = notebooks.read(file).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def pages():
    """The pages with a program, and what is found on each: (program, output) pairs."""
    files = [*sorted(current().book.glob("**/*.md")), *(row.chapter for row in written())]
    texts = {file: prose(file) for file in files}
    return {file: PROGRAM.findall(text) for file, text in texts.items() if "```python" in text}


FOUND = pages()
PROGRAMS = [
    pytest.param(file, place, *pair, id=f"{file.stem}-{place}")
    for file, pairs in FOUND.items()
    for place, pair in enumerate(pairs)
]


def printed(program, above=""):
    """What a program prints after the lines ``above`` have run, and the names that it leaves."""
    out, names = io.StringIO(), {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(above, "<the programs before>", "exec"), names)
    with contextlib.redirect_stdout(out):
        exec(compile(program, "<a program of your own>", "exec"), names)
    return out.getvalue(), names


def grows(file, place):
    """Whether a program goes on from those of earlier chapters."""
    return file in SECTION_OF and place == 0


@pytest.mark.parametrize(("file", "place", "program", "output"), PROGRAMS)
def test_a_program_prints_what_its_page_shows(file, place, program, output):
    above = before(file) if grows(file, place) else ""
    assert printed(program, above)[0] == output


@pytest.mark.parametrize("file", SECTION_OF, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_a_chapter_shows_its_section_of_the_growing_file(file):
    assert FOUND[file][0][0] == SECTION_OF[file]


@pytest.mark.parametrize("folder", GROWING)
def test_the_sections_of_a_growing_file_follow_the_reading_path(folder):
    chapters = [row.chapter for row in reading_path.chapters()]
    assert list(SECTIONS[folder]) == [file for file in chapters if file in SECTIONS[folder]]


@pytest.mark.parametrize(("name", "decoder"), [("ordinary", "gradient"), ("theory", "modified")])
def test_the_growing_file_trains_as_the_library_does(whole_file, name, decoder):
    """Both trainings at the five moments of the table, by two implementations."""
    layer, found = whole_file["layer"], whole_file[name]
    mine = [layer(Y, Z)[0] for _, Y, Z in found]
    np.testing.assert_allclose(mine, shares(decoder=decoder)[:, :, :9], rtol=0, atol=1e-9)


@pytest.mark.parametrize("context", [[0, 3, 4], [2, 4], [1, 1, 0, 4], [1, 1, 2, 3, 4]])
def test_the_automaton_of_the_growing_file_is_the_library_s(context):
    names = printed(source("mechanics"))[1]
    counts = np.bincount(context, minlength=5)[None].astype(float)
    law = automaton_law(Problem(five_samples()), counts, np.array([4]))[0]
    np.testing.assert_allclose(names["automaton"](context), law, atol=1e-9)


@pytest.fixture(scope="module")
def whole_file():
    """The names that the growing file leaves."""
    return printed(source("scan-snap"))[1]


@pytest.mark.parametrize(("file", "place", "program", "output"), PROGRAMS)
def test_a_program_is_short_and_needs_no_library_of_ours(file, place, program, output):
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
    ((program, output),) = FOUND[FIRST_HOUR]
    lines = [re.findall(r"[\d.]+", line) for line in output.splitlines()]
    assert tuple(int(step) for step, *_ in lines) == MOMENTS
    shown = [list(map(float, row)) for _, *row in lines]
    np.testing.assert_allclose(shown, shares()[:, 0, :3], atol=6e-4)


def test_with_an_up_to_date_decoder_the_difference_of_theorem_3_stays():
    band = joint_ascent(four_classes(), 1.0, 1.0, list(MOMENTS), "settled").Z[:, 9, 1:3]
    level = 1 / (np.array([5, 3]) / 12 * np.exp(band)) ** 2
    difference = (level[:, 1] - level[:, 0]).round(1)
    page = prose(current().book / "scan-snap" / "theorem_03.ipynb")
    assert (
        set(difference) == {10.2}
        and "With a decoder that keeps up with attention the difference stays at 10.2." in page
    )


NUMBER = re.compile(r"(?<![\d.])\d+\.\d+")
GUITAR, DRUMS = normalized_attention(four_classes(), np.zeros((VOCABULARY, VOCABULARY)))[:2, :5]
OVERLAP = GUITAR @ DRUMS
DUALS = np.linalg.inv(OVERLAP + (1 - OVERLAP) * np.eye(4))  # of four classes, by their arrows
IOTA, BETA = backprop_coefficients(0, np.eye(4) - DUALS, VOCABULARY)
EXACT = IOTA, BETA[1]
XI = 3 * BETA[1] * OVERLAP  # of guitar, over gamma
FIVE_WORDS = np.array([2, 1, 1, 0, 0]) / np.sqrt(6)  # strum, play, chord, play
SAYS = np.array([[1, 1], [2, 0], [2, 0], [0, 2], [0, 2]])  # the decoder of Lemma 1's idea
SCORES = FIVE_WORDS @ SAYS
SURE = 1 / (1 + np.exp(SCORES[1] - SCORES[0]))  # of guitar
MESSAGE = SAYS @ [1 - SURE, SURE - 1]
MOVES = FIVE_WORDS * (MESSAGE - FIVE_WORDS @ MESSAGE * FIVE_WORDS)
U = 1 / four_classes().conditional[0, 1:3] ** 2  # of strum and chord
C_0 = first_c0(four_classes(), 0)
LOST = [  # what play has lost at t_0 in ordinary training; by the formula, from there to the end
    -joint_ascent(four_classes(), 1.0, 1.0, [SNAP]).Z[0, WORDS.index("band"), 0],
    float(np.diff(gain_at(np.array(MOMENTS)[[2, 4]], VOCABULARY, 4, 1.0, 1.0, C_0))[0]),
]
COUNTED = {  # by page: what its idea works out with a pencil
    "setting": [*FIVE_WORDS, *GUITAR],
    "lemma_01": [*SCORES, SURE, 1 - SURE, *MESSAGE, FIVE_WORDS @ MESSAGE, *MOVES],
    "lemma_03": [OVERLAP, 1 / np.sqrt(1 - OVERLAP**2), *DUALS[0, :2]],
    "theorem_01": [OVERLAP, *DUALS[0, :2], *EXACT],
    "lemma_04": [OVERLAP, *GUITAR * (OVERLAP * GUITAR - DRUMS)],
    "theorem_02": [OVERLAP, 1 - OVERLAP, OVERLAP * (1 - OVERLAP), 2.5, 0.25, 0.5, BETA[1], XI],
    "theorem_03": [*U, U[1] - U[0], U[1] / (U[1] - U[0])],
    "theorem_04": [GUITAR[0], C_0, crossings(VOCABULARY)[1], *LOST],
    "stress": [0.45, 3 * OVERLAP],  # of its second data set; of a class of the example in all
}


@pytest.mark.parametrize("page", COUNTED)
def test_each_decimal_of_an_idea_is_worked_out_or_shown_further_down(page):
    chapter = statement(f"scan-snap.{page.replace('_', '-')}").chapter
    notebook = notebooks.read(chapter)
    outputs = [output for cell in notebooks.code_cells(notebook) for output in cell.outputs]
    shown = [output.get("text", "") for output in outputs]
    shown += [output for _, output in PROGRAM.findall(prose(chapter))]
    values = [*map(float, NUMBER.findall("\n".join(shown))), *map(abs, COUNTED[page])]
    typed = NUMBER.findall(summary.sections(notebook)["The idea"])
    places = [len(number.partition(".")[2]) for number in typed]
    unknown = [
        number
        for number, digits in zip(typed, places, strict=True)
        if number not in {f"{value:.{digits}f}" for value in values}
    ]
    assert typed and unknown == []


def worked_out():
    """What the pages work out beside their programs: page, figures, values."""
    law = four_classes().conditional[:, :9]
    off = [
        abs(np.random.default_rng(0).multinomial(length, law) / length - law)[0].max()
        for length in (10_000, 100)
    ]
    lengths = [np.linalg.norm(row) for row in ([4, 2.5, 5, 3], [4, 1, 5, 3])]  # with loud
    gaps = VOCABULARY * h_star(2, VOCABULARY, 1.0)
    late = np.log(VOCABULARY * MOMENTS[-1] / 4)
    yield "setting", ("0.006", "0.037"), off
    yield "lemma_03", ("24.5",), [(1 + OVERLAP * (VOCABULARY - 1)) / (1 - OVERLAP)]
    yield "lemma_05", ("0.97", "3.9", "10.92"), [gaps[2] - gaps[1], np.log(VOCABULARY), late]
    yield "theorem_02", ("0.42",), [lengths[0] / lengths[1] / 2.5]


@pytest.mark.parametrize(("page", "typed", "found"), list(worked_out()))
def test_what_a_page_works_out_beside_its_program(page, typed, found):
    text = prose(current().book / "scan-snap" / f"{page}.ipynb")
    for figure, value in zip(typed, found, strict=True):
        places = len(figure.split()[0].partition(".")[2])
        assert figure in text and f"{value:.{places}f}" == figure.split()[0]


def decimals(text):
    """The numbers of a text that have a point, each with what its last digit is worth."""
    plain = re.sub(r"\\cdot10\^\{?(-?\d+)\}?", r"e\1", text)
    found = re.findall(r"(\d+\.(\d+))(e[+-]?\d+)?", plain)
    return [
        (float(number + power), float(f"1e-{len(part)}") * float("1" + (power or "e0")))
        for number, part, power in found
    ]


def answers():
    """(chapter, answer of an exercise, printed by the cell below it), where both have decimals."""
    for row in written():
        cells = notebooks.read(row.chapter).cells
        for cell, below in zip(cells, cells[1:]):
            found = re.search(r"(?s)\*\*\d\.\*\*.*:::\{dropdown\} Answer\n(.*?)\n:::", cell.source)
            text = "".join(output.get("text", "") for output in below.get("outputs", []))
            if found and decimals(found[1]) and decimals(text):
                yield pytest.param(found[1], text, id=f"{row.tag}-{cell.id}")


@pytest.mark.parametrize(("answer", "text"), list(answers()))
def test_an_answer_says_a_number_that_the_cell_below_prints(answer, text):
    shown = [size for size, _ in decimals(text)]
    said = decimals(answer)
    assert any(abs(size - one) < 0.51 * last for size, last in said for one in shown)
