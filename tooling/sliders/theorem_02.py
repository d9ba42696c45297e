"""Theorem 2: how much is shared, and how evenly, decides who rises."""

import numpy as np

from lib.scan_snap.attention_flow import attention_velocity, block_classes, leading_beta
from lib.scan_snap.four_classes import COMMON_WEIGHT, WORDS
from lib.scan_snap.sequence_classes import normalized_attention
from tooling.sliders.figure import Axis, Bars, Control, Figure

PLAY, *OWN = WORDS[:5]
OWN_WEIGHTS = (1.0, 0.6)
LOUD_WEIGHT = 0.5


def data() -> dict:
    """The weights of the words that no slider moves."""
    return {"own": OWN_WEIGHTS, "loud": LOUD_WEIGHT}


def values(state, data) -> dict:
    """The velocities of (10) for the query band behind guitar and drums, from ``lib``."""
    play, ratio = state["play"], state["ratio"]
    shared = [[play, LOUD_WEIGHT], [play, LOUD_WEIGHT * ratio]]
    classes = block_classes(shared, [OWN_WEIGHTS] * 2)
    F = normalized_attention(classes, np.zeros((classes.vocab_size,) * 2))
    speeds = attention_velocity(classes, F, leading_beta(F))[classes.query[0], :6]
    overlap, uneven = float(F[0] @ F[1]), F[1, 1] / F[0, 1]
    turn = float(2 * uneven / (1 + uneven**2))
    return {
        "speeds": speeds / np.abs(speeds).max(),
        "roles": ["common", "common" if ratio else "distinct", *["distinct"] * 4],
        "play": float(speeds[0]),
        "loud": float(speeds[1]),
        "share": play / (play + LOUD_WEIGHT + sum(OWN_WEIGHTS)),
        "overlap": overlap,
        "turn": turn,
        "beyond": overlap - turn,
    }


FIGURE = Figure(
    tag="scan-snap.theorem-02",
    name="theorem_02",
    controls=(
        Control(
            "play", "weight of play, shared by both", (0.1, 0.2, 0.4, COMMON_WEIGHT, 1.6, 3.2), 3
        ),
        Control(
            "ratio",
            "loud: how often before drums, over guitar",
            (0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0),
            2,
        ),
    ),
    panels=(
        Bars(
            "how fast each score of band moves",
            "The shared word play falls, the words of one class alone rise.",
            "speeds",
            (PLAY, "loud", *OWN),
            Axis(-1.1, 1.1, ((0, "0"),)),
            roles="roles",
            height=140,
        ),
    ),
    says=(
        "play is {share:0%} of what stands before guitar and {play:falls|rises}. loud"
        " {loud:falls|rises}: the classes overlap by {overlap:2}, {beyond:less|more} than its"
        " turning point {turn:2}."
    ),
    caption=(
        "How fast the scores of the query <em>band</em> move after an error on <em>guitar</em> and"
        " one on <em>drums</em>, longest bar 1. The second shared word <em>loud</em> rises while"
        " <em>drums</em> hardly has it, and falls once both have it: being common is a matter of"
        " degree."
    ),
    values=values,
    data=data,
)
