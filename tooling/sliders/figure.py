"""What a figure with sliders is: its controls, its panels, a sentence, and where they are drawn.

Python draws a figure once, as it stands before it is touched; ``book/_extra/sliders/sliders.js``
moves the same elements.
"""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

WIDTH = 214  # of a panel's plot, in units of the drawing
State = Mapping[str, Any]


@dataclass(frozen=True)
class Control:
    """A slider over ``values``; a box to tick where the values are False and True.

    start: position of the value that is set at first.  texts: how the values are shown.
    """

    name: str
    label: str
    values: tuple
    start: int
    texts: tuple[str, ...] = ()

    @property
    def box(self) -> bool:
        return self.values == (False, True)

    @property
    def shown(self) -> tuple[str, ...]:
        return self.texts or tuple(f"{value:g}" for value in self.values)


@dataclass(frozen=True)
class Axis:
    """A scale from ``low`` to ``high`` with the values to label."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    log: bool = False

    def place(self, values):
        """Where values lie on the axis: 0 at its low end, 1 at its high end, beyond them clipped
        far outside the plot.
        """
        low, high = self.low, self.high
        values = np.asarray(values, dtype=float)
        if self.log:
            low, high, values = np.log(low), np.log(high), np.log(np.maximum(values, 1e-300))
        return np.clip((values - low) / (high - low), -9, 9)


@dataclass(frozen=True)
class Curve:
    """One line of a panel: the values ``key`` over the panel's ``over``."""

    key: str
    role: str
    dashed: bool = False


@dataclass(frozen=True)
class Lines:
    """Curves over one axis.  marks: vertical lines at these values; dots: (x, y, role)."""

    title: str
    alt: str
    over: str
    x: Axis
    y: Axis
    curves: tuple[Curve, ...]
    marks: tuple[str, ...] = ()
    dots: tuple[tuple[str, str, str], ...] = ()
    height: int = 120
    kind: str = "lines"


@dataclass(frozen=True)
class Bars:
    """A bar for each entry of the values ``key``; ``roles`` and ``outlines`` name values too."""

    title: str
    alt: str
    key: str
    labels: tuple[str, ...]
    y: Axis
    roles: str
    outlines: str = ""
    height: int = 120
    kind: str = "bars"


@dataclass(frozen=True)
class Graph:
    """Nodes at the values x and y (shares of the plot), the values ``edges`` between them."""

    title: str
    alt: str
    labels: tuple[str, ...]
    roles: tuple[str, ...]
    height: int = 170
    kind: str = "graph"


@dataclass(frozen=True)
class Figure:
    """One figure of the statement ``tag``; its formulas in JavaScript are ``name``.js.

    values: the same numbers from ``lib``, of a state (control to value) and of ``data()``, which
    the page carries as JSON.  says: a sentence of the values, see ``fill``.
    """

    tag: str
    name: str
    controls: tuple[Control, ...]
    panels: tuple[Lines | Bars | Graph, ...]
    says: str
    caption: str
    values: Callable[[State, Mapping[str, Any]], dict[str, Any]]
    data: Callable[[], dict[str, Any]]

    @property
    def id(self) -> str:
        return f"sliders-{self.name.replace('_', '-')}"

    def start(self) -> dict[str, Any]:
        """The state before anything is touched."""
        return {control.name: control.values[control.start] for control in self.controls}

    def states(self) -> Iterator[dict[str, Any]]:
        """Every state that the controls can be in."""
        names = [control.name for control in self.controls]
        for values in itertools.product(*(control.values for control in self.controls)):
            yield dict(zip(names, values, strict=True))

    def sentence(self, state: State, data: Mapping[str, Any]) -> str:
        """What the figure says in a state."""
        shown = {c.name: c.shown[c.values.index(state[c.name])] for c in self.controls}
        return fill(self.says, self.values(state, data), shown)

    def description(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """What the script needs to know, ready for JSON."""
        controls = [asdict(c) | {"texts": c.shown, "box": c.box} for c in self.controls]
        panels = [asdict(panel) for panel in self.panels]
        return {
            "name": self.name,
            "controls": controls,
            "panels": panels,
            "says": self.says,
            "data": data,
        }


def fill(template: str, values: Mapping[str, Any], shown: Mapping[str, str]) -> str:
    """A sentence with its gaps filled.

    ``{key:2}`` is a value with two digits, ``{key:0%}`` in percent, ``{key:falls|rises}`` a word by
    its sign, ``{key}`` a text, ``{@name}`` what a control shows.
    """

    def word(found: re.Match) -> str:
        key, how = found.groups()
        if key.startswith("@"):
            return shown[key[1:]]
        if how is None:
            return values[key]
        if "|" in how:
            return how.split("|")[values[key] >= 0]
        digits, percent = int(how.rstrip("%")), how.endswith("%")
        return f"{values[key] * (100 if percent else 1):.{digits}f}{' %' if percent else ''}"

    return re.sub(r"\{(@?\w+)(?::([^}]*))?\}", word, template)
