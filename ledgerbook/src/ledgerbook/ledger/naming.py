"""Names of curves at the curves themselves, in their colours, instead of in a legend.

A name goes where it covers nothing and is plainly nearer to its own curve than to any other.  If
one of the curves of a legend has no such place, because they cross or run in a bundle, the legend
stays as it is.  Panels get letters, by which a caption names them.
"""

import itertools
import string
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

from ledgerbook.ledger import dark

MOST = 6  # curves of a legend: more are a bundle
PALE = 200  # of 255: what is lighter in each of its three colours may lie under a name
GAPS = (3, 6, 10, 14)  # pixels between a curve and its name, at 100 dots an inch
NEAR, CLEAR = 14, 9  # pixels: from its own curve at most, from any other at least
THIN = 3  # pixels, to which a distance is exact
ROOM = 26  # pixels to another curve, from which on more is no better
PLACES = 90  # along a curve, at which a name is tried
LARGEST, SMALLEST = 9.0, 8.0  # of the letters, in points
WIDTH = 12  # letters: a longer name may have two lines
SIDES = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)]

Boxes = np.ndarray  # (n, 4): left, bottom, right, top in pixels


class Curve(NamedTuple):
    """What a legend names: its words, its colour, and the pixels that it passes, (n, 2)."""

    words: str
    color: str
    points: np.ndarray  # in the curve's order
    near: np.ndarray  # one of each few pixels, for distances


def lettered(figure: Figure) -> None:
    """Put (a), (b), … before the titles of a figure's panels, from left to right, row by row."""
    panels = [axis for axis in figure.axes if axis.get_label() != "<colorbar>"]
    if any(axis.get_title(loc).startswith("(") for axis in panels for loc in ("left", "center")):
        return
    for letter, axis in zip(string.ascii_lowercase, panels, strict=False):
        axis.set_title(f"({letter}) {axis.get_title()}".strip(), fontsize=axis.title.get_fontsize())


def legible(color: str) -> str:
    """The colour, or a darker one of its hue, with enough contrast for letters on white."""
    while dark.contrast(color, "#FFFFFF") < dark.LEAST:
        color = to_hex(np.asarray(dark.to_rgb(color)) * 0.95)
    return color


def put(figure: Figure) -> list[tuple[Text, str]]:
    """Replace each legend whose curves all have a place; the names, with their curves' colours."""
    legends = [legend for axis in figure.axes if (legend := axis.get_legend())]
    if not legends or any(legend.get_title().get_text() for legend in legends):
        return []
    points = float(np.clip(legends[0].get_texts()[0].get_fontsize(), SMALLEST, LARGEST))
    taken = _taken(figure)
    return [name for axis in figure.axes for name in _named(axis, taken, points)]


def _taken(figure: Figure) -> np.ndarray:
    """Where something is drawn that is neither a legend nor a grid; counted up, for ``_empty``."""
    hidden: list[Artist] = []
    for axis in figure.axes:
        hidden += [*axis.get_xgridlines(), *axis.get_ygridlines()]
        if legend := axis.get_legend():
            hidden.append(legend)
    shown = [artist.get_visible() for artist in hidden]
    figure.draw_without_rendering()  # legends have their part in the layout
    engine = figure.get_layout_engine()
    figure.set_layout_engine("none")
    for artist in hidden:
        artist.set_visible(False)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    levels = np.asarray(canvas.buffer_rgba())[::-1, :, :3].min(axis=2)
    for artist, state in zip(hidden, shown, strict=True):
        artist.set_visible(state)
    figure.set_layout_engine(engine)
    return np.pad(np.cumsum(np.cumsum(levels < PALE, axis=0), axis=1), ((1, 0), (1, 0)))


def _empty(taken: np.ndarray, boxes: Boxes) -> np.ndarray:
    """Which boxes hold nothing, by the counts of ``_taken``."""
    left, low, right, top = np.clip(boxes, 0, np.tile(taken.shape[::-1], 2) - 1).astype(int).T
    return (taken[top, right] - taken[low, right] - taken[top, left] + taken[low, left]) == 0


def _pixels(artist: object, axis: Axes) -> np.ndarray:
    """The pixels inside its axes that a curve, a cloud of points or a band passes."""
    if isinstance(artist, ErrorbarContainer):
        artist = artist[0]
    if isinstance(artist, Line2D):
        points = np.asarray(artist.get_transform().transform_path(artist.get_path()).vertices)
        points = points[np.isfinite(points).all(axis=1)]
        if artist.get_linestyle() not in ("None", " ", "") and len(points) > 1:
            ends = [*itertools.pairwise(points)]
            steps = [int(np.clip(np.hypot(*(b - a)) / 2, 2, 600)) for a, b in ends]
            between = zip(ends, steps, strict=True)
            points = np.concatenate([np.linspace(*pair, step) for pair, step in between])
    elif isinstance(artist, PathCollection):
        points = np.asarray(artist.get_offset_transform().transform(artist.get_offsets()))
    elif isinstance(artist, Patch | PolyCollection) and (artist.get_alpha() or 1) < 0.5:
        points = _inside(artist, axis)
    else:
        return np.empty((0, 2))
    low, high = np.array(axis.bbox.min) - 1, np.array(axis.bbox.max) + 1
    return points[((points >= low) & (points <= high)).all(axis=1)]


def _inside(band: Patch | PolyCollection, axis: Axes) -> np.ndarray:
    """Pixels of a pale band, four apart."""
    outlines = [band.get_path()] if isinstance(band, Patch) else [*band.get_paths()]
    (left, low), (right, top) = axis.bbox.min, axis.bbox.max
    grid = np.stack(np.meshgrid(np.arange(left, right, 4), np.arange(low, top, 4)), -1)
    points, to_pixels = grid.reshape(-1, 2), band.get_transform()
    held = [to_pixels.transform_path(outline).contains_points(points) for outline in outlines]
    return points[np.any(held, axis=0)]


def _curves(axis: Axes) -> list[Curve]:
    """What the labels of some axes name; nothing where one of them names what is no curve."""
    found, labelled = [], [*zip(*axis.get_legend_handles_labels(), strict=True)]
    handles = [one[0] if isinstance(one, ErrorbarContainer) else one for one, _ in labelled]
    lines = [one for one in handles if isinstance(one, Line2D)]
    nameless = [one for one in axis.lines if one not in lines]
    for handle, (artist, words) in zip(handles, labelled, strict=True):
        points = [_pixels(artist, axis)]
        if isinstance(handle, Line2D):
            points += [_pixels(one, axis) for one in nameless if _belongs(one, handle, lines)]
            color = handle.get_color()
        elif isinstance(handle, PathCollection | PolyCollection | Patch):
            faces = handle.get_facecolor()
            color = faces if isinstance(handle, Patch) else faces[0]
        else:
            return []
        passed = np.concatenate(points)
        near = np.unique(np.round(passed / THIN) * THIN, axis=0)
        found.append(Curve(words, to_hex(color), passed, near))
    return found if all(len(curve.points) for curve in found) else []


def _belongs(nameless: Line2D, line: Line2D, lines: list[Line2D]) -> bool:
    """Whether a line without a name is of a curve that has one: it alone has that look."""
    for look in ("color", "linestyle", "marker"):
        if mpl.artist.getp(nameless, look) != mpl.artist.getp(line, look):
            return False
        if sum(mpl.artist.getp(one, look) == mpl.artist.getp(line, look) for one in lines) == 1:
            break
    axes = nameless.axes
    return isinstance(axes, Axes) and nameless.get_transform().contains_branch(axes.transData)


def _away(boxes: Boxes, points: np.ndarray) -> np.ndarray:
    """The distance of each box from the nearest of some points."""
    if not len(points):
        return np.full(len(boxes), np.inf)
    middle, half = (boxes[:, :2] + boxes[:, 2:]) / 2, (boxes[:, 2:] - boxes[:, :2]) / 2
    beyond = np.maximum(np.abs(points - middle[:, None]) - half[:, None], 0)
    return np.hypot(*np.moveaxis(beyond, -1, 0)).min(axis=1)


def _tried(points: np.ndarray, size: np.ndarray) -> tuple[Boxes, np.ndarray]:
    """Boxes of a size about the points of a curve, and how far along it each of them is."""
    chosen = np.unique(np.linspace(0, len(points) - 1, PLACES).astype(int))
    along = chosen / max(1, len(points) - 1)
    offsets = np.array([(np.array(s) * (size / 2 + gap)) for gap in GAPS for s in SIDES])
    middle = np.round(points[chosen][:, None] + offsets)
    boxes = np.concatenate([middle - size / 2, middle + size / 2], axis=-1).reshape(-1, 4)
    return boxes, np.repeat(along, len(offsets))


def _best(curve: Curve, others: np.ndarray, sizes: list, axis: Axes, taken, put: list):
    """The best place of a curve's name: its words, its box and what it costs; or nothing."""
    margin = np.array([1, 1, -1, -1])
    frame = np.concatenate([axis.bbox.min, axis.bbox.max]) + 2 * margin
    for words, size in sizes:
        boxes, along = _tried(curve.points, size)
        fits = ((boxes - frame) * margin >= 0).all(axis=1)
        fits[fits] = _empty(taken, boxes[fits] - 2 * margin)
        for other in put:
            apart = (boxes[:, :2] > other[2:] + 4) | (boxes[:, 2:] < other[:2] - 4)
            fits &= apart.any(axis=1)
        boxes, along = boxes[fits], along[fits]
        if not len(boxes):
            continue
        own, next_one = _away(boxes, curve.near), _away(boxes, others)
        fits = (own <= NEAR) & (next_one >= np.maximum(CLEAR, 1.6 * own))
        if fits.any():
            cost = own + np.maximum(0, ROOM - next_one) + 10 * (1 - along)
            cost = np.where(fits, np.round(cost), np.inf)
            at = int(cost.argmin())
            return words, boxes[at], int(fits.sum())
    return None


def _sizes(axis: Axes, curve: Curve, points: float) -> list[tuple[str, np.ndarray]]:
    """The words of a name in one line, and in two if it is long, each with its size in pixels."""
    forms, pieces = [curve.words], curve.words.split(" ")
    if len(curve.words) > WIDTH and len(pieces) > 1 and "$" not in curve.words:
        cuts = [(" ".join(pieces[:k]), " ".join(pieces[k:])) for k in range(1, len(pieces))]
        forms.append("\n".join(min(cuts, key=lambda cut: max(map(len, cut)))))
    found = []
    for form in forms:
        text = axis.text(0, 0, form, fontsize=points)
        found.append((form, np.ceil(text.get_window_extent().size)))
        text.remove()
    return found


def _named(axis: Axes, taken: np.ndarray, points: float) -> list[tuple[Text, str]]:
    """Put the names of all curves of some axes and take the legend away; or change nothing."""
    curves, legend = _curves(axis), axis.get_legend()
    if not 1 <= len(curves) <= MOST:
        return []
    sizes = [_sizes(axis, curve, points) for curve in curves]
    left, places = dict(enumerate(curves)), dict[int, tuple[str, np.ndarray]]()
    while left:
        found = {}
        for place, curve in left.items():
            others = [one.near for at, one in left.items() if at != place]
            others += [curves[at].near for at in places]
            apart = np.concatenate([*others, np.empty((0, 2))])
            boxes = [box for _, box in places.values()]
            best = _best(curve, apart, sizes[place], axis, taken, boxes)
            if best is None:
                return []
            found[place] = best
        first = min(found, key=lambda place: found[place][2])
        places[first] = found[first][:2]
        del left[first]
    if legend:
        legend.remove()
    to_data = axis.transAxes.inverted()
    names = []
    for place, (words, box) in places.items():
        x, y = to_data.transform((box[:2] + box[2:]) / 2)
        color = curves[place].color
        text = axis.text(x, y, words, transform=axis.transAxes, ha="center", va="center")
        text.set(fontsize=points, color=legible(color), zorder=6, in_layout=False)
        names.append((text, color))
    return names
