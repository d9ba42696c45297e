"""The grid behind the explorable page: attention over iterations, computed at build time for the
browser.

Without sampling (T and batch infinite) and from zero all classes behave alike, so a run is one
class: the common tokens together and ten distinct ones, at a few iterations.
"""

import base64
import json
from pathlib import Path

import numpy as np
from ledgerbook.project import markup
from matplotlib.figure import Figure

from checks import figures
from lib.scan_snap.engine.batches import INFINITE
from lib.scan_snap.engine.train import train
from lib.scan_snap.sequence_classes import SequenceClasses, syn_medium
from lib.scan_snap.sparsity import entropy
from tooling.sliders.drawing import DARK

DISTINCT = 10
COMMON = 10
TIMES = (0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 63, 100, 160, 250, 400)
SLIDERS = {
    "eta_y": ("learning rate of the decoder, η_Y", (0.5, 1.0, 2.0, 5.0, 10.0)),
    "eta_z": ("learning rate of the attention, η_Z", (0.25, 0.5, 1.0, 2.0, 4.0)),
    "common": ("share of common tokens in a sequence", (0.1, 0.3, 0.6, 0.8)),
    "classes": ("number of classes, K", (2, 5, 10)),
}
ALT = (
    "Attention over iterations: the share of the common tokens falls while the most frequent"
    " distinct tokens rise, first slowly, then fast, then hardly at all."
)
CAPTION = "Scanning, snapping and the standstill after it."
START = {"eta_y": 1, "eta_z": 2, "common": 2, "classes": 0}  # positions of the sliders


def classes_of(K: int, share: float) -> SequenceClasses:
    """Syn-Small's table with K classes, each with its own query, and common tokens of total
    probability ``share``.
    """
    distinct_weight = np.linspace(0.1, 1, DISTINCT).sum()
    return syn_medium(
        K, 1, COMMON, DISTINCT, common_weight=share / (1 - share) * distinct_weight / COMMON
    )


def compute() -> np.ndarray:
    """Attention of class 1: (eta_y, eta_z, common, classes, times, 1 + 10), common tokens summed in
    front.
    """
    rates_y, rates_z, shares, sizes = (values for _, values in SLIDERS.values())
    eta_y, eta_z = (grid.ravel() for grid in np.meshgrid(rates_y, rates_z, indexing="ij"))
    result = np.empty(
        (len(rates_y), len(rates_z), len(shares), len(sizes), len(TIMES), 1 + DISTINCT)
    )
    for i, share in enumerate(shares):
        for j, K in enumerate(sizes):
            classes = classes_of(int(K), share)
            run = train(
                classes,
                eta_y,
                eta_z,
                steps=TIMES[-1],
                keep=TIMES,
                T=INFINITE,
                batch_size=INFINITE,
            )
            c = run.attention[0, :, :, 0]
            seen = np.concatenate(
                [
                    c[..., classes.common_tokens].sum(-1, keepdims=True),
                    c[..., classes.distinct_tokens(0)],
                ],
                axis=-1,
            )
            result[:, :, i, j] = seen.reshape(len(rates_y), len(rates_z), *seen.shape[1:])
    return result


def encode(values: np.ndarray) -> str:
    """Probabilities as base64 of little-endian 16-bit numbers; ``decode`` returns them to within
    1e-5.
    """
    return base64.b64encode(np.rint(values * 65535).astype("<u2").tobytes()).decode()


def decode(text: str, shape: tuple[int, ...]) -> np.ndarray:
    """The inverse of ``encode``."""
    return np.frombuffer(base64.b64decode(text), dtype="<u2").reshape(shape) / 65535


def write(out_dir: str | Path, values: np.ndarray | None = None) -> Path:
    """Write ``grid.js`` for the page and ``table.html``, figure and numbers for readers without
    JavaScript.

    values: ``compute()``, when it is at hand.
    """
    out_dir = Path(out_dir)
    out_dir.mkdir(parents=True, exist_ok=True)
    values = compute() if values is None else values
    grid = {
        "times": TIMES,
        "start": START,
        "shape": values.shape,
        "data": encode(values),
        "colors": {
            **{role: figures.COLORS[role] for role in ("common", "distinct")},
            "bright": DARK["distinct"],  # read on either page
        },
        "sliders": [
            {"name": name, "label": label, "values": list(v)}
            for name, (label, v) in SLIDERS.items()
        ],
    }
    (out_dir / "grid.js").write_text(
        f"window.EXPLORABLE_GRID = {json.dumps(grid)};\n", encoding="utf-8"
    )
    (out_dir / "table.html").write_text(static_page(values), encoding="utf-8")
    return out_dir


def static_page(values: np.ndarray) -> str:
    """Figure and table at the sliders' start, as a page of its own."""
    here = values[tuple(START.values())]  # (times, 11)
    picture = figures.Picture(_drawing(here), alt=ALT, caption=CAPTION)
    return markup.render(
        "explorable.html.jinja",
        Path(__file__).with_name("templates"),
        setting=[(label, v[START[name]]) for name, (label, v) in SLIDERS.items()],
        alt=picture.alt,
        png=base64.b64encode(picture.png).decode(),
        header=["iteration", "common", *(f"distinct {k}" for k in range(1, DISTINCT + 1))],
        rows=[[t, *(f"{p:.1%}" for p in row)] for t, row in zip(TIMES, here, strict=True)],
    )


def _drawing(here: np.ndarray) -> Figure:
    figure, ax = figures.subplots()
    times = np.maximum(TIMES, 0.7)
    ax.plot(times, here[:, 0], color=figures.COLORS["common"], label="common tokens together")
    for k in range(1, DISTINCT + 1):
        ax.plot(
            times,
            here[:, k],
            color=figures.COLORS["distinct"],
            alpha=0.15 + 0.08 * k,
            lw=1.3,
            label="distinct tokens" if k == DISTINCT else None,
        )
    ax.set(xscale="log", xlabel="iteration", ylabel="attention")
    ax.legend()
    return figure


def entropy_at(values: np.ndarray) -> np.ndarray:
    """Entropy on the distinct tokens, as the page shows it: (..., 11) to (...)."""
    return entropy(values[..., 1:] / values[..., 1:].sum(-1, keepdims=True))
