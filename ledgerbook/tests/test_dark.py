"""The dark form of a figure: what a reader can tell apart there, and what stays."""

import io
from itertools import combinations

import numpy as np
import pytest
from ledgerbook.ledger import dark, figures
from PIL import Image

SEQUENCE = list(map(dark.color, figures.SEQUENCE))


def pixels(png):
    """A picture as numbers."""
    with Image.open(io.BytesIO(png)) as whole:
        return np.asarray(whole.convert("RGB")).astype(int)


def rgb(color):
    """A colour as numbers from 0 to 255."""
    return np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)])


def seen(png, color):
    """Whether some pixel has a colour."""
    return (abs(pixels(png) - rgb(color)).max(axis=2) <= 6).any()


def drawn(draw):
    """Both forms of what a function draws into axes."""
    figure, axis = figures.subplots(width=3.0, height=2.0)
    draw(axis)
    five = "one two three four five"
    return figures.Picture(figure, five, five)


@pytest.mark.parametrize("color", [*figures.SEQUENCE, "#000000", "navy", "darkred"])
def test_each_series_is_told_from_the_dark_ground(color):
    assert dark.contrast(dark.color(color), dark.GROUND) >= dark.LEAST


def test_no_two_series_become_one():
    apart = [abs(rgb(a) - rgb(b)).sum() for a, b in combinations(SEQUENCE, 2)]
    assert min(apart) > 60


def test_white_is_the_ground_and_black_the_ink():
    assert dark.color("white").upper() == dark.GROUND and dark.color("black").upper() == dark.INK


def test_lines_bars_boxes_and_words_have_their_dark_colours():
    def draw(axis):
        axis.plot([0, 1], [0, 1], color="#332288", lw=6)
        axis.plot([0.5], [0.2], "o", color="black", ms=20)
        axis.bar([0.2], [0.4], color="#882255")
        axis.text(0.2, 0.8, "boxed", color="white", bbox={"facecolor": "#117733"})

    picture = drawn(draw)
    for light in ("#332288", "#882255", "#117733", "#000000"):
        assert seen(picture.png, light) and not seen(picture.dark, light)
        assert seen(picture.dark, dark.color(light)), light
    assert (pixels(picture.dark)[0, 0] == rgb(dark.GROUND)).all()


def test_a_heat_map_and_the_words_on_it_keep_their_colours():
    def draw(axis):
        axis.imshow([[0.0, 1.0]], cmap="cividis", aspect="auto")
        axis.text(0, 0, "\u2588", color="white", fontsize=40)

    picture = drawn(draw)
    for corner in ("#00224E", "#FEE838", "#FFFFFF"):
        assert seen(picture.png, corner) and seen(picture.dark, corner)
