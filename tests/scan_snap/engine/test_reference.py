"""The plain engine: gradients of the sequence model, steps of torch.optim."""

import numpy as np
import pytest
import torch

from lib.scan_snap import yz_transformer as yz
from lib.scan_snap.engine.batches import Batch, Layout
from lib.scan_snap.engine.reference import gradients
from lib.scan_snap.engine.state import State
from lib.scan_snap.engine.train import train
from lib.scan_snap.sequence_classes import SequenceClasses, random_classes, syn_medium, syn_small
from tests.scan_snap.engine.sequence_model import full_counts, plain_loss


def a_state(classes, rng, cells=3):
    """A random state on the engine's layout, float64."""
    layout = Layout.of(classes)
    Y = torch.as_tensor(rng.normal(size=(cells, len(layout.tokens), classes.vocab_size)))
    Z = torch.as_tensor(rng.normal(size=(cells, len(layout.queries), classes.vocab_size)))
    return State(layout, Y, Z)


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
            0, torch.as_tensor(state.layout.tokens), grad_y[r]
        )
        torch.testing.assert_close(got_y, want_y[r], rtol=0, atol=1e-12)
        torch.testing.assert_close(
            grad_z[r], want_z[r][torch.as_tensor(state.layout.queries)], rtol=0, atol=1e-12
        )
        assert abs(loss[r] - reference) < 1e-12


@pytest.mark.parametrize("shape", [(2, 6, 1), (5, 9, 3), (7, 7, 2)])
def test_gradients_are_those_of_a_plain_sequence_model(shape):
    K, M, queries = shape
    rng = np.random.default_rng(sum(shape))
    classes = random_classes(K, M, rng, num_queries=queries)
    state = a_state(classes, rng)
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


@pytest.mark.parametrize("gap", [30.0, 95.0, 300.0])
def test_the_loss_outlives_the_probability(gap):
    """exp(-95) is below the smallest normal float32, exp(-300) is 0: the loss is still the gap."""
    classes = SequenceClasses(np.eye(3)[:1], query=[2])
    state = State.initial(Layout.of(classes), 1, "zero", None, torch.float32)
    state.Y[0, 0, 1] = gap
    batch = next(state.layout.batches(1, 1, 5, np.random.default_rng(0)))
    assert gradients(state, batch)[2].item() == pytest.approx(gap, rel=1e-6)
