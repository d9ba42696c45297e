"""Numbers in the sentences of the chapters on the five samples are those that the layer gives."""

import re

import numpy as np
import pytest
from ledgerbook.chapters import notebooks
from ledgerbook.chapters.statements import statement

from checks.mechanics.conjecture import Solved
from checks.mechanics.local_convergence import with_survivors
from lib.mechanics.attention_layer import attention, gradient, linear_loss, risk
from lib.mechanics.automaton import automaton_law
from lib.mechanics.compiled_descent import run_trial, weights
from lib.mechanics.descent import cosine, descended
from lib.mechanics.five_samples import LABELS, SEQUENCES, five_samples
from lib.mechanics.limit_paths import gradient_flow
from lib.mechanics.problem import Problem
from lib.mechanics.samples import from_sequences


@pytest.fixture(scope="module")
def five():
    return Problem(five_samples())


def trained(five, size, *steps):
    """W (d, d) after each of these numbers of steps from zero."""
    zero = np.zeros((5, 5))
    moves, _, _ = run_trial(five.data, zero, size, max(steps), normalized=False)
    return [weights(five.data, zero, moves[step]) for step in steps]


def words(name):
    """The Markdown of a chapter, on one line."""
    cells = notebooks.read(statement(f"mechanics.{name}").chapter).cells
    return " ".join(" ".join(c.source for c in cells if c.cell_type == "markdown").split())


def angles(problem, powers):
    """Degrees between the flow from zero and the Graph-SVM at some powers of ten."""
    path = gradient_flow(
        problem.split,
        *problem.split.coordinates(np.zeros((5, 5))),
        np.log(10) * np.array([0.0, *powers]),
    )
    turned = cosine(problem.split.matrix(path.x, path.z)[1:], problem.svm.W[None])
    return np.degrees(np.arccos(turned))


def test_the_direction_is_approached_as_slowly_as_said(five):
    text, (early, late, quarter) = words("global-convergence"), angles(five, (4, 8, 13))
    assert f"It is {early:.2f} degrees at $t=10^4$ and still {late:.2f} degrees at" in text
    assert "a quarter of that, 0.43 degrees" in text
    assert quarter == pytest.approx(early / 4, rel=0.02) and f"{early / 4:.2f}" == "0.43"


def test_what_the_pencil_says_of_the_five_samples_is_where_training_is(five):
    text, t = words("global-convergence"), 10_000
    W, end = trained(five, 1.0, t, 10 * t)
    s = W[:, 4]
    multipliers = {pair[1:]: round(dual, 9) for pair, dual in zip(five.svm.pairs, five.svm.duals)}
    assert multipliers == {(0, 2): 2.4, (0, 4): 0, (2, 3): 2.6, (2, 4): 0, (3, 4): 1.8}
    assert five.svm.norm**2 == pytest.approx(6.8) and r"\frac{2.4+2.6+1.8}t=\frac{6.8}t" in text
    gaps = s[[1, 1, 2, 3]] - s[[0, 2, 3, 4]]
    assert np.abs(gaps - np.log([2, t / 9, t / 13, t / 9])).max() < 0.002
    assert "no gap is off by more than 0.002" in text
    assert np.abs(attention(W, five.data) - attention(end, five.data)).max() < 0.0015
    assert "no share is further than 0.002 from its limit" in text


def test_the_norm_stays_behind_its_line_by_what_the_walk_says(five):
    steps, size = 20_000, 2.0
    (W,) = trained(five, size, steps)
    behind = five.svm.norm * np.log(size * steps) - np.linalg.norm(W)
    text = words("global-convergence")
    assert f"here {behind:.1f} below it" in text and f"go to {five.svm.norm:.2f}" in text
    assert (risk(W, five.data) - five.fin.loss) * size * steps == pytest.approx(6.8, abs=2e-3)


def test_the_resting_places_are_those_that_the_program_prints(five):
    six = Problem(from_sequences([*SEQUENCES, [0, 2, 4]], [*LABELS, 2], np.eye(5)))
    text = words("w-fin")
    for name, problem, size in (("two", five, 2), ("three", six, 3)):
        over = problem.fin.W[:size, 4] - problem.fin.W[0, 4]
        printed = " ".join(str(over.round(3)).split())
        assert f"{name}, step 10000: scores above that of 0 {printed}" in text
    assert np.allclose(five.fin.W[:, 4], np.log(2) * np.array([-0.5, 0.5, 0, 0, 0]))
    assert r"$(-\frac12\log2,\ \frac12\log2,\ 0,\ 0,\ 0)$" in text


def test_the_stairs_and_what_holds_them_open_are_the_graph_svm(five):
    text, w = words("graph-svm"), five.svm.W[:, 4]
    assert np.allclose(w, [1.2, 1.2, 0.2, -0.8, -1.8])
    steps = [0.5, 0.5, -1, 0, 0], [0, 0, 1, -1, 0], [0, 0, 0, 1, -1]
    assert np.allclose(np.array([2.4, 2.6, 1.8]) @ steps, w)
    assert r"w=2.4\,(\tfrac12,\tfrac12,-1,0,0)+2.6\,(0,0,1,-1,0)+1.8\,(0,0,0,1,-1)" in text
    assert r"w=(1.2,\ 1.2,\ 0.2,\ -0.8,\ -1.8),\qquad\|w\|^2=6.8" in text


def test_the_automaton_of_the_idea_is_that_of_the_five_samples(five):
    tried = [0, 3, 4], [2, 4], [1, 1, 0, 4]
    seen = {frozenset(sequence) for sequence in SEQUENCES}
    assert not {frozenset(context) for context in tried[:2]} & seen
    counts = np.array([np.bincount(context, minlength=5) for context in tried])
    law = automaton_law(five, counts, np.full(3, 4))
    assert np.allclose(law, [[1, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0.2, 0.8, 0, 0, 0]])
    assert r"comes with probability $\frac45$" in words("automaton")


def test_before_training_the_layer_counts_and_the_first_step_is_what_the_picture_shows():
    start = np.zeros((5, 5))
    twice = from_sequences([[1, 1, 0, 4]], [1], np.eye(5))
    assert attention(start, twice)[0, 1] == 0.5
    assert r"the token 1 has the share $\frac12$" in words("setting")
    sample = from_sequences(SEQUENCES[3:4], LABELS[3:4], np.eye(5))
    assert np.allclose(-gradient(start, sample)[:, 4], [-0.25, 0.75, -0.25, 0, -0.25])
    assert r"1 rises by $\frac34$ and 0, 2 and 4 sink by $\frac14$ each" in words("setting")


def test_what_the_conjecture_leaves_over_is_the_lowest_point_of_phi():
    """The page's R and C(t) - log t, made with a pencil, against Newton's method on Phi."""
    solved = Solved(five_samples())
    rho, w = (solved.split.matrix(np.zeros(1), z)[:, 4] for z in (solved.rest.rho, solved.w))
    c, text = rho @ w / (w @ w), words("conjecture")
    assert f"$C(t)=\\log t{c:.2f}$" in text
    assert "R=(" + r",\ ".join(f"{value:.3f}" for value in rho - c * w) + ")" in text


def test_the_loss_that_is_bounded_follows_the_local_graph_of_the_five_samples(five):
    text, zero = words("local-convergence"), np.zeros((5, 5))
    local = with_survivors(five.data, [1, 1, 2, 1, 3])
    assert np.allclose(local[:, 4], [0, 1.5, 0.5, -0.5, -1.5])
    assert r"w_{\text{local}}=(0,\ 1.5,\ 0.5,\ -0.5,\ -1.5)" in text
    apart = np.degrees(np.arccos(cosine(local, five.svm.W)))
    assert f"This table stands at {apart:.0f} degrees" in text
    early = descended(zero, five.data, 1.0, 1000, loss=linear_loss)
    assert attention(early, five.data)[0, 0] < 0.001
    late = descended(early, five.data, 1.0, 9000, loss=linear_loss)
    assert np.degrees(np.arccos(cosine(late, local))) < 5


def test_losers_fade_with_the_constants_that_the_pencil_gives(five):
    path = gradient_flow(five.split, *five.split.coordinates(np.zeros((5, 5))), np.log([1.0, 1e6]))
    W, t = five.split.matrix(path.x[-1], path.z[-1]), 1e6
    shares, weights = attention(W, five.data), np.exp(W[:, 4])
    unseen = weights[3] / weights[[0, 3, 4]].sum()
    found = t * shares[0, 2], t**2 * shares[2, 4], t**3 * shares[1, 4], t**2 * unseen
    assert np.allclose(found, [6, 117, 702, 234], rtol=1e-3)
    assert r"\frac{702}{t^3}" in words("hard-retrieval")


def test_the_strengths_of_the_six_samples_are_those_of_the_text():
    six = Problem(from_sequences([*SEQUENCES, [0, 2, 4]], [*LABELS, 2], np.eye(5)))
    strengths = np.exp(six.fin.W[:3, 4] - six.fin.W[0, 4])
    said = f"the strengths of 0, 1 and 2 are 1, {strengths[1]:.2f} and {strengths[2]:.2f}"
    assert said in words("soft-composition")


def test_the_authors_local_experiment_is_told_as_its_run_prints_it():
    text = words("local-convergence")
    notebook = notebooks.read(statement("mechanics.local-convergence").chapter)
    printed = "".join(
        out.get("text", "") for c in notebooks.code_cells(notebook) for out in c.outputs
    )
    given_up = int(re.search(r"label is given up: (\d+)%", printed).group(1))
    to_global, to_local = re.search(
        r"Graph-SVM ([\d.]+), with the local one ([\d.]+)", printed
    ).groups()
    assert given_up == pytest.approx(20, abs=2) and "about one context in five" in text
    assert f"cosine is {to_local} with the local solution" in text
    assert f"about {float(to_global):.1f} with the global one" in text
