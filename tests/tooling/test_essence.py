"""The open layer of a chapter: how its words are counted, and that a picture stands in front."""

import nbformat
import pytest
from ledgerbook.chapters import notebooks, summary
from ledgerbook.chapters.statements import written

EARLY = 80  # words of the page before its first figure


def chapter(*cells):
    """A notebook of Markdown cells."""
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text) for text in cells])


def test_formulas_count_as_one_word_and_folds_as_none():
    assert summary.words("A gap of $a+b+c$ is") == 5
    assert (
        summary.words("Seen.\n\n:::{dropdown} Answer\nmany more words\n:::\n\n$$\nx=1\n$$\n") == 2
    )
    assert summary.words("See [Lemma 5](lemma_05.ipynb).\n\n| a | b |\n|---|---|\n") == 3


def test_a_question_has_choices_an_answer_and_a_right_one():
    asked, answer, right = summary.question(
        chapter(
            "# T\n\n*s*",
            "## Predict\n\nWhich? **(a)** One. **(b)** Two.\n\n:::{dropdown} Answer\n**(b)**. As"
            " (a) forgets.\n:::",
        )
    )
    assert summary.choices(asked) == ["a", "b"] and right == "b" and "forgets" in answer


def figure():
    """A code cell that shows a figure."""
    shown = nbformat.v4.new_output("display_data", data={"image/png": ""})
    return nbformat.v4.new_code_cell("", outputs=[shown])


@pytest.mark.parametrize(("count", "pictures", "minutes"), [(120, 0, 1), (121, 0, 2), (120, 3, 4)])
def test_a_minute_has_120_words_and_a_figure_is_looked_at_for_one(count, pictures, minutes):
    notebook = chapter("# Title\n\n" + "word " * count)
    notebook.cells += [figure() for _ in range(pictures)]
    assert summary.minutes(notebook) == minutes


def test_before_a_figure_stand_all_words_of_the_page():
    notebook = chapter("# Title", "one two three", "four")
    notebook.cells[2:2] = [figure(), nbformat.v4.new_code_cell("")]
    notebook.cells.append(figure())
    assert summary.figures(notebook) == [4, 5]


@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_the_first_figure_stands_in_front(row):
    notebook = notebooks.read(row.chapter)
    assert summary.figures(notebook) and summary.figures(notebook)[0] <= EARLY
