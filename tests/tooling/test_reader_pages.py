"""The reader's pages: the first hour, the landing page's figure, the self-test, the part pages."""

import re
from itertools import takewhile

import numpy as np
import pytest
from ledgerbook.chapters import notebooks, summary
from ledgerbook.chapters.statements import parts, statement, written
from ledgerbook.pages import reader
from ledgerbook.project import paths
from ledgerbook.site import reading_path

from checks.scan_snap.figure_02 import Figure02
from lib.mechanics.compiled_descent import run_trial
from lib.mechanics.five_samples import LABELS, SEQUENCES, five_samples
from lib.mechanics.problem import Problem
from lib.scan_snap.four_classes import WORDS

FIRST_HOUR = paths.BOOK / "first_hour.md"


@pytest.fixture(scope="module")
def essay():
    return FIRST_HOUR.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def figure_2():
    return Figure02()


def test_the_first_hour_takes_as_long_as_the_landing_page_says(essay):
    pictures = essay.count("{chapter-picture}") * summary.MINUTES_A_FIGURE
    minutes = summary.words(essay) / summary.WORDS_A_MINUTE + pictures
    landing = (paths.BOOK / "intro.md").read_text(encoding="utf-8")
    said = re.search(r"The whole story in (\d+) minutes", landing)
    assert int(said.group(1)) == pytest.approx(minutes, abs=3)


def test_the_landing_page_counts_the_chapters_of_the_path():
    landing = (paths.BOOK / "intro.md").read_text(encoding="utf-8")
    assert f"come {len(reading_path.chapters())} chapters" in landing


def test_every_equation_number_of_the_first_hour_is_displayed(essay):
    words = re.sub(r"\$\$.*?\$\$|```.*?```", "", essay, flags=re.DOTALL)
    cited = set(re.findall(r"\((\d{1,3})\)", words))
    assert cited <= set(re.findall(r"\\tag\{(\d+)\}|\\text\{\((\d+)\)\}", essay))


def test_the_five_samples_of_the_essay_are_those_of_their_chapter(essay):
    listed = re.findall(r"^\| \d \| ([\d, ]+) \| (\d) \|$", essay, re.MULTILINE)
    assert [[int(word) for word in row.split(", ")] for row, _ in listed] == SEQUENCES
    assert [int(label) for _, label in listed] == LABELS
    code = notebooks.code(notebooks.read(statement("mechanics.token-priority-graph").chapter))
    assert "import LABELS, SEQUENCES, five_samples" in code and "data = five_samples()" in code


def test_the_lead_that_grows_and_sinks_is_the_run_s(essay, figure_2):
    said = re.search(
        r"grew while scanning from (.*?) to (.*?) times .*? again, to (.*?)\.\s", essay
    )
    leads = figure_2.lead
    assert [float(one) for one in said.groups()] == pytest.approx(
        [leads[0], max(leads), leads[-1]], abs=0.01
    )


def test_attention_after_training_is_what_the_essay_prints(essay):
    data = five_samples()
    masses = run_trial(data, np.zeros((5, 5)), 1.0, 100_000, normalized=False)[1][-1]
    rows = re.findall(r"^\| ([\d, ]+) \| [¼⅓½] each \| (.+) \|$", essay, re.MULTILINE)
    assert len(rows) == len(SEQUENCES)
    for mass, (_, printed) in zip(masses, rows, strict=True):
        for token, value in re.findall(r"(\d): ([\d.]+)", printed):
            assert mass[int(token)] == pytest.approx(float(value), abs=6e-4)


def test_the_direction_of_the_essay_is_the_graph_svm(essay):
    printed = re.search(r"\(1\.2,.*?\)", essay).group()
    values = [float(value) for value in re.findall(r"-?[\d.]+", printed)]
    assert np.allclose(Problem(five_samples()).svm.W[:, 4], values, atol=1e-9)


def test_the_four_moments_of_the_essay_are_the_run_s(essay, figure_2):
    words = re.search(r"^\| moment \| step \|(.*)\|$", essay, re.MULTILINE).group(1)
    assert re.findall(r"\w+", words) == list(WORDS[:3])
    rows = re.findall(r"^\| (?:start|scan|winners|snap) \| (\d+) \|(.*)\|$", essay, re.MULTILINE)
    assert [int(step) for step, _ in rows] == figure_2.panels.tolist()
    shares = [[float(one) / 100 for one in re.findall(r"\d+", row)] for _, row in rows]
    np.testing.assert_allclose(shares, figure_2.attention[figure_2.at, 0, :3], atol=0.005)


def test_every_chapter_asks_a_question():
    without = [row.tag for row in written() if not summary.question(notebooks.read(row.chapter))]
    assert without == []


@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_the_right_choice_is_one_of_those_offered(row):
    asked, answer, right = summary.question(notebooks.read(row.chapter))
    assert right and set(right) < set(summary.choices(asked))
    others = set(summary.choices(asked)) - set(right)
    assert all(f"({letter})" in answer for letter in others)  # the wrong ones are explained


def test_each_part_of_the_path_asks_ten_questions():
    page = (
        (paths.BOOK / "self_test.md").read_text(encoding="utf-8").partition("## Find the slip")[0]
    )
    said = {text.partition("\n")[0]: text for text in page.split("\n## ")[1:]}
    for heading in dict.fromkeys(part.heading for part in parts() if part.path):
        assert f":::{{self-test}} {heading}\n" in said[heading]
        asked = reader.self_test("book/self_test", heading) + said[heading]
        assert asked.count(":name: question-") == 10, heading


def test_every_part_with_chapters_opens_with_a_map():
    for part in parts():
        if reader.chapters(part.name):
            text = (paths.BOOK / f"{part.pages[0]}.md").read_text(encoding="utf-8")
            assert f":::{{part-map}} {part.name}\n" in text, part.name


@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_nothing_is_printed_between_a_chapter_s_picture_and_its_idea(row):
    """It would stand there unfolded, wider than the column."""
    cells = iter(notebooks.read(row.chapter).cells)
    above = takewhile(lambda cell: "## The idea" not in cell.source, cells)
    shown = [one for cell in above if cell.cell_type == "code" for one in cell.outputs]
    assert next(cells, None) and all("image/png" in one.get("data", {}) for one in shown)
