"""Lemma 5: vocabulary, rate and steps move one number, and the softmax with it."""

import numpy as np

from lib.scan_snap.decoder import h_star, speed
from tooling.sliders.figure import Axis, Control, Curve, Figure, Lines

STEPS = 100
AXIS = Axis(0, STEPS, ((0, "0"), (50, "50"), (100, "100")))


def data() -> dict:
    """How many steps are drawn."""
    return {"steps": STEPS}


def values(state, data) -> dict:
    """h* of (33), the gap M h* of two scores, and the softmax after each step, from ``lib``."""
    M, eta_y, s = state["M"], state["eta_y"], state["s"]
    h = h_star(STEPS, M, eta_y)
    each = speed(h, M)  # 1 / (M - 1 + e^{M h}): each other token's probability
    own = 1 - (M - 1) * each
    return {
        "step": np.arange(STEPS + 1.0),
        "gap": M * h,
        "pace": eta_y * np.arange(STEPS + 1.0),
        "own": own,
        "others": (M - 1) * each,
        "now": float(s),
        "h_now": h[s],
        "gap_now": M * h[s],
        "own_now": own[s],
        "others_now": (M - 1) * each[s],
        "each_now": each[s],
        "next": eta_y * each[s],
        "first": eta_y / M,
    }


FIGURE = Figure(
    tag="scan-snap.lemma-05",
    name="lemma_05",
    controls=(
        Control("M", "vocabulary, M", (3, 11, 50, 200, 1000), 1),
        Control("eta_y", "learning rate of the decoder, η_Y", (0.1, 0.2, 0.5, 1.0, 2.0, 4.0), 3),
        Control("s", "times that the token came, s", (*range(11), 12, 15, 20, 30, 50, 70, 100), 4),
    ),
    panels=(
        Lines(
            "the softmax, over steps",
            "The token that comes takes over the softmax; all others together lose what it gains.",
            "step",
            AXIS,
            Axis(0, 1, ((0, "0"), (0.5, "50 %"), (1, "100 %"))),
            (Curve("own", "theory"), Curve("others", "muted", dashed=True)),
            marks=("now",),
            dots=(("now", "own_now", "theory"), ("now", "others_now", "muted")),
        ),
        Lines(
            "score gap M h*, over steps",
            "The gap between the token's score and another's first keeps the pace of the first"
            " step, then grows like a logarithm.",
            "step",
            AXIS,
            Axis(0, 10, ((0, "0"), (5, "5"), (10, "10"))),
            (Curve("pace", "muted", dashed=True), Curve("gap", "theory")),
            marks=("now",),
            dots=(("now", "gap_now", "theory"),),
        ),
    ),
    says=(
        "After {now:0} steps h* = {h_now:4}: the token has {own_now:1%} of the softmax, each other"
        " token {each_now:2%}. The next step adds {next:4}; the first added {first:4}."
    ),
    caption=(
        "One number moves both panels. Left, the solid line is the token that comes, the dashed one"
        " all others together. Right, the solid line is the gap between its score and another's,"
        " the dashed one a gap that goes on opening as fast as in the first step."
    ),
    values=values,
    data=data,
)
