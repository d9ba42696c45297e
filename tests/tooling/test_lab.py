"""The engine of everything that moves: what it computes in Chromium is what lib computes."""

import json

import numpy as np
import pytest
from ledgerbook.project.project import current

from lib.bridge.joint_loops import follow
from lib.bridge.joint_training import one_hot_data
from lib.mechanics.automaton import automaton_law
from lib.mechanics.descent import descended
from lib.mechanics.draws import cyclic_draw, random_draw
from lib.mechanics.problem import Problem
from lib.scan_snap import decoder
from lib.scan_snap.attention_flow import attention_velocity, leading_beta, xi
from lib.scan_snap.engine.train import train
from lib.scan_snap.joint_ascent import joint_ascent
from lib.scan_snap.overlaps import assumption_2, overlap
from lib.scan_snap.phase_transition import big_gamma, gain_at
from lib.scan_snap.sequence_classes import (
    SequenceClasses,
    limiting_attention,
    normalized_attention,
    random_classes,
)

pytestmark = pytest.mark.long
ENGINE = (current().book / "_extra/lab/engine.js").read_text(encoding="utf-8")
INSTANCES = 40
KEEP = [0, 1, 7, 40]
# Data as the engine packs them, and its state as whole matrices: Y with all M columns.
PACKED = """
const E = globalThis.Engine;
const packed = (d) => E.pack(d.samples, d.L, d.columns, d.M, d.given);
const whole = (d, data, {Y, Z}) => [
  E.range(d.L).map((l) =>
    E.range(data.C ? d.M : 0).map((c) => Y[l * data.C + Math.min(c, d.columns)])),
  E.range(d.L).map((m) => E.range(d.L).map((l) =>
    data.rows.includes(m) ? Z[data.rows.indexOf(m) * d.L + l] : 0))];
"""
TRAINED = """
const data = packed(d), state = E.zero(data), found = [];
const keep = (step, s) => found.push(whole(d, data, s));
for (const _ of E[d.way](data, state, {...d.rates, times: d.times, tolerance: d.tolerance, keep}));
return found;
"""


@pytest.fixture
def engine(browser):
    """A function that gives what a body of JavaScript returns for each ``d`` of a list."""

    browser.get("about:blank")

    def run(body, instances):
        text = f"{ENGINE}\n{PACKED}\nconst each = (d) => {{{body}}};\n"
        text += f"return JSON.stringify({json.dumps(instances)}.map(each));"
        return json.loads(browser.execute_script(text))

    return run


def worst(found, expected):
    """Largest difference over the size of what is expected, of lists of arrays."""
    pairs = [(np.asarray(a, float), np.asarray(b, float)) for a, b in zip(found, expected)]
    assert len(found) == len(expected) and all(a.shape == b.shape for a, b in pairs)
    return max(
        np.abs(a - b).max(initial=0) / max(np.abs(b).max(initial=0), 1e-300) for a, b in pairs
    )


def rows(counts):
    """Counts as the engine reads them."""
    return [{int(j): float(row[j]) for j in np.flatnonzero(row)} for row in np.asarray(counts)]


def of_classes(classes, way="descend", **more):
    """Classes with endless sequences, for the engine."""
    parts = zip(rows(classes.conditional), classes.query, classes.next_token, classes.prior)
    return {
        "samples": [
            {"counts": c, "last": int(m), "label": int(n), "weight": float(p)}
            for c, m, n, p in parts
        ],
        "L": classes.vocab_size,
        "M": classes.vocab_size,
        "columns": classes.num_classes,
        "way": way,
        "given": False,
        **more,
    }


def of_data(data, **more):
    """``NextTokenData`` over orthonormal embeddings, for the engine."""
    parts = zip(rows(data.counts), data.last, data.label, data.weight)
    return {
        "samples": [
            {"counts": c, "last": int(m), "label": int(y), "weight": float(w)}
            for c, m, y, w in parts
        ],
        "L": data.shape[1],
        "M": data.shape[1],
        "columns": data.shape[1] - 1,
        **more,
    }


def drawn_classes():
    """Classes with uneven priors whose mixtures have duals, and both rates."""
    rng = np.random.default_rng(48)
    while True:
        K = int(rng.integers(2, 6))
        M = int(rng.integers(K + 5, 16))
        table = random_classes(K, M, rng, num_queries=int(rng.integers(1, 3)))
        classes = SequenceClasses(
            table.conditional, table.query, prior=rng.dirichlet(5 * np.ones(K))
        )
        F = normalized_attention(classes, np.zeros((M, M)))
        if np.linalg.cond(F @ F.T) < 1e3:
            yield classes, *rng.uniform(0.1, 2, 2).tolist()


def some(draw, number=INSTANCES):
    return [next(draw) for _ in range(number)]


@pytest.mark.parametrize("update", ("gradient", "modified"))
def test_both_updates_train_as_lib_does(engine, update):
    drawn, modified = some(drawn_classes()), update == "modified"
    asked = [
        of_classes(c, times=KEEP, rates={"etaY": y, "etaZ": z, "modified": modified})
        for c, y, z in drawn
    ]
    for found, (classes, y, z) in zip(engine(TRAINED, asked), drawn, strict=True):
        run = joint_ascent(classes, y, z, KEEP, update)
        assert worst([one[0] for one in found], run.Y) < 1e-9
        assert worst([one[1] for one in found], run.Z) < 1e-9


def test_momentum_trains_as_lib_does(engine):
    drawn = some(drawn_classes(), 20)
    asked = [
        of_classes(c, times=[25], rates={"etaY": y / 10, "etaZ": z / 10, "momentum": 0.9})
        for c, y, z in drawn
    ]
    for ((_, Z),), (classes, y, z) in zip(engine(TRAINED, asked), drawn, strict=True):
        endless = {"T": np.inf, "batch_size": np.inf, "dtype": "float64"}
        run = train(classes, y / 10, z / 10, steps=25, momentum=0.9, **endless)
        found = np.array(Z)[run.layout.queries]
        assert worst([found], [run.z[0, 0, 0]]) < 1e-9


def drawn_samples():
    """Sets of sentences, several to a query, next words apart from the words."""
    rng = np.random.default_rng(49)
    while True:
        K, n = int(rng.integers(4, 8)), int(rng.integers(3, 9))
        counts = rng.integers(0, 3, (n, K))
        counts[np.arange(n), rng.integers(K, size=n)] += 1
        weight = rng.dirichlet(5 * np.ones(n))
        yield one_hot_data(counts, rng.integers(2, size=n), rng.integers(K - 1, size=n), weight)


def test_descent_in_log_time_is_lib_s(engine):
    drawn, times = some(drawn_samples()), [0.01, 1.0, 10.0, 200.0]
    more = {"way": "follow", "times": times, "tolerance": 1e-3, "rates": {"etaY": 1.0, "etaZ": 0.5}}
    for found, data in zip(
        engine(TRAINED, [of_data(d, **more) for d in drawn]), drawn, strict=True
    ):
        K = data.shape[1]
        X = np.zeros((len(times), 2 * K * K))
        samples = data.log_counts, data.last, data.label, np.log(data.weight)
        follow(samples, X, (K, K), np.array([1.0, 0.5]), True, np.log(times), 1e-3, 20_000)
        expected = X.reshape(len(times), 2, K, K)
        assert worst(found[1:], expected[1:]) < 1e-9


def drawn_games():
    """Sets of sentences whose next word stands in them: half with circles, half the authors'."""
    rng = np.random.default_rng(50)
    while True:
        n, K = int(rng.integers(4, 30)), int(rng.integers(5, 8))
        yield cyclic_draw(rng, n=max(n, 12), K=K, embeddings=np.eye(K))
        yield random_draw(rng, n=n, T=4, K=K, embeddings=np.eye(K))


def test_a_given_decoder_trains_as_lib_does(engine):
    drawn = some(drawn_games())
    more = {"given": True, "way": "descend", "times": [30], "rates": {"etaZ": 0.8}}
    for ((_, Z),), data in zip(engine(TRAINED, [of_data(d, **more) for d in drawn]), drawn):
        W = descended(np.zeros(data.shape[1:]), data, 0.8, 30)
        assert worst([Z], [W.T]) < 1e-9


GRAPHS = """
return [...new Set(d.samples.map(({last}) => last))].sort((a, b) => a - b).map((k) => {
  const games = d.samples.filter(({last}) => last === k), graph = E.graph(games);
  const context = Object.fromEntries([...graph.component.keys()].map((j) => [j, 1 + j % 2]));
  let law = null;
  try { law = [...E.automaton(games, graph, context)]; } catch { /* a tie */ }
  return [k, graph.components, graph.pairs, graph.edges,
    graph.components.map((c) => E.odds(games, c)),
    [...E.direction(graph)], Object.entries(context), law];
});
"""


def test_graph_components_odds_direction_and_automaton_are_lib_s(engine):
    drawn = some(drawn_games())
    laws = 0
    for found, data in zip(engine(GRAPHS, [of_data(d) for d in drawn]), drawn, strict=True):
        problem = Problem(data)
        W, fin = problem.svm.W, problem.fin.W
        for k, components, pairs, edges, odds, w, context, law in found:
            graph = problem.graphs[k]
            assert components == [list(c) for c in graph.components]
            assert sorted(map(tuple, pairs)) == graph.priority_edges()
            wanted = [[i, j, graph.same(i, j)] for i, j in sorted(graph.graph.edges)]
            assert edges == wanted
            for members, share in zip(components, odds, strict=True):
                weight = np.exp(fin[members, k])
                assert worst([share], [weight / weight.sum()]) < 1e-9
            tokens, values = zip(*w)
            assert np.abs(np.array(values) - W[list(tokens), k]).max() < 1e-9 * max(
                1, np.abs(W).max()
            )
            counts = np.zeros((1, data.shape[1]))
            for j, count in context:
                counts[0, int(j)] = count
            try:
                expected = automaton_law(problem, counts, [k])[0]
            except ValueError:
                assert law is None
            else:
                laws += 1
                assert {j for j, _ in law} == set(np.flatnonzero(expected))
                assert worst([[p for _, p in law]], [expected[[j for j, _ in law]]]) < 1e-9
    assert laws > INSTANCES / 4


def test_the_decoder_s_formulas_are_lib_s(engine):
    rng = np.random.default_rng(51)
    asked = [
        {"M": int(M), "etaY": y, "etaZ": z, "K": int(K), "c0": c0, "t": t}
        for M, y, z, K, c0, t in zip(
            rng.integers(5, 3000, INSTANCES),
            *rng.uniform(0.1, 5, (2, INSTANCES)).tolist(),
            rng.integers(2, 5, INSTANCES),
            rng.uniform(1, 9, INSTANCES).tolist(),
            (10 ** rng.uniform(-1, 7, INSTANCES)).tolist(),
        )
    ]
    body = (
        "const {M, etaY, etaZ, K, c0, t} = d;"
        "return [...E.hStar(50, M, etaY), E.height(t, M, etaY),"
        "E.gamma(t, M, etaY, K), E.bigGamma(t, M, K, etaY, etaZ), E.gain(t, M, K, etaY, etaZ, c0),"
        "E.t0(M, etaY, K)]"
    )
    for found, d in zip(engine(body, asked), asked, strict=True):
        M, y, z, K, t = d["M"], d["etaY"], d["etaZ"], d["K"], d["t"]
        h = decoder.h(t / K, M, y)
        expected = [
            *decoder.h_star(50, M, y),
            decoder.h(t, M, y),
            decoder.gamma(t, M, y, K),
            big_gamma(h, M, K, y / z),
            gain_at(t, M, K, y, z, d["c0"]),
            decoder.snap_time(M, K, y),
        ]
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_the_push_on_attention_is_lib_s(engine):
    drawn = [classes for classes, _, _ in some(drawn_classes())]
    asked = []
    for c in drawn:
        F = normalized_attention(c, np.zeros((c.vocab_size,) * 2))
        asked.append({"F": F.tolist(), "query": c.query.tolist(), "visits": c.prior.tolist()})
    body = "const {velocity, xi} = E.push(d.F, d.query, d.visits); return [velocity, xi];"
    for (velocity, own), d, classes in zip(engine(body, asked), asked, drawn, strict=True):
        F = np.array(d["F"])
        expected = attention_velocity(classes, F, leading_beta(F), classes.prior)
        for m, row in velocity.items():
            assert np.abs(row - expected[int(m)]).max() < 1e-9 * np.abs(expected).max()
        assert worst([own], [xi(F, leading_beta(F))]) < 1e-9


def test_the_largest_eigenvalue_of_the_overlaps_is_lib_s(engine):
    drawn = [classes for classes, _, _ in some(drawn_classes())]
    tables = [normalized_attention(c, np.zeros((c.vocab_size,) * 2)) for c in drawn]
    found = engine("return E.coupling(d)", [(F @ F.T).tolist() for F in tables])
    margins = [assumption_2(overlap(F), F.shape[1]).upper for F in tables]
    assert [1 / (len(F) * value) for F, value in zip(tables, found)] == pytest.approx(
        margins, rel=1e-9
    )


def test_attention_starts_at_the_classes_own_probabilities(engine):
    drawn = [classes for classes, _, _ in some(drawn_classes(), 5)]
    body = "const data = packed(d); return [...E.attention(data, E.zero(data).Z)]"
    for found, classes in zip(engine(body, [of_classes(c) for c in drawn]), drawn, strict=True):
        c = limiting_attention(classes, np.zeros((classes.vocab_size,) * 2))
        assert worst([found], [c[classes.support]]) < 1e-12
