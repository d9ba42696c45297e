"""A figure with sliders as HTML: drawn as it stands at first, with what its script needs."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from ledgerbook.project import markup

from checks import figures
from tooling.sliders.figure import WIDTH, Axis, Bars, Figure, Graph, Lines

TEMPLATES = Path(__file__).parents[1] / "templates"
BEND = 0.25  # how far an edge bends, over its length
RADIUS = 10  # of a node
DARK = {"distinct": "#56B4E9"}  # of the same palette, where a role's colour is lost on a dark page


def html(figure: Figure, up: str) -> str:
    """The figure for a page from which ``up`` leads to the root of the site."""
    data, state = figure.data(), figure.start()
    values = figure.values(state, data)
    return markup.render(
        "sliders.html.jinja",
        TEMPLATES,
        figure=figure,
        up=up,
        colors=figures.COLORS,
        dark=DARK,
        width=WIDTH,
        radius=RADIUS,
        panels=[(panel, _shapes(panel, values)) for panel in figure.panels],
        says=figure.sentence(state, data),
        table=list(_table(figure, data)),
        data=json.dumps(figure.description(data), ensure_ascii=False).replace("</", "<\\/"),
    )


def _shapes(panel: Lines | Bars | Graph, values: Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(panel, Lines):
        return _lines(panel, values)
    return _bars(panel, values) if isinstance(panel, Bars) else _graph(panel, values)


def across(axis: Axis, values) -> np.ndarray:
    """Values of a horizontal axis in units of the drawing."""
    return WIDTH * axis.place(values)


def down(axis: Axis, values, height: int) -> np.ndarray:
    """Values of a vertical axis in units of the drawing, which counts from the top."""
    return height * (1 - axis.place(values))


def _lines(panel: Lines, values: Mapping[str, Any]) -> dict[str, Any]:
    x = across(panel.x, values[panel.over])
    paths = [down(panel.y, values[curve.key], panel.height) for curve in panel.curves]
    return {
        "curves": [" ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True)) for y in paths],
        "marks": [float(across(panel.x, values[key])) for key in panel.marks],
        "dots": [
            (float(across(panel.x, values[a])), float(down(panel.y, values[b], panel.height)))
            for a, b, _ in panel.dots
        ],
        "across": [(float(across(panel.x, at)), text) for at, text in panel.x.ticks],
        "down": _ticks(panel),
    }


def _bars(panel: Bars, values: Mapping[str, Any]) -> dict[str, Any]:
    slot, zero = WIDTH / len(panel.labels), float(down(panel.y, 0, panel.height))

    def boxes(key):
        tops = [float(down(panel.y, value, panel.height)) for value in values[key]]
        return [(min(top, zero), abs(top - zero)) for top in tops]

    return {
        "slot": slot,
        "zero": zero,
        "bars": boxes(panel.key),
        "outlines": boxes(panel.outlines) if panel.outlines else [],
        "roles": values[panel.roles],
        "down": _ticks(panel),
    }


def _ticks(panel: Lines | Bars) -> list[tuple[float, str]]:
    return [(float(down(panel.y, at, panel.height)), text) for at, text in panel.y.ticks]


def _graph(panel: Graph, values: Mapping[str, Any]) -> dict[str, Any]:
    x, y = WIDTH * values["x"], panel.height * values["y"]
    return {
        "nodes": [(float(a), float(b)) for a, b in zip(x, y, strict=True)],
        "edges": [(_bent(x[i], y[i], x[j], y[j]), inner) for i, j, inner in values["edges"]],
        "off": values["off"],
    }


def _bent(x: float, y: float, to_x: float, to_y: float) -> str:
    """A path from one node to the rim of another, bent to its left, so that two edges between the
    same nodes do not coincide.
    """
    by_x, by_y = (x + to_x) / 2 + BEND * (to_y - y), (y + to_y) / 2 - BEND * (to_x - x)
    share = (RADIUS + 1) / np.hypot(to_x - by_x, to_y - by_y)
    end_x, end_y = to_x - share * (to_x - by_x), to_y - share * (to_y - by_y)
    return f"M{x:.1f} {y:.1f}Q{by_x:.1f} {by_y:.1f} {end_x:.1f} {end_y:.1f}"


def _table(figure: Figure, data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What the figure says as it stands, and with each control at its ends."""
    yield "as drawn", figure.sentence(figure.start(), data)
    for control in figure.controls:
        for end in dict.fromkeys((0, len(control.values) - 1)):
            if end != control.start:
                state = figure.start() | {control.name: control.values[end]}
                yield _setting(control, end), figure.sentence(state, data)


def _setting(control, position: int) -> str:
    if control.box:
        return f"{'with' if position else 'without'} {control.label}"
    return f"{control.label} = {control.shown[position]}"
