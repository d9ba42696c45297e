"""The fused output layer is cross-entropy, value and gradient."""

import pytest
import torch
from torch.nn import functional

from lib.real_text.fused_loss import LinearCrossEntropy


@pytest.mark.parametrize(
    "dtype, coarse, tolerance",
    [
        (torch.float64, False, 1e-12),
        (torch.float64, True, 2e-2),
        (torch.float32, False, 2e-6),
        (torch.float32, True, 2e-2),
    ],
)
def test_agrees_with_cross_entropy(dtype, coarse, tolerance):
    """float64 takes plain torch, float32 the compiled pass."""
    generator = torch.Generator().manual_seed(0)
    shapes = {"hidden": (17, 12), "weight": (31, 12), "bias": (31,)}
    values = {
        name: torch.randn(shape, generator=generator, dtype=torch.float64).requires_grad_()
        for name, shape in shapes.items()
    }
    targets = torch.randint(31, (17,), generator=generator)
    plain = functional.cross_entropy(functional.linear(*values.values()), targets)
    expected = torch.autograd.grad(plain, list(values.values()))
    rounded = [value.detach().to(dtype).requires_grad_() for value in values.values()]
    fused = LinearCrossEntropy.apply(*rounded, targets, *[True] * coarse)  # fine unless told
    found = torch.autograd.grad(fused, rounded)
    assert fused.item() == pytest.approx(plain.item(), rel=tolerance)
    for one, other in zip(found, expected, strict=True):
        assert float((one - other).norm() / other.norm()) < tolerance


def test_large_logits_are_safe():
    hidden = torch.full((2, 1), 1000.0, requires_grad=True)
    loss = LinearCrossEntropy.apply(
        hidden, torch.tensor([[1.0], [-1.0]]), torch.zeros(2), torch.tensor([0, 0])
    )
    assert loss.item() == pytest.approx(0, abs=2e-7)
