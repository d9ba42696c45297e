"""Panels that stand side by side in a picture, below each other on a narrow screen.

A picture is one image.  Where its panels are is read off it: a panel lies over a long dark line,
its lower axis, and between two panels no column has anything drawn.  On a narrow screen each is
shown by itself, as a part of that image; a scale that only the first panel has stands beside each,
and what is written below all of them below the last.

Captions name panels by their letters (``ledger.naming``), which hold wherever a panel stands.
"""

import html
import re
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image
from sphinx.application import Sphinx

from ledgerbook.project import markup
from ledgerbook.project.project import current

DARK, LIGHT = 90, 245  # of 255 levels: what an axis is at most, what an empty place is at least
AXIS = 0.09  # of the width of a picture: a line that is shorter is no axis
GUTTER = 14  # pixels: what is narrower separates a scale from its name, not two panels
TICK = 13  # pixels before an axis that belong to its own panel
SHOWN = re.compile(r'<img [^>]*class="[^"]*\b(by-day|by-night)\b[^>]*>')
SOURCE, ALT = re.compile(r' src="([^"]+)"'), re.compile(r' alt="([^"]*)"')
FIGURE = re.compile(r'<figure\b.*?</figure>|<div class="chapter-picture.*?</div>', re.DOTALL)

Span = tuple[int, int]
Box = tuple[int, int, int, int]  # left, top, width, height


def runs(of: np.ndarray, least: int) -> list[Span]:
    """Where a row of truths is true, as half-open spans that are at least so long."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], of.astype(np.int8), [0]])))
    return [(a, b) for a, b in edges.reshape(-1, 2).tolist() if b - a >= least]


def axes(grey: np.ndarray) -> list[Span]:
    """The spans of the lower axes, from left to right, those above each other as one."""
    found: list[Span] = []
    lines = (span for row in grey < DARK for span in runs(row, int(AXIS * grey.shape[1])))
    for start, end in sorted(set(lines)):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def panels(grey: np.ndarray) -> list[list[Box]]:
    """The panels of a picture from left to right, each as parts that are shown side by side; none
    where it cannot be parted.

    grey: levels of (height, width).
    """
    height, width = grey.shape
    found = axes(grey)
    if len(found) < 2:
        return []
    if parts := _across(grey, found):
        return [[(a, 0, b - a, height) for a, b in part] for part in parts]
    drawn = runs(np.min(grey, axis=1) < LIGHT, 1)
    foot, low = drawn[-1][0], drawn[-2][1] if len(drawn) > 1 else 0
    parts = _across(grey[:low], found)
    if not parts:
        return []
    start, *_, end = np.flatnonzero((grey[foot:] < LIGHT).any(axis=0)).tolist()
    boxes = [[(a, 0, b - a, low + TICK) for a, b in part] for part in parts]
    below = max(0, start - TICK)
    return [*boxes, [(below, low, min(width, end + TICK) - below, height - low)]]


def _across(grey: np.ndarray, found: list[Span]) -> list[list[Span]]:
    """The columns of each panel, with those of the first one's scale where it has none."""
    blank, cuts = np.min(grey, axis=0) >= LIGHT, [0]
    for (_, end), (start, _) in zip(found, found[1:], strict=False):
        between = runs(blank[end:start], GUTTER)
        if not between:
            return []
        a, b = between[0]  # the next may part the scale that follows from its name
        cuts.append(end + (a + b) // 2)
    cuts.append(grey.shape[1])
    whole = [*zip(cuts, cuts[1:], strict=False)]
    scale = whole[0][0], found[0][0] - TICK
    return [
        [span]
        if place == 0 or not blank[span[0] : at - TICK].all()
        else [scale, (at - TICK, span[1])]
        for place, (span, (at, _)) in enumerate(zip(whole, found, strict=True))
    ]


@cache
def parted(file: Path) -> tuple[list[list[Box]], Span]:
    """The panels of a stored picture, and its width and height."""
    with Image.open(file) as picture:
        grey = np.asarray(picture.convert("L"))
    return panels(grey), (grey.shape[1], grey.shape[0])


def stacked(figure: str) -> str:
    """A figure with its panels by themselves behind each image that has some."""
    day = SHOWN.search(figure)
    source = SOURCE.search(day[0]) if day else None
    file = current().build / "jupyter_execute" / Path(source[1]).name if source else None
    found, size = parted(file) if file and file.exists() else ([], (0, 0))
    if not found:
        return figure

    def both(image: re.Match[str]) -> str:
        source, alt = SOURCE.search(image[0]), ALT.search(image[0])
        parts = markup.render(
            "panels.html.jinja",
            theme=image[1],
            source=source[1] if source else "",
            alt=html.unescape(alt[1]) if alt else "",
            panels=found,
            size=size,
        )
        return image[0].replace('class="', 'class="whole ', 1) + parts

    return SHOWN.sub(both, figure)


def put(app: Sphinx, pagename: str, template: str, context: dict, doctree) -> None:
    """Put panels into a page."""
    if "body" in context:
        context["body"] = FIGURE.sub(lambda found: stacked(found[0]), context["body"])


def setup(app: Sphinx) -> None:
    """Connect it."""
    app.connect("html-page-context", put)
