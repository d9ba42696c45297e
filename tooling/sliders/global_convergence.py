"""Global convergence on the running example: what is seen settles early, the direction late."""

from functools import cache

import numpy as np

from lib.mechanics.automaton import automaton_law, model_law
from lib.mechanics.descent import cosine
from lib.mechanics.five_samples import five_samples
from lib.mechanics.limit_paths import gradient_flow
from lib.mechanics.problem import Problem
from tooling.sliders.figure import Axis, Bars, Control, Curve, Figure, Lines

TOKENS, QUERY, LAST = 5, 4, 20  # the slider's last power of ten; the flow goes on to its square
STARTS = (0, 1, 3, 5)
WRONG_WAY = np.array([-1, -0.5, 0, 0.5, 1])  # what should be last is first
EVERYTHING = np.ones((1, TOKENS)), np.array([QUERY])  # the context of all five, asked by token 4
POWERS = "⁰¹²³⁴⁵⁶⁷⁸⁹"


@cache
def problem() -> Problem:
    """The five samples with all that follows from them."""
    return Problem(five_samples())


@cache
def flow(size: float) -> np.ndarray:
    """W at t = 1, 10, 100, ... from scores turned the wrong way by ``size``: (41, 5, 5)."""
    split, start = problem().split, np.zeros((TOKENS, TOKENS))
    start[:, QUERY] = size * WRONG_WAY
    x, z = split.coordinates(start)
    path = gradient_flow(split, x, z, np.arange(2 * LAST + 1) * np.log(10))
    return split.matrix(path.x, path.z) + start - split.matrix(x, z)


@cache
def data() -> dict:
    """The scores of the five tokens along each run, W_svm's, and where the masses end."""
    return {
        "starts": STARTS,
        "scores": [flow(size)[:, :, QUERY].tolist() for size in STARTS],
        "direction": problem().svm.W[:, QUERY].tolist(),
        "limit": automaton_law(problem(), *EVERYTHING)[0].tolist(),
    }


def values(state, data) -> dict:
    """The angle to W_svm at each power of ten, and the masses at one, from ``lib``."""
    W, k = flow(state["start"]), state["k"]
    angle = np.degrees(np.arccos(np.clip(cosine(W, problem().svm.W[None]), -1, 1)))
    masses = model_law(W[k], *EVERYTHING, np.eye(TOKENS))[0]
    limit = np.array(data["limit"])
    return {
        "power": np.arange(2.0 * LAST + 1),
        "angle": angle,
        "now": float(k),
        "squared": 2.0 * k,
        "angle_now": angle[k],
        "angle_squared": angle[2 * k],
        "masses": masses,
        "limit": limit,
        "roles": ["distinct"] * 4 + ["query"],
        "away": np.abs(masses - limit).max(),
    }


def power(k: int) -> str:
    """Ten to the k, as a reader writes it."""
    return "10" + "".join(POWERS[int(digit)] for digit in str(k)) if k > 1 else str(10**k)


FIGURE = Figure(
    tag="mechanics.global-convergence",
    name="global_convergence",
    controls=(
        Control(
            "k", "training time, t", tuple(range(LAST + 1)), 4, tuple(map(power, range(LAST + 1)))
        ),
        Control("start", "start, turned the wrong way by", STARTS, 0),
    ),
    panels=(
        Bars(
            "attention on 0 1 2 3 4",
            "Attention on the five tokens stands at the outlines of its limit already.",
            "masses",
            tuple(map(str, range(TOKENS))),
            Axis(0, 1, ((0, "0"), (0.5, "50 %"), (1, "100 %"))),
            roles="roles",
            outlines="limit",
        ),
        Lines(
            "angle to the Graph-SVM, degrees",
            "The angle, on a logarithmic scale, falls ever more slowly over the powers of ten of"
            " the training time.",
            "power",
            Axis(0, 2 * LAST, tuple((k, power(k)) for k in (0, 10, 20, 30, 40))),
            Axis(0.1, 180, ((0.1, "0.1"), (1, "1"), (10, "10"), (100, "100")), log=True),
            (Curve("angle", "simulation"),),
            marks=("now", "squared"),
            dots=(
                ("now", "angle_now", "simulation"),
                ("squared", "angle_squared", "simulation"),
            ),
        ),
    ),
    says=(
        "At t = {@k} attention is within {away:4} of where it ends, and the angle is"
        " {angle_now:2} degrees. At t squared it is {angle_squared:2}."
    ),
    caption=(
        "The five samples of the running example. What attention shows settles early (outlines: its"
        " limit). Late, to halve the angle, square the time."
    ),
    values=values,
    data=data,
)
