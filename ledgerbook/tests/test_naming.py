"""Curves are named where they are, and panels by letter."""

import matplotlib as mpl
import numpy as np
import pytest
from ledgerbook.ledger import dark, figures, naming

FAR = {"light": [1, 2, 3], "heavy": [3, 4, 6]}


def drawn(curves, **options):
    """A figure with a legend of some curves, and its axes."""
    figure, axis = figures.subplots(**options)
    for name, values in curves.items():
        axis.plot(range(len(values)), values, label=name)
    axis.legend()
    return figure, axis


def put(figure):
    """The names of a figure, by their words, each with its text."""
    with mpl.rc_context(figures.STYLE):
        return {text.get_text(): text for text, _ in naming.put(figure)}


def away(text, line):
    """Pixels between a text's box and a line."""
    box, points = text.get_window_extent(), np.linspace(*line.get_xydata()[[0, -1]], 50)
    if len(line.get_xydata()) > 2:
        points = np.concatenate([np.linspace(a, b, 50) for a, b in zip(*pairs(line), strict=True)])
    middle = (np.array(box.min) + box.max) / 2
    over = np.abs(line.axes.transData.transform(points) - middle) - np.array(box.size) / 2
    return np.hypot(*np.maximum(over, 0).T).min()


def pairs(line):
    """The ends of a line's pieces."""
    points = line.get_xydata()
    return points[:-1], points[1:]


def test_a_name_covers_nothing_and_is_nearest_to_its_own_curve():
    figure, axis = drawn(FAR)
    names = put(figure)
    assert axis.get_legend() is None and set(names) == set(FAR)
    for line in axis.lines:
        own = away(names[line.get_label()], line)
        other = min(away(names[line.get_label()], one) for one in axis.lines if one is not line)
        assert 0 < own <= naming.NEAR + 1 and other >= max(naming.CLEAR - 1, 1.5 * own)
    boxes = [text.get_window_extent() for text in names.values()]
    assert not boxes[0].overlaps(boxes[1])
    assert all(axis.bbox.contains(*corner) for box in boxes for corner in (box.min, box.max))


def test_two_names_between_two_lines_do_not_meet():
    figure, axis = figures.subplots(width=4.0, height=0.55)
    for name, level in (("first", 1), ("other", 0)):
        axis.plot([0, 1], [level, level], label=name)
    axis.set(xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[])
    axis.legend()
    one, other = (text.get_window_extent() for text in put(figure).values())
    assert not one.overlaps(other)


@pytest.mark.parametrize(
    "curves",
    [
        {"one": [1, 2, 3], "the same": [1, 2, 3]},
        {str(n): [n, n + 1] for n in range(naming.MOST + 1)},
    ],
    ids=["a bundle", "many"],
)
def test_without_a_place_for_each_the_legend_stays(curves):
    figure, axis = drawn(curves)
    assert put(figure) == {} and len(axis.get_legend().get_texts()) == len(curves)


def test_a_legend_with_a_title_of_its_own_and_one_of_bars_stay():
    figure, axis = drawn(FAR)
    axis.legend(title="weight")
    assert put(figure) == {} and axis.get_legend()
    figure, axis = figures.subplots()
    axis.bar([0, 1], [1, 2], label="bars")
    axis.legend()
    assert put(figure) == {} and axis.get_legend()


def test_letters_of_a_name_are_dark_enough_on_white_and_light_enough_in_the_dark():
    for color in [*figures.SEQUENCE, "#E69F00"]:
        assert dark.contrast(naming.legible(color), "#FFFFFF") >= dark.LEAST
        assert dark.contrast(dark.color(color), dark.GROUND) >= dark.LEAST
    figure, axis = drawn(FAR)
    figures.Picture(figure, "a b c d e", "a b c d e")
    assert {text.get_color() for text in axis.texts} == {
        dark.color(color) for color in figures.SEQUENCE[:2]
    }


def test_panels_have_the_letters_that_their_words_use():
    for caption, titles in (("it (a) falls, (b) rises", ["(a) one", "(b)"]), ("a b c d e", "")):
        figure, both = figures.subplots(1, 2)
        both[0].set_title("one")
        figures.Picture(figure, "a b c d e", caption)
        assert [axis.get_title() for axis in both] == (titles or ["one", ""])
