"""The dark form of a figure: the same drawing in other colours.

White becomes the background of a dark page, black becomes its text colour, and greys lie between.
A colour with a role becomes the dark colour of that role (``ROLES``); any other colour keeps its
hue and is made lighter until its contrast with the background suffices.  Colours of a colour map
stay, because a reader compares them with the colour bar.
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
    """Relative luminance of a colour as WCAG defines it, from 0 for black to 1 for white."""
    parts = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color))
    return float(np.dot((0.2126, 0.7152, 0.0722), list(parts)))


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours as WCAG defines it, from 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def color(light: str) -> str:
    """The dark form of a light colour, as ``#rrggbb``."""
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
    """The dark form of one colour or of a list of them; opacities stay."""
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
    """Replace each colour of an artist by its dark form.

    All are read before one is set, because setting one may change another.
    """
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
    """The artists of a figure, each once, without the figure and its axes.

    Those two take their colour from a background patch, which is itself among the artists.
    """
    found: list[Artist | None] = [*figure.findobj(lambda one: not isinstance(one, Figure | Axes))]
    for text in figure.findobj(Text):
        found += [text.get_bbox_patch(), getattr(text, "arrow_patch", None)]
    return [*dict.fromkeys(one for one in found if one is not None)]


def _mapped(artist: Artist) -> bool:
    """Whether an artist's colours come from a colour map."""
    return getattr(artist, "get_array", lambda: None)() is not None


def _over_a_map(figure: Figure) -> set[Artist]:
    """The texts in axes that show an image, such as the numbers on a heat map.

    Behind them is the image, not the page, so they keep their colour.
    """
    axes = [one for one in figure.axes if one.images]
    return {text for one in axes for text in one.texts}


def darken(figure: Figure) -> Figure:
    """Give a figure its dark colours, in place, and return it; render its light form before."""
    kept = _over_a_map(figure)
    for artist in _parts(figure):
        if isinstance(artist, ContourSet) and _mapped(artist):
            shades = artist.get_cmap()(np.linspace(LOWEST, 1, 256))
            artist.set_cmap(ListedColormap(shades))
        elif artist not in kept and not _mapped(artist):
            _paint(artist)
    return figure
