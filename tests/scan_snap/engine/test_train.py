"""The engine against the model it stands for: same gradients, same updates, same limits."""

import numpy as np
import pytest
import torch

from lib.scan_snap import yz_transformer as yz
from lib.scan_snap.engine.batches import INFINITE, Batch, Layout
from lib.scan_snap.engine.reference import gradients, surprisal, tiny_is_zero, weighted_sums
from lib.scan_snap.engine.train import State, _optimizer, train
from lib.scan_snap.sequence_classes import SequenceClasses, random_classes, syn_medium, syn_small
from lib.scan_snap.sparsity import distinct_entropy


def a_state(classes, rng, cells=3, compressed=False):
    """A random state on the engine's layout, float64."""
    layout = Layout.of(classes)
    columns = min(classes.num_classes + 1, classes.vocab_size) if compressed else classes.vocab_size
    Y = torch.as_tensor(rng.normal(size=(cells, len(layout.tokens), columns)))
    Z = torch.as_tensor(rng.normal(size=(cells, len(layout.queries), classes.vocab_size)))
    return State(layout, Y, Z, compressed)


def full_counts(layout, batch):
    """A batch's counts over the whole vocabulary: (N, M)."""
    counts = np.zeros((len(batch.label), layout.classes.vocab_size), dtype=batch.counts.dtype)
    np.add.at(
        counts,
        (np.arange(len(counts))[:, None], layout.tokens[layout.index[batch.label]]),
        batch.counts,
    )
    return counts


def plain_loss(Y, Z, classes, counts, label):
    """Mean cross-entropy of a sequence-level model: one-hot tokens, softmax over positions,
    autograd's graph.
    """
    total = 0.0
    for row, n in zip(counts, label):
        X = torch.nn.functional.one_hot(
            torch.as_tensor(np.repeat(np.arange(len(row)), row)), len(row)
        ).double()
        attended = X.T @ torch.softmax(X @ Z[classes.query[n]], dim=0)
        logits = Y.T @ (attended / torch.linalg.vector_norm(attended))
        total = total - torch.log_softmax(logits, dim=0)[classes.next_token[n]]
    return total / len(label)


def assert_plain_gradients(state, batch):
    """``gradients`` are those of ``plain_loss``, by automatic differentiation."""
    grad_y, grad_z, loss = gradients(state, batch)
    Y, Z = (p.requires_grad_() for p in state.full())
    for r in range(len(Y)):
        reference = plain_loss(
            Y[r], Z[r], state.layout.classes, full_counts(state.layout, batch), batch.label
        )
        want_y, want_z = torch.autograd.grad(-reference, (Y, Z))
        got_y = torch.zeros_like(Y[r]).index_copy_(
            0, torch.as_tensor(state.layout.tokens), grad_y[r][:, state.column_of]
        )
        torch.testing.assert_close(got_y, want_y[r], rtol=0, atol=1e-12)
        torch.testing.assert_close(
            grad_z[r], want_z[r][torch.as_tensor(state.layout.queries)], rtol=0, atol=1e-12
        )
        assert abs(loss[r] - reference) < 1e-12


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("shape", [(2, 6, 1), (5, 9, 3), (7, 7, 2)])
def test_gradients_are_those_of_a_plain_sequence_model(shape, compressed):
    K, M, queries = shape
    rng = np.random.default_rng(sum(shape))
    classes = random_classes(K, M, rng, num_queries=queries)
    state = a_state(classes, rng, compressed=compressed)
    assert_plain_gradients(state, next(state.layout.batches(1, 17, 12, rng)))


def test_gradients_are_those_of_the_count_formula():
    rng = np.random.default_rng(3)
    classes = syn_medium(3)
    state = a_state(classes, rng)
    batch = next(state.layout.batches(1, 40, 128, rng))
    grad_y, grad_z, _ = gradients(state, batch)
    counts = torch.as_tensor(full_counts(state.layout, batch)).double()
    label = torch.as_tensor(batch.label)
    query, next_token = (
        torch.as_tensor(classes.query)[label],
        torch.as_tensor(classes.next_token)[label],
    )
    Y, Z = state.full()
    want_y, want_z = yz.gradients(
        Y, Z, *(x.expand(3, *x.shape) for x in (counts, query, next_token))
    )
    torch.testing.assert_close(
        grad_y, want_y[:, torch.as_tensor(state.layout.tokens)], rtol=0, atol=1e-12
    )
    torch.testing.assert_close(
        grad_z, want_z[:, torch.as_tensor(state.layout.queries)], rtol=0, atol=1e-12
    )


def test_training_is_torch_optim_on_the_full_model():
    """Sixteen steps of the whole loop, momentum included, from a random start."""
    classes = syn_small()
    layout = Layout.of(classes)
    run = train(
        classes,
        [0.7, 4.0],
        1.3,
        steps=16,
        init="uniform",
        seeds=(5,),
        dtype="float64",
        batch_size=9,
        T=20,
    )
    state = State.initial(layout, 1, "uniform", np.random.default_rng([5, 0]), torch.float64)
    for cell in range(2):
        Y, Z = (p[0].clone().requires_grad_() for p in state.full())
        step = torch.optim.SGD(
            [{"params": [Y], "lr": run.eta_y[cell]}, {"params": [Z], "lr": run.eta_z[cell]}],
            momentum=0.9,
        )
        for s, batch in enumerate(layout.batches(16, 9, 20, np.random.default_rng([5, 1]))):
            step.zero_grad()
            loss = plain_loss(Y, Z, classes, full_counts(layout, batch), batch.label)
            loss.backward()
            step.step()
            assert abs(run.loss[0, cell, s] - loss.item()) < 1e-11
        np.testing.assert_allclose(run.z[0, cell, -1], Z.detach()[layout.queries], atol=1e-11)


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_one_column_stands_for_all_never_predicted_tokens(optimizer):
    classes = syn_small()
    layout = Layout.of(classes)
    runs = []
    for compressed in (True, False):
        columns = classes.num_classes + 1 if compressed else classes.vocab_size
        state = State(
            layout,
            torch.zeros(1, len(layout.tokens), columns).double(),
            torch.zeros(1, 2, classes.vocab_size).double(),
            compressed,
        )
        steps = [_optimizer(optimizer, np.array([2.0]), 0.9, torch.float64) for _ in range(2)]
        for batch in layout.batches(12, 16, 30, np.random.default_rng(0)):
            grad_y, grad_z, _ = gradients(state, batch)
            steps[0].step(state.Y, grad_y)
            steps[1].step(state.Z, grad_z)
        runs.append(state.full())
    torch.testing.assert_close(runs[0], runs[1], rtol=1e-10, atol=1e-12)


def test_float32_agrees_with_float64():
    arguments = dict(steps=100, init="uniform", seeds=(0, 1))
    low, high = (
        train(syn_small(), [1.0, 10.0], 1.0, dtype=dtype, **arguments)
        for dtype in ("float32", "float64")
    )
    assert np.abs(low.attention - high.attention).max() < 1e-4


def test_cells_and_seeds_do_not_mix():
    """A cell alone is the cell in the grid: data and start belong to the seed."""
    grid = train(
        syn_small(), [1.0, 3.0], [1.0, 2.0], steps=8, seeds=(4, 7), init="uniform", dtype="float64"
    )
    alone = train(syn_small(), 3.0, 2.0, steps=8, seeds=(7,), init="uniform", dtype="float64")
    np.testing.assert_allclose(alone.z[0, 0], grid.z[1, 1], atol=1e-13)


def test_seeds_that_share_a_pass_are_seeds_alone(monkeypatch):
    arguments = dict(steps=8, seeds=(4, 7, 9), init="uniform", engine="torch", keep=(0, 8))
    together = train(syn_small(), [1.0, 3.0], 2.0, **arguments)
    monkeypatch.setattr("lib.scan_snap.engine.train.WORKING_SET", 1)
    alone = train(syn_small(), [1.0, 3.0], 2.0, **arguments)
    np.testing.assert_array_equal(together.z, alone.z)
    np.testing.assert_array_equal(together.loss, alone.loss)


def test_row_sums_stay_zero_from_a_zero_start():
    run = train(syn_medium(3), 5.0, 1.0, steps=30, dtype="float64")
    np.testing.assert_allclose(run.z.sum(axis=-1), 0, atol=1e-12)


def test_long_sequences_approach_the_population_limit():
    """T = inf is where growing T leads (Lemma 2), batch = inf where a growing batch leads."""
    limit = train(
        syn_small(), 1.0, 1.0, steps=10, batch_size=INFINITE, T=INFINITE, dtype="float64"
    ).attention
    gaps = [
        np.abs(
            train(syn_small(), 1.0, 1.0, steps=10, batch_size=size, T=T, dtype="float64").attention
            - limit
        ).max()
        for size, T in ((4000, 10), (4000, 100), (400, INFINITE), (400_000, INFINITE))
    ]
    assert gaps[0] > 5 * gaps[1] and gaps[2] > 5 * gaps[3]


def test_population_limit_is_gradient_ascent_on_the_exact_objective():
    classes = syn_small()
    run = train(
        classes,
        0.5,
        0.5,
        steps=20,
        batch_size=INFINITE,
        T=INFINITE,
        momentum=0.0,
        dtype="float64",
        keep=(0, 20),
    )
    Y, Z = (torch.zeros(32 + 2, 32 + 2, dtype=torch.float64) for _ in range(2))
    counts = torch.as_tensor(classes.conditional)
    query, token = torch.as_tensor(classes.query), torch.as_tensor(classes.next_token)
    for _ in range(20):
        grad_y, grad_z = yz.gradients(Y, Z, counts, query, token)
        Y, Z = Y + 0.5 * grad_y, Z + 0.5 * grad_z
    np.testing.assert_allclose(run.z[0, 0, -1], Z[classes.query], atol=1e-13)


def test_attention_is_the_conditional_probability_at_the_start():
    classes = random_classes(4, 12, np.random.default_rng(0))
    run = train(classes, 1.0, 1.0, steps=3, keep=(0, 2, 3))
    assert run.attention.shape == (1, 1, 3, 4, 12)
    np.testing.assert_allclose(run.attention[0, 0, 0], classes.conditional, atol=1e-15)
    np.testing.assert_allclose(run.attention.sum(-1), 1, atol=1e-12)


def test_batches_have_the_law_of_counted_sequences():
    """Class frequencies and token means against their probabilities, five standard errors."""
    classes = random_classes(5, 11, np.random.default_rng(1), density=0.4)
    layout, T, size = Layout.of(classes), 9, 20000
    batch = next(layout.batches(1, size, T, np.random.default_rng(2)))
    assert (batch.counts.sum(axis=1) == T - 1).all() and batch.weight.sum() == pytest.approx(1)
    counts = full_counts(layout, batch)
    for n in range(5):
        mine = counts[batch.label == n]
        assert abs(len(mine) / size - 0.2) < 5 * np.sqrt(0.2 * 0.8 / size)
        p = classes.conditional[n]
        assert (
            np.abs(mine.mean(axis=0) - (T - 1) * p)
            <= 5 * np.sqrt((T - 1) * p * (1 - p) / len(mine))
        ).all()
        assert (mine[:, p == 0] == 0).all()


def test_a_token_that_dominates_and_is_absent_leaves_the_attention_to_the_rest():
    """A logit 200 above the others on a token that the first sample lacks."""
    table = np.array([[0.5, 0.25, 0.25, 0.0], [0.0, 0.5, 0.25, 0.25]])
    state = a_state(SequenceClasses(table, query=[3, 3]), np.random.default_rng(0))
    state.Z[:, :, 0] = 200.0
    batch = Batch(
        np.array([[0, 3, 2], [1, 1, 1]]),
        np.array([0, 0]),
        np.array([0.5, 0.5]),
        np.array([0, 2, 2]),
    )
    assert_plain_gradients(state, batch)


def test_weighted_sums_are_a_matrix_product():
    """Against the dense matrix that holds the weights; the second sum is empty, the last ends with
    the entries.
    """
    rng = np.random.default_rng(0)
    table, weight = (torch.as_tensor(rng.normal(size=shape)) for shape in ((2, 5, 3), (2, 6)))
    row, starts = torch.tensor([4, 0, 0, 2, 1, 4]), torch.tensor([0, 2, 2, 5])
    dense = torch.zeros(2, 4, 5, dtype=torch.float64)
    for entry, bag in enumerate([0, 0, 2, 2, 2, 3]):
        dense[:, bag, row[entry]] += weight[:, entry]
    torch.testing.assert_close(
        weighted_sums(table, row[None], weight, starts[None]), dense @ table, rtol=0, atol=1e-14
    )


@pytest.mark.parametrize("gap", [0.0, 30.0, 95.0, 300.0])
def test_surprisal_outlives_the_probability(gap):
    """exp(-95) is below the smallest normal float32, exp(-300) is 0: the loss is still the gap."""
    logits = torch.tensor([[[0.0, -gap, -400.0], [1.0, 0.0, 2.0]]])
    target = torch.tensor([[[1], [2]]])
    want = torch.logsumexp(logits.double(), -1, keepdim=True) - logits.double().gather(-1, target)
    torch.testing.assert_close(
        surprisal(logits.softmax(-1), logits, target).double(), want, rtol=1e-6, atol=0
    )


def test_a_token_is_lone_when_it_meets_one_query():
    """Every entry of a support is a pair of its class's query and its token, and each pair is there
    once.
    """
    classes = random_classes(9, 14, np.random.default_rng(4), num_queries=3, density=0.2)
    layout = Layout.of(classes)
    entries = {(classes.query[n], token) for n, token in zip(*np.nonzero(classes.support))}
    pairs = [(layout.queries[q], layout.tokens[row]) for q, row in layout.pairs]
    assert len(pairs) == len(set(pairs)) and set(pairs) == entries
    for n, j in np.ndindex(*layout.index.shape):
        assert pairs[layout.pair[n, j]] == (classes.query[n], layout.tokens[layout.index[n, j]])
    queries_of = [len({q for q, token in entries if token == other}) for other in layout.tokens]
    assert (
        0 < layout.lone < len(layout.tokens)
        and queries_of[: layout.lone] == [1] * layout.lone
        and min(queries_of[layout.lone :]) > 1
    )
    assert (layout.pairs[: layout.lone, 1] == np.arange(layout.lone)).all()


def test_tiny_numbers_are_zero_inside_and_only_inside():
    half = lambda: float(torch.tensor(1e-38) * 0.1)
    assert half() > 0
    with pytest.raises(KeyError), tiny_is_zero():
        assert half() == 0
        with tiny_is_zero():
            pass
        assert half() == 0
        raise KeyError
    assert half() > 0


@pytest.mark.parametrize(
    "bad",
    [
        dict(steps=0),
        dict(optimizer="rmsprop"),
        dict(T=1),
        dict(batch_size=0),
        dict(eta_y=-1.0),
        dict(eta_z=float("nan")),
        dict(keep=(5, 3)),
        dict(keep=(99,)),
        dict(dtype="float16"),
        dict(batch_size=INFINITE),
        dict(init="normal"),
        dict(momentum=1.0),
        dict(seeds=()),
        dict(seeds=(0, -1)),
        dict(seeds=3),
        dict(eta_y=[1.0, 2.0, 3.0], eta_z=[1.0, 2.0]),
    ],
)
def test_nonsense_is_refused_by_name(bad):
    arguments = dict(eta_y=1.0, eta_z=1.0, steps=3) | bad
    name = next(iter(bad))
    with pytest.raises(ValueError, match=f"^{name}"):
        train(syn_small(), **arguments)


def test_the_obvious_implementation_ends_where_the_engine_ends():
    """Sequences, one-hot, autograd, torch.optim against counts: mean entropy over 40 seeds each,
    within four standard errors.
    """
    from benchmarks.engine import obvious_run

    classes, seeds, sizes = syn_small(), range(40), dict(batch_size=16, T=12)
    engine = distinct_entropy(
        train(classes, 2.0, 2.0, steps=25, init="uniform", seeds=seeds, **sizes).attention[
            :, 0, -1
        ],
        classes,
    )
    plain = []
    for seed in seeds:
        z = obvious_run(classes, 2.0, 2.0, 25, seed, **sizes)[1].double().numpy()[classes.query]
        weights = classes.conditional * np.exp(z)
        plain.append(distinct_entropy(weights / weights.sum(axis=1, keepdims=True), classes))
    error = np.sqrt((np.var(engine, ddof=1) + np.var(plain, ddof=1)) / len(seeds))
    assert abs(np.mean(engine) - np.mean(plain)) < 4 * error < 0.3 * (2.151 - np.mean(engine))
