"""The compiled softmax, its shortfall and the output layer against torch in float64."""

import itertools
import runpy

import numba
import numpy as np
import pytest
import torch
from numba import njit
from torch.nn import functional

from lib import kernels
from lib.kernels import coarse_slopes, normalized_attention, shortfall_in_place, slopes
from lib.real_text.fused_loss import slopes_in_place


def test_residual_is_the_label_minus_softmax():
    rng = np.random.default_rng(0)
    exponent = np.empty(50, dtype=np.int32)
    for scale in (0.0, 1.0, 10.0, 300.0):
        logits = (scale * rng.normal(size=50)).astype(np.float32)
        row = logits.copy()
        loss = shortfall_in_place(row, 7, np.float32(0.25), exponent, exponent.view(np.float32))
        reference = torch.softmax(torch.as_tensor(logits).double(), dim=0).numpy()
        np.testing.assert_allclose(row, 0.25 * (np.eye(50)[7] - reference), atol=5e-7)
        expected = float(torch.logsumexp(torch.as_tensor(logits).double(), 0)) - logits[7]
        assert loss == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(
    "dtype, tolerance", [(torch.float32, 2e-5), (torch.bfloat16, 1.01 * 2**-8)]
)
def test_slopes_are_the_gradient_of_the_mean_cross_entropy(dtype, tolerance):
    """Also when one logit is far above the others.  tolerance: of each slope, relative; bfloat16
    rounds to the nearest of 8 bits.
    """
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


def test_compiled_and_cached_code_agree_to_the_last_bit(tmp_path, monkeypatch):
    """Who reads the file first compiles it, who reads it again finds the code in numba's cache:
    stored chapters must not depend on which.
    """
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    def run():
        made, rng = runpy.run_path(kernels.__file__)["slopes"], np.random.default_rng(0)
        logits, bias = (rng.normal(size=shape).astype(np.float32) for shape in ((9, 777), 777))
        made(logits, bias, np.arange(9), np.zeros_like(bias))
        return logits.tobytes(), sum(made.stats.cache_hits.values())

    (first, none), (second, one) = run(), run()
    assert (none, one) == (0, 1) and first == second


def neighbors(arrays, order, gap):
    """Copies of ``arrays`` in one piece of memory, in that order, ``gap`` bytes between them."""
    memory = np.zeros(sum(array.nbytes + gap for array in arrays) + 64, np.uint8)
    copies, at = [None] * len(arrays), -memory.ctypes.data % 64
    for k in order:
        copies[k] = memory[at : at + arrays[k].nbytes].view(arrays[k].dtype)
        copies[k] = copies[k].reshape(arrays[k].shape)
        copies[k][...] = arrays[k]
        at += arrays[k].nbytes + gap
    return copies


@njit(fastmath=True, error_model="numpy")
def attention(f, counts, z, weights):
    normalized_attention(f, counts, z, weights)
    return 0.0


@njit(fastmath=True, error_model="numpy")
def shortfall(row, exponent):
    return shortfall_in_place(row, 1, np.float32(0.3), exponent, exponent.view(np.float32))


@pytest.mark.parametrize("width", range(5, 50))
def test_results_do_not_depend_on_where_arrays_lie(width):
    """The heap decides that, and with it which branch compiled code takes before a loop.

    Whoever stores and sums in one loop gets two orders of summation, and another last bit.
    """
    rng = np.random.default_rng(width)
    z, row, bias = rng.normal(size=(3, width)).astype(np.float32)
    counts = rng.integers(0, 9, width).astype(np.float32)
    exponent, zeros = np.zeros(width, np.int32), np.zeros(width, np.float32)
    logits = rng.normal(size=(2, width)).astype(np.float32)
    for kernel, arrays in (
        (attention, (zeros, counts, z, np.exp(z - z.max()))),
        (attention, (zeros, counts * (z < z.max()), 100 * z, np.exp(100 * (z - z.max())))),
        (shortfall, (row, exponent)),
        (slopes, (logits, bias, np.array([1, 2]), zeros)),
    ):
        seen = set()
        for order in itertools.permutations(range(len(arrays))):
            for gap in (0, 16, 1024):
                copies = neighbors(arrays, order, gap)
                value = kernel(*copies)
                seen.add((value, *(copy.tobytes() for copy in copies)))
        assert len(seen) == 1, kernel.__name__


def test_attention_of_a_sample_without_the_weightiest_token_depends_on_differences_alone():
    """Its weights underflow, so its own largest logit takes the place of the row's."""
    counts, z = np.array([2, 1, 0], np.float32), np.array([-50, -51, 60], np.float32)
    expected = np.array([2, np.exp(-1.0), 0]) / np.hypot(2, np.exp(-1.0))
    for shift in (0.0, 100.0):
        moved = (z + np.float32(shift)).astype(np.float32)
        f = np.empty(3, np.float32)
        normalized_attention(f, counts, moved, np.exp(moved - moved.max()))
        np.testing.assert_allclose(f, expected, rtol=1e-5)


def test_coarse_slopes_are_the_fine_ones_as_torch_rounds_them():
    """A million entries, some twenty of which lie halfway between two: those go to even."""
    rng = np.random.default_rng(0)
    logits = torch.from_numpy(2 * rng.normal(size=(500, 2000)).astype(np.float32)).bfloat16()
    fine, coarse = logits.float().numpy(), logits.view(torch.uint16).numpy().copy()
    targets, none = rng.integers(0, 2000, 500), np.zeros(2000, np.float32)
    slopes(fine, none, targets, np.zeros(2000, np.float32))
    coarse_slopes(coarse, none, targets, np.zeros(2000, np.float32))
    assert (fine.view(np.uint32) & 0xFFFF == 0x8000).sum() > 5
    assert (torch.from_numpy(fine).bfloat16().view(torch.uint16).numpy() == coarse).all()
