"""The token-priority graph of the running example: samples to tick, and one more to predict."""

import numpy as np

from lib.mechanics.five_samples import LABELS, SEQUENCES
from lib.mechanics.problem import Problem
from lib.mechanics.samples import from_sequences
from tooling.sliders.figure import Axis, Bars, Control, Figure, Graph

TOKENS, QUERY = 5, 4
SAMPLES = [*zip(SEQUENCES, LABELS, strict=True), ([0, 2, 4], 2)]
ROWS = 4  # rows that fill the plot
ROLES = tuple("query" if token == QUERY else "theory" for token in range(TOKENS))


def data() -> dict:
    """The samples: contexts and labels."""
    return {"samples": SAMPLES}


def values(state, data) -> dict:
    """Components from the top, the edges, and each token's share of its component, by ``lib``."""
    ticked = [sample for k, sample in enumerate(SAMPLES) if state[f"s{k + 1}"]]
    components, edges, shares = [], [], np.zeros(TOKENS)
    if ticked:
        contexts, labels = zip(*ticked, strict=True)
        problem = Problem(from_sequences(contexts, labels, np.eye(TOKENS)))
        graph = problem.graphs[QUERY]
        components = [list(members) for members in graph.components]
        edges = [[i, j, graph.same(i, j)] for i, j in sorted(graph.graph.edges)]
        for members in components:
            weight = np.exp(problem.fin.W[members, QUERY])
            shares[members] = weight / weight.sum()
    seen = [token for members in components for token in members]
    unseen = [token for token in range(TOKENS) if token not in seen]
    x, y = places([*components, *([unseen] if unseen else [])])
    return {
        "x": x,
        "y": y,
        "edges": edges,
        "off": unseen,
        "shares": shares,
        "roles": list(ROLES),
        "order": ", ".join(f"{{{', '.join(map(str, c))}}}" for c in components) or "none",
        "count": float(len(components)),
        "compromises": float(sum(len(members) - 1 for members in components)),
    }


def places(groups: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """A row of nodes for each component; three or more take two rows, in a zigzag."""
    x, y, rows = np.zeros(TOKENS), np.zeros(TOKENS), 0
    for members in groups:
        deep = 2 if len(members) > 2 else 1
        for slot, token in enumerate(members):
            x[token] = 0.5 + 0.9 / max(len(members), 2.5) * (slot - (len(members) - 1) / 2)
            y[token] = rows + slot % deep + 0.5
        rows += deep
    return x, y / max(rows, ROWS)


def box(number: int, context: list[int], label: int, ticked: bool) -> Control:
    """A sample as a box to tick."""
    words = " ".join(map(str, context))
    return Control(f"s{number}", f"{label} chosen in {words}", (False, True), int(ticked))


FIGURE = Figure(
    tag="mechanics.token-priority-graph",
    name="token_priority_graph",
    controls=tuple(
        box(k + 1, context, label, k < len(SEQUENCES)) for k, (context, label) in enumerate(SAMPLES)
    ),
    panels=(
        Graph(
            "who beats whom, before token 4",
            "The five tokens in rows, from the top component down; thick arrows within a"
            " component, thin gray ones down.",
            tuple(map(str, range(TOKENS))),
            ROLES,
        ),
        Bars(
            "share within its component",
            "Each token's share of the attention that its component gets: a token alone has all.",
            "shares",
            tuple(map(str, range(TOKENS))),
            Axis(0, 1, ((0, "0"), (0.5, "50 %"), (1, "100 %"))),
            roles="roles",
            height=170,
        ),
    ),
    says=("Components from the top: {order}. Score differences to compromise on: {compromises:0}."),
    caption=(
        "Each box is a sample, and says that its label beats the rest of its context. The bars show"
        " how a component's attention is shared out in the end. Before you tick the last box,"
        " predict what happens."
    ),
    values=values,
    data=data,
)
