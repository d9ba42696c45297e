"""Colours mean something: what has a role has a colour that nothing else has."""

from matplotlib.colors import to_rgb

from checks import figures


def test_a_sequence_borrows_no_role_s_colour():
    roles = {to_rgb(color) for color in figures.COLORS.values()}
    sequence = {to_rgb(color) for color in figures.SEQUENCE}
    assert not roles & sequence
    assert len(roles) == len(figures.COLORS) and len(sequence) == len(figures.SEQUENCE)


def test_letters_are_ten_points_where_an_inch_is_a_hundred_points_of_the_page():
    figure, axes = figures.subplots()
    assert axes.xaxis.label.get_fontsize() == 10
    words = "a sentence that states the conclusion"
    assert figures.Picture(figure, alt=words, caption=words).width == 700
