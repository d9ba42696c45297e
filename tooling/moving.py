"""The figures that move: for each its HTML, with the sentence and the table of readers without
scripts.

``templates/moving.toml`` says what a figure is; ``book/_extra/lab/figures.js`` computes it in the
browser.  Here are the numbers of its sentence, from ``lib``, which the tests hold beside it.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from ledgerbook.chapters import notebooks
from ledgerbook.chapters.statements import statement
from ledgerbook.project import markup, paths

from lib.mechanics.automaton import automaton_law, model_law
from lib.mechanics.descent import cosine
from lib.mechanics.five_samples import LABELS, SEQUENCES, five_samples
from lib.mechanics.limit_paths import gradient_flow
from lib.mechanics.problem import Problem
from lib.mechanics.samples import from_sequences
from lib.scan_snap.attention_flow import attention_velocity, block_classes, leading_beta
from lib.scan_snap.decoder import h, h_star, speed, stages
from lib.scan_snap.engine.train import train
from lib.scan_snap.four_classes import COMMON_WEIGHT, four_classes
from lib.scan_snap.joint_ascent import joint_ascent
from lib.scan_snap.phase_transition import big_gamma, gain_at
from lib.scan_snap.sequence_classes import (
    SequenceClasses,
    limiting_attention,
    normalized_attention,
    syn_medium,
)
from lib.scan_snap.sparsity import entropy
from tooling import PLACED, placed

TEMPLATES = Path(__file__).with_name("templates")
State = Mapping[str, Any]

# What the scripts need beside the state of the controls.
TIMES = (0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 63, 100, 160, 250, 400)
K, C0, LATER = 10, 4.0, 1e6  # of Theorem 4's chapter; how much later than t_0
OWN, LOUD = (1.0, 0.6), 0.5  # words of one class alone, and a second shared one
SAMPLES = [*zip(SEQUENCES, LABELS, strict=True), ([0, 2, 4], 2)]
STARTS = (0, 1, 3, 5)
WRONG_WAY = np.array([-1, -0.5, 0, 0.5, 1])  # what should be last is first
EVERYTHING = np.ones((1, 5)), np.array([4])  # the context of all five tokens, asked by token 4


@cache
def figure_2() -> tuple[list[int], list[int], np.ndarray]:
    """Steps and moments that Figure 2's chapter stores, and attention of guitar there, (m, 11)."""
    notebook = notebooks.read(statement(placed.TAG).chapter)
    steps, classes = placed.run(notebook)[1], four_classes()
    Z = joint_ascent(classes, 1.0, 1.0, steps).Z
    attention = np.array([limiting_attention(classes, one)[0] for one in Z])
    return steps, placed.moments(notebook), attention


def overview(state: State) -> dict:
    """Attention before guitar at a step, and the moment's name."""
    steps, moments, attention = figure_2()
    play, strum, chord = attention[state["frame"], :3]
    passed = sum(moment < steps[state["frame"]] for moment in moments)
    return {"play": play, "strum": strum, "chord": chord, "moment": placed.PANELS[passed]}


def classes_of(number: int, share: float) -> SequenceClasses:
    """Syn-Small's table with a query for each class; ``share``: of the common tokens together."""
    weight = share / (1 - share) * np.linspace(0.1, 1, 10).sum() / 10
    return syn_medium(number, 1, common_weight=weight)


@cache
def explored(common: float, classes: int) -> np.ndarray:
    """(eta_y, eta_z, len(TIMES), 11): attention of one class on all common tokens, on each own."""
    table, endless = classes_of(classes, common), float("inf")
    eta_y, eta_z = (one["values"] for one in figures()["explorable"]["controls"][:2])
    cells = np.repeat(eta_y, len(eta_z)), np.tile(eta_z, len(eta_y))
    how = {"T": endless, "batch_size": endless, "dtype": "float64"}
    c = train(table, *cells, steps=TIMES[-1], keep=TIMES, **how).attention[0, :, :, 0]
    shared = c[..., table.common_tokens].sum(axis=-1, keepdims=True)
    seen = np.concatenate([shared, c[..., table.distinct_tokens(0)]], axis=-1)
    return seen.reshape(len(eta_y), len(eta_z), *seen.shape[1:])


def explorable(state: State) -> dict:
    """Attention at an iteration, without sampling, with momentum."""
    controls = figures()["explorable"]["controls"][:2]
    cell = tuple(one["values"].index(state[one["name"]]) for one in controls)
    common, *own = explored(state["common"], state["classes"])[cell][state["frame"]]
    distinct, top = np.array(own), int(np.argmax(own))
    found = {"common": common, "favourite": str(top + 1), "top": own[top]}
    return found | {"entropy": float(entropy(distinct / distinct.sum()))}


def lemma_05(state: State) -> dict:
    """h* of (33) and the softmax (32) that it makes."""
    M, eta_y, s = state["M"], state["eta_y"], state["s"]
    last = h_star(s, M, eta_y)[-1]
    each = float(speed(last, M))
    found = {"now": s, "h_now": last, "own_now": 1 - (M - 1) * each, "each_now": each}
    return found | {"next": eta_y * each, "first": eta_y / M}


def theorem_02(state: State) -> dict:
    """The velocities of (10) for the query band behind guitar and drums."""
    play, ratio = state["play"], state["ratio"]
    classes = block_classes([[play, LOUD], [play, LOUD * ratio]], [OWN] * 2)
    F = normalized_attention(classes, np.zeros((classes.vocab_size,) * 2))
    speeds = attention_velocity(classes, F, leading_beta(F))[classes.query[0]]
    overlap, uneven = float(F[0] @ F[1]), F[1, 1] / F[0, 1]
    turn = 2 * uneven / (1 + uneven**2)
    found = {"play": speeds[0], "loud": speeds[1], "share": play / (play + LOUD + sum(OWN))}
    return found | {"overlap": overlap, "turn": turn, "beyond": overlap - turn}


def theorem_04(state: State) -> dict:
    """Gamma and B at t_0."""
    M, eta_y, eta_z = state["M"], state["eta_y"], state["eta_z"]
    t0 = stages(M, eta_y, K)[1]
    early, late = (float(gain_at(t, M, K, eta_y, eta_z, C0)) for t in (t0, LATER * t0))
    clock = float(big_gamma(h(t0 / K, M, eta_y), M, K, eta_y / eta_z))
    return {"t0": t0, "clock0": clock, "gain0": early, "more": late / early - 1}


def token_priority_graph(state: State) -> dict:
    """Components from the top, of the samples that are ticked."""
    ticked = [sample for k, sample in enumerate(SAMPLES) if state[f"s{k + 1}"]]
    components = []
    if ticked:
        contexts, labels = zip(*ticked, strict=True)
        components = Problem(from_sequences(contexts, labels, np.eye(5))).graphs[4].components
    order = ", ".join(f"{{{', '.join(map(str, c))}}}" for c in components) or "none"
    return {"order": order, "compromises": sum(len(members) - 1 for members in components)}


@cache
def problem() -> Problem:
    """The five samples with all that follows from them."""
    return Problem(five_samples())


@cache
def flow(size: float) -> np.ndarray:
    """W at t = 1, 10, ..., 1e40 from scores turned the wrong way by ``size``: (41, 5, 5)."""
    split, start = problem().split, np.zeros((5, 5))
    start[:, 4] = size * WRONG_WAY
    x, z = split.coordinates(start)
    path = gradient_flow(split, x, z, np.arange(41) * np.log(10))
    return split.matrix(path.x, path.z) + start - split.matrix(x, z)


def global_convergence(state: State) -> dict:
    """The angle to W_svm at a power of ten, and how far the masses are from their limit."""
    W, k = flow(state["start"]), state["k"]
    angle = np.degrees(np.arccos(np.clip(cosine(W, problem().svm.W[None]), -1, 1)))
    limit = automaton_law(problem(), *EVERYTHING)
    away = np.abs(model_law(W[k], *EVERYTHING, np.eye(5)) - limit).max()
    return {"away": away, "angle_now": angle[k], "angle_squared": angle[2 * k]}


VALUES: dict[str, Callable[[State], dict]] = {
    one.__name__: one
    for one in (
        *(overview, explorable, lemma_05, theorem_02, theorem_04),
        *(token_priority_graph, global_convergence),
    )
}


def data(name: str) -> dict:
    """What a figure's script needs beside the state."""
    if name == "overview":
        steps, moments, _ = figure_2()
        told = {"steps": steps, "moments": moments, "names": placed.PANELS}
        return told | {"weights": [COMMON_WEIGHT, *OWN]}
    if name == "global_convergence":
        limit = automaton_law(problem(), *EVERYTHING)[0].tolist()
        scores = [flow(size)[:, :, 4].tolist() for size in STARTS]
        direction = problem().svm.W[:, 4].tolist()
        return {"starts": STARTS, "scores": scores, "direction": direction, "limit": limit}
    return {
        "explorable": {"times": TIMES},
        "lemma_05": {"steps": 100},
        "theorem_02": {"own": OWN, "loud": LOUD},
        "theorem_04": {"K": K, "c0": C0, "later": LATER},
        "token_priority_graph": {"samples": SAMPLES},
    }[name]


@cache
def figures() -> dict[str, dict]:
    """Name to what ``moving.toml`` says, with every control's texts."""
    found = tomllib.loads((TEMPLATES / "moving.toml").read_text(encoding="utf-8"))
    found["token_priority_graph"]["controls"] = [
        {
            "name": f"s{k + 1}",
            "label": f"{label} chosen in {' '.join(map(str, context))}",
            "values": [False, True],
            "start": int(k < len(SEQUENCES)),
            "box": True,
        }
        for k, (context, label) in enumerate(SAMPLES)
    ]
    steps = {"overview": figure_2()[0], "explorable": TIMES}
    for name, about in found.items():
        about["name"] = name
        for control in about["controls"]:
            if control["name"] == "frame":
                control |= {
                    "texts": list(map(str, steps[name])),
                    "values": [*range(len(steps[name]))],
                }
            control.setdefault("texts", [f"{value:g}" for value in control["values"]])
    return found


def start(about: Mapping) -> dict:
    """The state before anything is touched."""
    return {one["name"]: one["values"][one["start"]] for one in about["controls"]}


def sentence(about: Mapping, state: State) -> str:
    """What a figure says in a state."""
    shown = {
        one["name"]: one["texts"][one["values"].index(state[one["name"]])]
        for one in about["controls"]
    }
    return fill(about["says"], VALUES[about["name"]](state), shown)


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
            return how.split("|")[int(values[key] >= 0)]
        digits, percent = int(how.rstrip("%")), how.endswith("%")
        return f"{values[key] * (100 if percent else 1):.{digits}f}{' %' if percent else ''}"

    return re.sub(r"\{(@?\w+)(?::([^}]*))?\}", word, template)


def table(about: Mapping) -> Iterator[tuple[str, str]]:
    """What the figure says as it stands, and with each control at its ends."""
    yield "as drawn", sentence(about, start(about))
    for one in about["controls"]:
        for end in dict.fromkeys((0, len(one["values"]) - 1)):
            if end != one["start"]:
                state = start(about) | {one["name"]: one["values"][end]}
                how = f"{one['label']} = {one['texts'][end]}"
                if one.get("box"):
                    how = f"{'with' if end else 'without'} {one['label']}"
                yield how, sentence(about, state)


def html(name: str, up: str) -> str:
    """The figure for a page from which ``up`` leads to the root of the site."""
    about = figures()[name]
    given = json.dumps(about | {"data": data(name)}, ensure_ascii=False).replace("</", "<\\/")
    return markup.render(
        "moving.html.jinja",
        TEMPLATES,
        id=f"moving-{name.replace('_', '-')}",
        up=up,
        says=sentence(about, start(about)),
        caption=about["caption"],
        table=list(table(about)),
        data=given,
    )


def write(folder: str | Path) -> None:
    """Write, beside what the site gets, the HTML of each figure by its name."""
    found = {}
    for name, about in figures().items():
        page = statement(about["tag"]).docname if "tag" in about else about["page"]
        found[name] = {"tag": about.get("tag"), "html": html(name, "../" * page.count("/"))}
    Path(folder).mkdir(parents=True, exist_ok=True)
    paths.write_if_changed(paths.BUILD / PLACED, json.dumps(found, ensure_ascii=False))
