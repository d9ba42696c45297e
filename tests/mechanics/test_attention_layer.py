"""The layer against its own definition, its gradients against autograd and differences."""

import numpy as np
import pytest
import torch

from lib.mechanics.attention_layer import (
    attention,
    floored_loss,
    gradient,
    layer_output,
    linear_loss,
    log_loss,
    mass_loss,
    mixing_loss,
    risk,
    squared_softmax_loss,
)
from lib.mechanics.draws import authors_draw
from lib.mechanics.samples import from_sequences, gaussian_embeddings, stack

RNG = np.random.default_rng(0)
SEQUENCES = [[0, 1, 1, 2], [3, 2], [4, 0, 0, 0, 3]]
DATA = from_sequences(SEQUENCES, [1, 3, 0], gaussian_embeddings(5, 7, RNG))
W = RNG.normal(size=(7, 7))
MASS = mass_loss(lambda u: (1 - u) ** 2, lambda u: -2 * (1 - u))
HEAD = RNG.normal(size=(5, 7))


def explicit_risk(weights, data, loss, head):
    """The loss written with X itself, in torch."""
    total, E = 0, torch.as_tensor(data.embeddings)
    for sequence, label in zip(SEQUENCES, data.label, strict=True):
        X = E[sequence]
        f = X.T @ torch.softmax(X @ weights @ X[-1], dim=0)
        if loss == "log":
            total = total - torch.log(torch.as_tensor(head)[label] @ f)
        else:
            total = total + (1 - torch.softmax(torch.as_tensor(head) @ f, dim=0)[label]) ** 2
    return total / len(SEQUENCES)


@pytest.mark.parametrize(
    ("name", "loss", "head"),
    [
        ("log", log_loss, DATA.head),
        ("squared", squared_softmax_loss(), DATA.embeddings),
        ("squared", squared_softmax_loss(HEAD), HEAD),
    ],
)
def test_risk_and_gradient_are_autograd_s(name, loss, head):
    weights = torch.tensor(W, requires_grad=True)
    value = explicit_risk(weights, DATA, name, head)
    value.backward()
    np.testing.assert_allclose(risk(W, DATA, loss), value.item(), rtol=1e-12)
    np.testing.assert_allclose(gradient(W, DATA, loss), weights.grad, atol=1e-14)


def test_mass_is_a_probability_on_the_input_only():
    mass = attention(W, DATA)
    np.testing.assert_allclose(mass.sum(axis=1), 1, rtol=1e-14)
    assert (mass[DATA.counts == 0] == 0).all()
    np.testing.assert_allclose(layer_output(W, DATA) @ DATA.head.T, mass, atol=1e-12)


def test_saturated_probabilities_keep_their_gradient():
    data = from_sequences([[0, 1]], [0], np.eye(2))
    big = np.array([[0, 80.0], [0, 0]])
    assert risk(big, data) == pytest.approx(np.exp(-80), rel=1e-12)
    np.testing.assert_allclose(
        gradient(big, data), [[0, -np.exp(-80)], [0, np.exp(-80)]], rtol=1e-12
    )


@pytest.mark.parametrize("size", [20, 60])
def test_saturated_squared_loss_keeps_its_gradient_in_the_data_span(size):
    data = from_sequences([[0, 1, 2]], [0], np.eye(3))
    weights = size * np.array([[0, 0, 1.0], [0, 0, -0.5], [0, 0, -0.5]])
    slope = gradient(weights, data, squared_softmax_loss())[:, 2]
    assert abs(slope.sum()) < 1e-12 * np.abs(slope).max()  # scores move by differences only
    assert slope[0] == pytest.approx(-2 * slope[1], rel=1e-9)
    assert 0 < slope[1] < np.exp(-1.5 * size)


def test_batch_is_trials_side_by_side():
    sets = [authors_draw(RNG, n=5) for _ in range(3)]
    weights, head = RNG.normal(size=(3, 8, 8)), RNG.normal(size=(6, 8))
    together = stack(sets)
    for t, data in enumerate(sets):
        for loss in (log_loss, MASS, squared_softmax_loss(), squared_softmax_loss(head)):
            np.testing.assert_allclose(
                gradient(weights, together, loss)[t], gradient(weights[t], data, loss), atol=1e-15
            )
            np.testing.assert_allclose(
                risk(weights, together, loss)[t], risk(weights[t], data, loss), rtol=1e-12
            )


@pytest.mark.parametrize(
    ("loss", "of_mass"),
    [
        (linear_loss, lambda u: 1 - u),
        (floored_loss(0.01), lambda u: -torch.log(u + 0.01)),
        (mixing_loss(0.3), lambda u: -torch.log(0.3 + 0.7 * u)),
    ],
)
def test_losses_of_the_label_s_mass_have_autograd_s_slope(loss, of_mass):
    weights, total = torch.tensor(W, requires_grad=True), 0
    for sequence, label in zip(SEQUENCES, DATA.label, strict=True):
        X = torch.as_tensor(DATA.embeddings)[sequence]
        mass = torch.softmax(X @ weights @ X[-1], dim=0)
        total = total + of_mass(mass[torch.as_tensor(sequence) == label].sum()) / len(SEQUENCES)
    total.backward()
    assert risk(W, DATA, loss) == pytest.approx(total.item(), rel=1e-12)
    np.testing.assert_allclose(gradient(W, DATA, loss), weights.grad.numpy(), atol=1e-14)


def test_general_loss_of_the_mass():
    direction, h = RNG.normal(size=W.shape), 1e-6
    slope = (risk(W + h * direction, DATA, MASS) - risk(W - h * direction, DATA, MASS)) / (2 * h)
    np.testing.assert_allclose((gradient(W, DATA, MASS) * direction).sum(), slope, rtol=1e-7)
    np.testing.assert_allclose(
        gradient(W, DATA, mass_loss(lambda u: -np.log(u), lambda u: -1 / u)),
        gradient(W, DATA),
        atol=1e-14,
    )
