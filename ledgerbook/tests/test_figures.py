"""The look that every figure has, and what a finished one carries beside its picture."""

import base64

import pytest
from ledgerbook.ledger import figures

FIVE, FOUR = "one two three four five", "one two three four"


def test_axes_are_open_above_and_to_the_right_and_their_grid_lies_behind():
    figure, axes = figures.subplots()
    shown = {side: spine.get_visible() for side, spine in axes.spines.items()}
    assert shown == {"left": True, "bottom": True, "top": False, "right": False}
    assert all(line.get_visible() for line in axes.xaxis.get_gridlines())
    assert axes.get_axisbelow() is True and figure.get_constrained_layout()


def test_a_row_of_axes_is_two_and_a_half_times_as_wide_as_high_unless_a_height_is_given():
    for rows in (1, 2):
        figure, axes = figures.subplots(rows, 3)
        width, height = figure.get_size_inches()
        assert width == pytest.approx(2.5 * height / rows) and axes.size == 3 * rows
    assert figures.subplots(2, height=5.0)[0].get_figheight() == 5


def test_a_picture_carries_its_words_beside_its_bytes():
    figure, _ = figures.subplots(width=1.0, height=1.0)
    picture = figures.Picture(figure, alt=FIVE, caption="a b c d e")
    data, details = picture._repr_mimebundle_()
    assert data["text/plain"] == repr(picture) == f"[figure] {FIVE}"
    assert base64.b64decode(data["image/png"]) == picture.png
    assert details == {"image/png": {"width": 100, "alt": FIVE, "caption": "a b c d e"}}


@pytest.mark.parametrize(
    ("alt", "caption", "named"), [(FOUR, FIVE, "alt"), (FIVE, FOUR, "caption")]
)
def test_both_texts_are_sentences(alt, caption, named):
    with pytest.raises(ValueError, match=f"^{named} = "):
        figures.Picture(None, alt, caption)
