"""Colours mean something: what has a role has a colour that nothing else has."""

from matplotlib.colors import to_rgb

from lib import figures


def test_a_sequence_borrows_no_role_s_colour():
    roles = {to_rgb(color) for color in figures.COLORS.values()}
    sequence = {to_rgb(color) for color in figures.SEQUENCE}
    assert not roles & sequence
    assert len(roles) == len(figures.COLORS) and len(sequence) == len(figures.SEQUENCE)
