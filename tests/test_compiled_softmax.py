"""The compiled softmax and its residual against torch in float64."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from lib.compiled_softmax import residual_in_place, slopes_in_place


def test_residual_is_the_label_minus_softmax():
    rng = np.random.default_rng(0)
    exponent = np.empty(50, dtype=np.int32)
    for scale in (0.0, 1.0, 10.0, 300.0):
        logits = (scale * rng.normal(size=50)).astype(np.float32)
        row = logits.copy()
        loss = residual_in_place(row, 7, np.float32(0.25), exponent, exponent.view(np.float32))
        reference = torch.softmax(torch.as_tensor(logits).double(), dim=0).numpy()
        np.testing.assert_allclose(row, 0.25 * (np.eye(50)[7] - reference), atol=5e-7)
        expected = float(torch.logsumexp(torch.as_tensor(logits).double(), 0)) - logits[7]
        assert loss == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("dtype, tolerance", [(torch.float32, 2e-5), (torch.bfloat16, 1.01 * 2**-8)])
def test_slopes_are_the_gradient_of_the_mean_cross_entropy(dtype, tolerance):
    """Also when one logit is far above the others.  tolerance: of each slope, relative; bfloat16 rounds to the nearest of 8 bits."""
    generator = torch.Generator().manual_seed(0)
    logits, bias = 4 * torch.randn(9, 40, generator=generator), torch.randn(40, generator=generator)
    logits[3, 5], targets = 200.0, torch.randint(40, (9,), generator=generator)
    seen = logits.to(dtype)
    exact = (seen.double() + bias.double()).requires_grad_()
    expected = functional.cross_entropy(exact, targets)
    expected.backward()
    loss, bias_slope = slopes_in_place(seen, bias, targets)
    assert loss == pytest.approx(expected.item(), rel=1e-6)
    assert ((seen.double() - exact.grad).abs() <= tolerance * exact.grad.abs() + 2e-7 / 9).all()
    assert (bias_slope.double() - exact.grad.sum(dim=0)).abs().max() < 1e-6
