"""The reader's pages: the first hour, the landing page's figure, the self-test, the part pages."""

import re
from itertools import takewhile

import numpy as np
import pytest
from ledgerbook.chapters import notebooks, summary
from ledgerbook.chapters.statements import parts, statement, written
from ledgerbook.pages import reader
from ledgerbook.project.project import current
from ledgerbook.site import reading_path

from checks.scan_snap.figure_02 import Figure02
from lib.log_sums import softmax
from lib.mechanics.compiled_descent import run_trial
from lib.mechanics.five_samples import LABELS, SEQUENCES, five_samples
from lib.mechanics.problem import Problem
from lib.scan_snap.attention_flow import row_velocity
from lib.scan_snap.decoder import snap_time
from lib.scan_snap.engine.train import train
from lib.scan_snap.four_classes import MOMENTS, SNAP, VOCABULARY, WORDS, four_classes
from lib.scan_snap.sequence_classes import limiting_attention, normalized_attention
from tests.tooling.shares import shares

FIRST_HOUR = current().book / "first_hour.md"
ORDINARY, MODIFIED = (shares(decoder=name)[:, 0, :3] for name in ("gradient", "modified"))


@pytest.fixture(scope="module")
def essay():
    return FIRST_HOUR.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def figure_2():
    return Figure02()


def test_the_first_hour_takes_as_long_as_the_landing_page_says(essay):
    pictures = essay.count("{chapter-picture}") * summary.MINUTES_A_FIGURE
    minutes = summary.words(essay) / summary.WORDS_A_MINUTE + pictures
    landing = (current().book / "intro.md").read_text(encoding="utf-8")
    said = re.search(r"The whole story in (\d+) minutes", landing)
    assert int(said.group(1)) == pytest.approx(minutes, abs=3)


def test_the_landing_page_counts_the_chapters_of_the_path():
    landing = (current().book / "intro.md").read_text(encoding="utf-8")
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
    assert "five_samples import five_samples" in code and "data = five_samples()" in code


def test_the_lead_that_grows_and_sinks_is_the_run_s(essay, figure_2):
    said = re.search(r"scanning it grows from (.*?) to (.*?) times .*? again, to (.*?)\.\s", essay)
    leads = figure_2.lead
    assert [float(one) for one in said.groups()] == pytest.approx(
        [leads[0], max(leads), leads[-1]], abs=0.0051
    )


def kept_up(steps):
    """Shares of guitar's words; ordinary training, past errors along the mixtures of the moment."""
    classes, Z, errors = four_classes(), np.zeros((VOCABULARY,) * 2), np.zeros((4, VOCABULARY))
    found, right = [], np.eye(VOCABULARY)[classes.next_token]
    for _ in range(steps + 1):
        found.append(limiting_attention(classes, Z)[0, :3])
        f = normalized_attention(classes, Z)
        error = (right - softmax(f @ f.T @ errors)) / 4
        np.add.at(Z, classes.query, row_velocity(f, error @ errors.T @ f))
        errors += error
    return np.array(found)


def test_without_a_decoder_that_lags_the_lead_goes_on_growing(essay):
    said = re.search(r"\*play\* would fall to (\d+) % by \$t_0\$", essay).group(1)
    run = kept_up(MOMENTS[3])
    assert int(said) / 100 == pytest.approx(run[SNAP, 0], abs=0.0051)
    assert (np.diff(run[:, 1] / run[:, 2]) >= 0).all()


def test_the_stress_test_names_both_runs_without_a_decoder_that_lags():
    idea = summary.sections(notebooks.read(statement("scan-snap.stress").chapter))["The idea"]
    pattern = r"play\* would be at (\d+) % at \$t_0\$ in ordinary training and at (\d+) % under"
    said = [int(one) / 100 for one in re.search(pattern, " ".join(idea.split())).groups()]
    apart = [kept_up(SNAP)[-1, 0], shares([SNAP], "settled")[0, 0, 0]]
    assert said == pytest.approx(apart, abs=0.0051)


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


def percents(text):
    """The percentages of a text, as shares."""
    return [float(one) / 100 for one in re.findall(r"([\d.]+) %", text)]


def test_the_example_of_the_essay_is_the_library_s(essay):
    found = re.findall(r"^\| \*(\w+)\* \| \*(\w+)\* \| (.*) \|$", essay, re.MULTILINE)
    classes = four_classes()
    for n, (query, answer, words) in enumerate(found):
        assert (query, answer) == (WORDS[classes.query[n]], WORDS[classes.next_token[n]])
        law = {word: int(count) / 12 for count, word in re.findall(r"(\d) \*(\w+)\*", words)}
        assert law == pytest.approx(
            {WORDS[i]: classes.conditional[n, i] for i in np.flatnonzero(classes.support[n])}
        )
    assert len(found) == classes.num_classes
    assert f"$M={VOCABULARY}$ words. Fifteen" in essay and len(WORDS) == 15
    assert f"other {VOCABULARY - len(WORDS)} are silent" in essay


def test_the_moments_of_the_essay_are_the_run_s(essay):
    rows = re.findall(r"^\| [a-z ]+ \| (\d+) \|(.*)\|$", essay, re.MULTILINE)
    assert tuple(int(step) for step, _ in rows) == MOMENTS
    np.testing.assert_allclose([percents(row) for _, row in rows], ORDINARY, atol=0.0051)
    assert f"in our example it is step {SNAP}" in essay


def test_the_two_runs_side_by_side_are_the_library_s(essay):
    rows = re.findall(r"^\| (\d+) \| (\d+ %.*) \| (.*) \|$", essay, re.MULTILINE)
    assert tuple(int(step) for step, *_ in rows) == MOMENTS
    for place, run in ((1, ORDINARY), (2, MODIFIED)):
        np.testing.assert_allclose([percents(row[place]) for row in rows], run, atol=0.0051)


def test_how_far_and_when_the_two_runs_move(essay, figure_2):
    said = re.search(r"update has taken (\d+) of a hundred .*, and ordinary training (\d+)", essay)
    lost = [100 * (run[0, 0] - run[2, 0]) for run in (MODIFIED, ORDINARY)]
    assert [int(one) for one in said.groups()] == pytest.approx(lost, abs=0.5)
    said = re.search(r"in the modified run (\d+) %", essay).group(1)
    assert int(said) / 100 == pytest.approx(figure_2.shares[VOCABULARY, "modified"], abs=0.0051)
    wide = four_classes(vocabulary=300)
    steps = [100 * round(snap_time(300, 4, 1.0))]
    ordinary, modified = (shares(steps, name, wide)[0, 0, 0] for name in ("gradient", "modified"))
    said = re.search(r"ordinary training ends at (\d+) % for \*play\*", essay).group(1)
    assert int(said) / 100 == pytest.approx(ordinary, abs=0.0051)
    assert modified == pytest.approx(MODIFIED[-1, 0], abs=0.0051)  # "nearly as far as before"


def test_the_landing_page_compares_the_two_runs_at_t_0():
    landing = (current().book / "intro.md").read_text(encoding="utf-8")
    said = re.search(
        r"by step (\d+) \*play\* has fallen from (\d+ %) .* to (\d+ %).* has it at (\d+ %)", landing
    )
    assert int(said.group(1)) == SNAP
    shown = percents(" ".join(said.groups()[1:]))
    assert shown == pytest.approx([ORDINARY[0, 0], MODIFIED[2, 0], ORDINARY[2, 0]], abs=0.0051)


@pytest.mark.parametrize(
    ("decoder", "words"), [("modified", r"\*play\* ends at"), ("gradient", "training it ends at")]
)
def test_where_the_rates_take_the_shared_word(essay, decoder, words):
    said = percents(re.search(words + r" ([^,]* %, [^,]* % and \d+ %)", essay).group(1))
    ends = [shares([4400], decoder, eta_y=rate)[0, 0, 0] for rate in (0.1, 1.0, 10.0)]
    assert said == pytest.approx(ends, abs=0.0051)


def test_both_rates_larger_run_further_along_nearly_the_same_path():
    fast = shares([SNAP], eta_y=10.0, eta_z=10.0)[0, 0, :3]
    assert fast[0] < ORDINARY[2, 0]
    assert min(abs(shares(range(45, 441))[:, 0, :3] - fast).max(axis=1)) < 0.01


def test_in_short_contexts_the_rare_word_falls(essay):
    said = re.search(r"does not rise to (\d+) % .*? to (\d+) %, .* rises to (\d+) %", essay)
    seeds = dict(batch_size=256, T=16, momentum=0.0, seeds=range(3))
    run = train(four_classes(), 1.0, 1.0, steps=440, keep=(440,), **seeds)
    strum, chord = run.attention[:, 0, 0, 0, 1:3].mean(axis=0)
    shown = [float(one) / 100 for one in said.groups()]
    assert shown == pytest.approx([ORDINARY[3, 2], chord, strum], abs=0.0051)


def test_every_chapter_asks_a_question():
    without = [row.tag for row in written() if not summary.question(notebooks.read(row.chapter))]
    assert without == []


@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_the_right_choice_is_one_of_those_offered(row):
    asked, answer, right = summary.question(notebooks.read(row.chapter))
    assert right and set(right) < set(summary.choices(asked))
    others = set(summary.choices(asked)) - set(right)
    assert all(f"({letter})" in answer for letter in others)  # the wrong ones are explained


def test_each_part_of_the_path_asks_ten_questions_or_more():
    page = (
        (current().book / "self_test.md")
        .read_text(encoding="utf-8")
        .partition("## Find the slip")[0]
    )
    said = {text.partition("\n")[0]: text for text in page.split("\n## ")[1:]}
    for heading in dict.fromkeys(part.heading for part in parts() if part.path):
        assert f":::{{self-test}} {heading}\n" in said[heading]
        asked = reader.self_test("book/self_test", heading) + said[heading]
        assert asked.count(":name: question-") >= 10, heading


def test_every_part_with_chapters_opens_with_a_map():
    for part in parts():
        if reader.chapters(part.name):
            text = (current().book / f"{part.pages[0]}.md").read_text(encoding="utf-8")
            assert f":::{{part-map}} {part.name}\n" in text, part.name


@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_nothing_is_printed_between_a_chapter_s_picture_and_its_idea(row):
    """It would stand there unfolded, wider than the column."""
    cells = iter(notebooks.read(row.chapter).cells)
    above = takewhile(lambda cell: "## The idea" not in cell.source, cells)
    shown = [one for cell in above if cell.cell_type == "code" for one in cell.outputs]
    assert next(cells, None) and all("image/png" in one.get("data", {}) for one in shown)
