"""The optimizers are torch.optim's, as ascent, with a rate per run."""

import pytest
import torch

from lib.scan_snap.engine.optimizers import Adam, Momentum

RATES = torch.tensor([0.01, 0.3, 2.0], dtype=torch.float64)[:, None, None]


def paths(ours, theirs, steps=40):
    """Both optimizers on the same gradients: -2 (p - 1) + a ripple, for three runs with their own
    rates.
    """
    torch.manual_seed(0)
    start = torch.randn(3, 4, 5, dtype=torch.float64)

    def gradient(p):
        return torch.tanh(-2 * (p - 1)) + torch.sin(3 * p)

    mine, yours = start.clone(), [row.clone().requires_grad_() for row in start]
    references = [theirs([row], rate) for row, rate in zip(yours, RATES.flatten().tolist())]
    for _ in range(steps):
        ours.step(mine, gradient(mine))
        for row, reference in zip(yours, references):
            row.grad = gradient(row.detach())
            reference.step()
    return mine, torch.stack([row.detach() for row in yours])


@pytest.mark.parametrize("momentum", [0.0, 0.5, 0.9])
def test_momentum_is_torch_sgd(momentum):
    mine, yours = paths(
        Momentum(RATES, momentum),
        lambda p, rate: torch.optim.SGD(p, lr=rate, momentum=momentum, maximize=True),
    )
    torch.testing.assert_close(mine, yours, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("options", [dict(), dict(beta1=0.5, beta2=0.9, epsilon=1e-3)])
def test_adam_is_torch_adam(options):
    names = {
        "betas": (options.get("beta1", 0.9), options.get("beta2", 0.999)),
        "eps": options.get("epsilon", 1e-8),
    }
    mine, yours = paths(
        Adam(RATES, **options), lambda p, rate: torch.optim.Adam(p, lr=rate, maximize=True, **names)
    )
    torch.testing.assert_close(mine, yours, rtol=1e-11, atol=1e-11)


def test_adam_moves_by_the_rate_whatever_the_gradient():
    """The first Adam step is rate * sign(gradient): what Figure 5 turns on."""
    parameter, gradient = (
        torch.zeros(1, 2, 3, dtype=torch.float64),
        torch.tensor([[[1e-3, -5.0, 2.0], [7.0, -1e-2, 1e2]]]).double(),
    )
    Adam(0.5).step(parameter, gradient)
    torch.testing.assert_close(parameter, 0.5 * gradient.sign(), rtol=1e-4, atol=0)


def test_the_usual_momentum_multiplies_a_constant_gradient_by_ten():
    parameter = torch.zeros(1, dtype=torch.float64)
    optimizer = Momentum(1.0)
    for _ in range(400):
        before = parameter.clone()
        optimizer.step(parameter, torch.ones(1, dtype=torch.float64))
    assert (parameter - before).item() == pytest.approx(10)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Momentum(-1.0),
        lambda: Momentum(1.0, 1.0),
        lambda: Adam(float("inf")),
        lambda: Adam(1.0, beta1=1.0),
        lambda: Adam(1.0, beta2=1.0),
        lambda: Adam(torch.tensor([0.1, 0.0])),
        lambda: Adam(1.0, epsilon=0.0),
    ],
)
def test_nonsense_is_refused(make):
    with pytest.raises(ValueError, match="allowed"):
        make()


@pytest.mark.parametrize(
    ("optimizer", "memory"),
    [(Momentum, "velocity"), (Adam, "steps"), (Adam, "mean"), (Adam, "square")],
)
def test_an_optimizer_starts_without_a_memory(optimizer, memory):
    with pytest.raises(TypeError, match=memory):
        optimizer(1.0, **{memory: 1})
