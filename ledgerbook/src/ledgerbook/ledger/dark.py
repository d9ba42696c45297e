"""The dark form of a figure: drawn once more in other colours, and nothing turned over.

White becomes the ground of a dark page and black its ink, greys lie between; a colour with a role
becomes that role's dark colour (``ROLES``), any other keeps its hue and is made lighter until it
is told from the ground.  What a colour map has coloured stays: a reader compares it with its bar.
"""

import colorsys
from collections.abc import Callable

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, to_hex, to_rgb, to_rgba
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure
from matplotlib.text import Text

GROUND, INK = "#121212", "#E4E6EB"  # of a page of the book theme in the dark
# Light colour: dark colour.  A companion adds those of its own roles.
ROLES = {
    "#332288": "#A79BF0",
    "#999933": "#C9C94F",
    "#882255": "#E36FA4",
    "#66B8DD": "#66B8DD",
    "#AA4499": "#D78BCB",
    "#117733": "#4FBF74",
    "#DDCC77": "#F0E6A8",
}
LEAST = 4.5  # contrast with the ground: WCAG's for text, and lines are thin too
GREY = 0.08  # of saturation: below, a colour has no hue
LOWEST = 0.3  # of a colour map from which on lines are told from the ground


def luminance(color: str) -> float:
    """WCAG's relative luminance, 0 for black and 1 for white."""
    parts = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color))
    return float(np.dot((0.2126, 0.7152, 0.0722), list(parts)))


def contrast(one: str, other: str) -> float:
    """WCAG's contrast of two colours, from 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def color(light: str) -> str:
    """The dark colour of a light one, as ``#rrggbb``."""
    named = {key.upper(): value for key, value in ROLES.items()}.get(to_hex(light).upper())
    if named:
        return named
    hue, level, saturation = colorsys.rgb_to_hls(*to_rgb(light))
    if max(to_rgb(light)) - min(to_rgb(light)) < GREY:  # between ink and ground
        ends = np.array([to_rgb(INK), to_rgb(GROUND)])
        return to_hex((1 - level) * ends[0] + level * ends[1])
    while contrast(found := to_hex(colorsys.hls_to_rgb(hue, level, saturation)), GROUND) < LEAST:
        level += 0.02
    return found


def _dark(light: object) -> object:
    """One colour or a list of them, each with its own opacity."""
    if isinstance(light, str) and light in ("none", "auto"):
        return light
    given = np.asarray(mpl.colors.to_rgba_array(light))  # type: ignore[arg-type]
    found = [to_rgba(color(to_hex(one[:3])), one[3]) for one in given]
    single = isinstance(light, str) or np.ndim(light) == 1  # type: ignore[arg-type]
    return found[0] if single and len(found) == 1 else found


# What an artist's colours are called; each that has both is painted anew.
PAINTED = (
    *("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor"),
    *("gapcolor", "hatchcolor"),
)


def _paint(artist: Artist) -> None:
    """Each colour that an artist has, all read before one is changed: one may follow another."""
    light = {}
    for name in PAINTED:
        get: Callable | None = getattr(artist, f"get_{name}", None)
        if name == "color" and hasattr(artist, "set_facecolor"):
            continue  # of a patch: both others
        if get and hasattr(artist, f"set_{name}") and (value := get()) is not None and len(value):
            light[name] = value
    for name, value in light.items():
        getattr(artist, f"set_{name}")(_dark(value))


def _parts(figure: Figure) -> list[Artist]:
    """What is drawn, each thing once: a figure and its axes hand on the colour of their patch."""
    found: list[Artist | None] = [*figure.findobj(lambda one: not isinstance(one, Figure | Axes))]
    for text in figure.findobj(Text):
        found += [text.get_bbox_patch(), getattr(text, "arrow_patch", None)]
    return [*dict.fromkeys(one for one in found if one is not None)]


def _mapped(artist: Artist) -> bool:
    """Whether a colour map has coloured it."""
    return getattr(artist, "get_array", lambda: None)() is not None


def _over_a_map(figure: Figure) -> set[Artist]:
    """The words that stand on a heat map, which says nothing of the page's ground."""
    axes = [one for one in figure.axes if one.images]
    return {text for one in axes for text in one.texts}


def darken(figure: Figure) -> Figure:
    """Paint a figure for a dark page, in place; draw its light form before."""
    kept = _over_a_map(figure)
    for artist in _parts(figure):
        if isinstance(artist, ContourSet) and _mapped(artist):
            shades = artist.get_cmap()(np.linspace(LOWEST, 1, 256))
            artist.set_cmap(ListedColormap(shades))
        elif artist not in kept and not _mapped(artist):
            _paint(artist)
    return figure
