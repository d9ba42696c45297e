"""Theorem 4: both learning rates and the vocabulary move what attention receives."""

import numpy as np

from lib.scan_snap.decoder import gamma, h, stages
from lib.scan_snap.phase_transition import big_gamma, gain_at
from tooling.sliders.figure import Axis, Control, Curve, Figure, Lines

K, C0, LATER = 10, 4.0, 1e6
TIMES = 10 ** (np.arange(121) / 15)
RATES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
STEPS = Axis(1, 1e8, ((1, "1"), (1e2, "100"), (1e4, "10⁴"), (1e6, "10⁶"), (1e8, "10⁸")), log=True)


def data() -> dict:
    """The chapter's own K and C_0, and the steps at which curves are drawn."""
    return {"K": K, "c0": C0, "later": LATER, "times": TIMES.tolist()}


def values(state, data) -> dict:
    """gamma, Gamma and B over the steps and at t_0, from ``lib``."""
    M, eta_y, eta_z = state["M"], state["eta_y"], state["eta_z"]

    def clock(t):
        return big_gamma(h(np.asarray(t) / K, M, eta_y), M, K, eta_y / eta_z)

    def gain(t):
        return gain_at(t, M, K, eta_y, eta_z, C0)

    t0 = stages(M, eta_y, K)[1]
    return {
        "t": TIMES,
        "gamma": gamma(TIMES, M, eta_y, K),
        "clock": clock(TIMES),
        "gain": gain(TIMES),
        "t0": t0,
        "gamma0": float(gamma(t0, M, eta_y, K)),
        "clock0": float(clock(t0)),
        "gain0": float(gain(t0)),
        "more": float(gain(LATER * t0) / gain(t0) - 1),
    }


def panel(title: str, alt: str, key: str, y: Axis) -> Lines:
    """One quantity over the steps, with t_0 and a dot there."""
    return Lines(
        title,
        alt,
        "t",
        STEPS,
        y,
        (Curve(key, "theory"),),
        marks=("t0",),
        dots=(("t0", f"{key}0", "simulation"),),
    )


FIGURE = Figure(
    tag="scan-snap.theorem-04",
    name="theorem_04",
    controls=(
        Control("M", "vocabulary, M", (10, 100, 1000, 10_000), 2),
        Control("eta_y", "learning rate of the decoder, η_Y", RATES, 2),
        Control("eta_z", "learning rate of attention, η_Z", RATES, 2),
    ),
    panels=(
        panel(
            "error that comes back, γ",
            "The error that returns to attention rises, peaks before t₀ and falls.",
            "gamma",
            Axis(0, 8, ((0, "0"), (4, "4"), (8, "8"))),
        ),
        panel(
            "accumulated push, Γ",
            "The push so far, on a logarithmic scale, rises steeply up to t₀ and hardly after it.",
            "clock",
            Axis(1e-3, 1e5, ((1e-2, "0.01"), (1, "1"), (1e2, "100"), (1e4, "10⁴")), log=True),
        ),
        panel(
            "gain of attention, B",
            "The gain, the logarithm of this push, climbs up to t₀ and then bends.",
            "gain",
            Axis(0, 3, ((0, "0"), (1, "1"), (2, "2"), (3, "3"))),
        ),
    ),
    says=(
        "t₀ is step {t0:0}. By then the accumulated push is {clock0:0} and the gain is {gain0:2};"
        " a million times t₀ later the gain is {more:0%} more."
    ),
    caption=(
        "Over the steps, for ten classes and C₀ = 4. The vertical line and the dots stand at t₀,"
        " the dotted curves are as first drawn. With a faster decoder the push bends earlier and"
        " ends lower."
    ),
    values=values,
    data=data,
)
