"""The authors' global experiment of *Mechanics*, beside the obvious implementation.

Ten data sets, 4000 steps of normalized descent, all observables at every step, and the solutions
they need.  The obvious one: automatic differentiation through the layer with its d x d matrix, a
trial at a time, and a generic conic solver for W_svm and W_fin.  Same data, same process, one core.
"""

import time

import cvxpy as cp
import numpy as np
import torch

from lib.mechanics.compiled_descent import observe_trials
from lib.mechanics.descent import initial_weights
from lib.mechanics.draws import authors_draw
from lib.mechanics.problem import Problem
from lib.mechanics.token_priority_graph import (
    cyclic_subdata,
    inside_mask,
    pair_matrices,
    priority_graphs,
)

STEPS, RATE, D = 4000, 0.01, 8
OBSERVED = ("norm", "cosine", "ridge", "outer", "mass")


def ours(sets, start, steps):
    """Solutions, descent and observables of all trials: (last W, observables)."""
    return observe_trials([Problem(data) for data in sets], start, RATE, steps, True)


def conic_svm(data, graphs):
    """W_svm, every pair of its definition, by a conic solver."""
    W, e, constraints = cp.Variable((D, D)), data.embeddings, []
    for k, graph in graphs.items():
        tokens = sorted(graph.graph.nodes)
        constraints += [
            (e[i] - e[j]) @ W @ e[k] == 0
            for i in tokens
            for j in tokens
            if i < j and graph.same(i, j)
        ]
        constraints += [
            (e[i] - e[j]) @ W @ e[k] >= 1 for i in tokens for j in tokens if graph.above(i, j)
        ]
    cp.Problem(cp.Minimize(cp.sum_squares(W)), constraints).solve(solver=cp.CLARABEL)
    return W.value


def conic_fin(data, graphs):
    """W_fin by a conic solver, as a combination of the matrices that span S_fin."""
    pairs = [(k, *pair) for k, graph in graphs.items() for pair in graph.cyclic_pairs()]
    matrices, part = pair_matrices(data, pairs), cyclic_subdata(data, graphs)
    x, total = cp.Variable(len(pairs)), 0
    for counts, query, y, weight in zip(
        part.counts, part.queries, part.label, part.weight, strict=True
    ):
        tokens = np.flatnonzero(counts)
        scores = (data.embeddings[tokens] @ matrices @ query).T @ x + np.log(counts[tokens])
        total += weight * (cp.log_sum_exp(scores) - scores[int(np.searchsorted(tokens, y))])
    cp.Problem(cp.Minimize(total)).solve(
        solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12
    )
    return np.tensordot(x.value, matrices, axes=1), matrices


def obvious_trial(data, start, steps):
    """One trial the way one would write it first: observables by name, (steps + 1,)."""
    graphs = priority_graphs(data)
    svm, (fin, span) = torch.as_tensor(conic_svm(data, graphs)), conic_fin(data, graphs)
    fin, basis = (
        torch.as_tensor(fin),
        torch.as_tensor(np.linalg.qr(span.reshape(len(span), -1).T)[0]),
    )
    tokens = np.array(
        [np.repeat(np.arange(len(row)), row.astype(int)) for row in data.counts]
    )  # (n, T)
    inside = torch.as_tensor(np.take_along_axis(inside_mask(data, graphs), tokens, axis=1))
    own = torch.as_tensor(tokens == data.label[:, None])
    X, query = torch.as_tensor(data.embeddings[tokens]), torch.as_tensor(data.queries)[:, :, None]
    W, seen = torch.tensor(start, requires_grad=True), {name: [] for name in OBSERVED}

    def cosine(a, b):
        return float((a * b).sum() / a.norm() / b.norm())

    for step in range(steps + 1):
        mass = torch.softmax((X @ W @ query).squeeze(-1), dim=1)  # (n, T)
        with torch.no_grad():
            part = (basis @ (basis.T @ W.flatten())).reshape(D, D)
            along = (W * svm).sum() / (svm * svm).sum()
            values = (
                float(W.norm()),
                cosine(W, svm),
                cosine(W, fin + along * svm),
                cosine(W - part, svm),
                float((mass * inside).sum(dim=1).mean()),
            )
        for name, value in zip(OBSERVED, values, strict=True):
            seen[name].append(value)
        if step < steps:
            loss = -torch.log((mass * own).sum(dim=1)).mean()
            (slope,) = torch.autograd.grad(loss, W)
            with torch.no_grad():
                W -= RATE * slope / slope.norm()
    return {name: np.array(values) for name, values in seen.items()}


def timed(work):
    """(CPU seconds, result) of ``work()``."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def main(compared=2, calm=1000):
    """Print the comparison on ten trials (the obvious one runs ``compared`` of them).

    Normalized steps that overshoot the bottom of the cyclic part multiply rounding errors until two
    correct programs differ by about a step length.  So their numbers are compared before that, over
    the first ``calm`` steps.
    """
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    sets, start = [authors_draw(rng) for _ in range(10)], initial_weights(10, D, rng)
    ours(sets, start, 10)  # compiles
    fast, (_, seen) = timed(lambda: ours(sets, start, STEPS))
    runs = [timed(lambda t=t: obvious_trial(sets[t], start[t], STEPS)) for t in range(compared)]
    slow = sum(seconds for seconds, _ in runs) / compared * 10
    gap = max(
        np.abs(seen[name][:calm, t] - run[name][:calm]).max()
        for t, (_, run) in enumerate(runs)
        for name in OBSERVED
    )
    print(
        f"10 trials x {STEPS} steps, 6 observables at each: {fast:.2f} s; obvious: {slow:.0f} s"
        f" (from {compared} trials); ratio {slow / fast:.0f}"
    )
    print(f"largest difference of any observable: {gap:.1e} over {calm} steps")
    assert gap < 1e-5, "the two implementations disagree"


if __name__ == "__main__":
    main()
