"""The figures that move: for each its HTML, with the sentence and the table of readers without
scripts.

``templates/moving.toml`` says what a figure is; ``book/_extra/lab/figures.js`` computes it in the
browser.  Here are the numbers of its sentence, from ``lib``, which the tests hold beside it.
"""

import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from ledgerbook.chapters.statements import statement
from ledgerbook.project import markup, storage
from ledgerbook.project.project import current

from checks.scan_snap.figure_02 import Figure02
from lib.mechanics.automaton import automaton_law, model_law
from lib.mechanics.descent import cosine
from lib.mechanics.five_samples import LABELS, SEQUENCES, five_samples
from lib.mechanics.limit_paths import gradient_flow
from lib.mechanics.problem import Problem
from lib.mechanics.samples import from_sequences
from lib.scan_snap.attention_flow import attention_velocity, block_classes, leading_beta
from lib.scan_snap.decoder import h, h_star, snap_time, speed
from lib.scan_snap.engine.train import train
from lib.scan_snap.four_classes import COUNTS, VOCABULARY
from lib.scan_snap.phase_transition import big_gamma, gain_at
from lib.scan_snap.sequence_classes import SequenceClasses, normalized_attention, syn_medium
from lib.scan_snap.sparsity import entropy
from tooling import PLACED

TEMPLATES = Path(__file__).with_name("templates")
State = Mapping[str, Any]

FIGURE_2, PROBLEM = Figure02(), Problem(five_samples())  # each computes what it is asked for, once
MOMENTS = ("start", "scan", "winners", "snap")
SAMPLES = [*zip(SEQUENCES, LABELS, strict=True), ([0, 2, 4], 2)]
STARTS = (0, 1, 3, 5)
WRONG_WAY = np.array([-1, -0.5, 0, 0.5, 1])  # what should be last is first
EVERYTHING = np.ones((1, 5)), np.array([4])  # the context of all five tokens, asked by token 4


def overview(state: State) -> dict:
    """Attention before guitar at a step, and the moment's name."""
    play, strum, chord = FIGURE_2.attention[state["frame"], 0, :3]
    moment = MOMENTS[sum(FIGURE_2.panels < FIGURE_2.steps[state["frame"]])]
    return {"play": play, "strum": strum, "chord": chord, "moment": moment}


def classes_of(number: int, share: float) -> SequenceClasses:
    """Syn-Small's table with a query for each class; ``share``: of the common tokens together."""
    weight = share / (1 - share) * np.linspace(0.1, 1, 10).sum() / 10
    return syn_medium(number, 1, common_weight=weight)


@cache
def course(eta_y: float, eta_z: float, common: float, classes: int) -> np.ndarray:
    """Attention of one class on all common tokens, on each own: (len(times), 11)."""
    table, times = classes_of(classes, common), figures()["explorable"]["data"]["times"]
    how = {"T": float("inf"), "batch_size": float("inf"), "dtype": "float64"}
    c = train(table, eta_y, eta_z, steps=times[-1], keep=times, **how).attention[0, 0, :, 0]
    shared = c[:, table.common_tokens].sum(axis=-1, keepdims=True)
    return np.concatenate([shared, c[:, table.distinct_tokens(0)]], axis=-1)


def explorable(state: State) -> dict:
    """Attention at an iteration, without sampling, with momentum."""
    run = course(state["eta_y"], state["eta_z"], state["common"], state["classes"])
    common, *own = run[state["frame"]]
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
    play, ratio, (own, loud) = state["play"], state["ratio"], data("theorem_02").values()
    classes = block_classes([[play, loud], [play, loud * ratio]], [own] * 2)
    F = normalized_attention(classes, np.zeros((classes.vocab_size,) * 2))
    speeds = attention_velocity(classes, F, leading_beta(F))[classes.query[0]]
    overlap, uneven = float(F[0] @ F[1]), F[1, 1] / F[0, 1]
    turn = 2 * uneven / (1 + uneven**2)
    found = {"share": play / (play + loud + sum(own)), "overlap": overlap, "turn": turn}
    goes = {name: "rises" if speeds[k] >= 0 else "falls" for k, name in enumerate(("play", "loud"))}
    return found | goes | {"side": "more" if overlap >= turn else "less"}


def theorem_04(state: State) -> dict:
    """Gamma and B at t_0."""
    M, eta_y, eta_z = state["M"], state["eta_y"], state["eta_z"]
    K, c0, later = data("theorem_04").values()
    t0 = snap_time(M, K, eta_y)
    early, late = (float(gain_at(t, M, K, eta_y, eta_z, c0)) for t in (t0, later * t0))
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
def flow(size: float) -> np.ndarray:
    """W at t = 1, 10, ..., 1e40 from scores turned the wrong way by ``size``: (41, 5, 5)."""
    split, start = PROBLEM.split, np.zeros((5, 5))
    start[:, 4] = size * WRONG_WAY
    x, z = split.coordinates(start)
    path = gradient_flow(split, x, z, np.arange(41) * np.log(10))
    return split.matrix(path.x, path.z) + start - split.matrix(x, z)


def global_convergence(state: State) -> dict:
    """The angle to W_svm at a power of ten, and how far the masses are from their limit."""
    W, k = flow(state["start"]), state["k"]
    angle = np.degrees(np.arccos(np.clip(cosine(W, PROBLEM.svm.W[None]), -1, 1)))
    law = model_law(W[k], *EVERYTHING, np.eye(5))
    away = np.abs(law - automaton_law(PROBLEM, *EVERYTHING)).max()
    return {"away": away, "angle_now": angle[k], "angle_squared": angle[2 * k]}


VALUES = {one.__name__: one for one in (overview, explorable, lemma_05, theorem_02, theorem_04)}
VALUES |= {one.__name__: one for one in (token_priority_graph, global_convergence)}


def data(name: str) -> dict:
    """What a figure's script needs beside the state."""
    if name == "overview":
        found = {"moments": FIGURE_2.panels.tolist(), "names": MOMENTS, "steps": FIGURE_2.steps}
        return found | {"weights": COUNTS, "vocabulary": VOCABULARY}
    if name == "token_priority_graph":
        return {"samples": SAMPLES}
    if name == "global_convergence":
        limit = automaton_law(PROBLEM, *EVERYTHING)[0].tolist()
        scores = [flow(size)[:, :, 4].tolist() for size in STARTS]
        direction = PROBLEM.svm.W[:, 4].tolist()
        return {"starts": STARTS, "scores": scores, "direction": direction, "limit": limit}
    return figures()[name]["data"]


@cache
def figures() -> dict[str, dict]:
    """Name to what ``moving.toml`` says, with every control's texts."""
    found = tomllib.loads((TEMPLATES / "moving.toml").read_text(encoding="utf-8"))
    found["token_priority_graph"]["controls"] = [
        dict(name=f"s{k}", label=f"{label} chosen in {' '.join(map(str, context))}")
        | dict(values=[False, True], start=int(k <= len(SEQUENCES)), box=True)
        for k, (context, label) in enumerate(SAMPLES, 1)
    ]
    steps = {"overview": FIGURE_2.steps, "explorable": found["explorable"]["data"]["times"]}
    for name, about in found.items():
        about["name"] = name
        for control in about["controls"]:
            if control["name"] == "frame":
                control["texts"] = list(map(str, steps[name]))
                control["values"] = [*range(len(steps[name]))]
            control.setdefault("texts", [f"{value:g}" for value in control["values"]])
    return found


def start(about: Mapping) -> dict:
    """The state before anything is touched."""
    return {one["name"]: one["values"][one["start"]] for one in about["controls"]}


def sentence(about: Mapping, state: State) -> str:
    """What a figure says in a state."""
    shown = {
        f"{one['name']}_text": one["texts"][one["values"].index(state[one["name"]])]
        for one in about["controls"]
    }
    return about["says"].format(**VALUES[about["name"]](state), **shown).replace("%", " %")


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


def height(panel: Mapping) -> int:
    """Of a panel as ``draw.js`` draws it, 272 wide, without a legend: what the page keeps free."""
    plot = panel.get("height", 170 if panel["kind"] == "graph" else 120)
    return plot + 44 + 40 * ("slant" in panel) + 15 * ("name" in panel.get("x", {}))


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
        heights=[height(panel) for panel in about["panels"]],
        rows=sum(not one.get("box") for one in about["controls"]),
        table=[(re.sub(r"η_(\w)", r"η<sub>\1</sub>", how), says) for how, says in table(about)],
        data=given,
    )


def write(folder: str | Path) -> None:
    """Write, beside what the site gets, the HTML of each figure by its name."""
    found = {}
    for name, about in figures().items():
        page = statement(about["tag"]).docname if "tag" in about else about["page"]
        found[name] = {"tag": about.get("tag"), "html": html(name, "../" * page.count("/"))}
    Path(folder).mkdir(parents=True, exist_ok=True)
    storage.write_if_changed(current().build / PLACED, json.dumps(found, ensure_ascii=False))


if __name__ == "__main__":
    write(sys.argv[1])
