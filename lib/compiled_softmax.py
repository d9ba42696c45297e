"""Softmax and its residual in float32, compiled, in place: the heart of every cross-entropy here.

exp is a polynomial of degree 5 in single precision, good to 1e-7; rows never leave the cache.
Plain counterparts: ``torch.log_softmax`` in ``lib.training`` and ``lib.fused_loss``.
"""

import numpy as np
import torch
from numba import njit
from numpy.polynomial import Chebyshev, Polynomial

LOG2_E = np.float32(1.4426950408889634)
# 2^r on [-1, 0]: the polynomial of degree 5 through six Chebyshev nodes, relative error 1e-7.
EXP2 = tuple(Chebyshev.interpolate(np.exp2, 5, domain=[-1, 0]).convert(kind=Polynomial).coef.astype(np.float32))
HALF = np.uint32(16)  # bits: a bfloat16 is the upper half of a float32


@njit(fastmath=True, error_model="numpy", cache=True, nogil=True)
def residual_in_place(row, label, share, exponent, power):
    """Logits (C,) become share * (e_label - softmax); returns -log softmax[label].

    exp(x) = 2^k 2^r: the power of two is written as bits, ``power`` is ``exponent`` seen as float32.
    """
    largest = row[0]
    for j in range(len(row)):
        largest = max(largest, row[j])
    ahead = row[label] - largest
    for j in range(len(row)):
        x = max((row[j] - largest) * LOG2_E, np.float32(-126))
        k = np.int32(x)                                       # towards zero: x <= 0, so r in (-1, 0]
        r = x - np.float32(k)
        row[j] = EXP2[0] + r * (EXP2[1] + r * (EXP2[2] + r * (EXP2[3] + r * (EXP2[4] + r * EXP2[5]))))
        exponent[j] = (k + np.int32(127)) << np.int32(23)
    total = np.float32(0)
    for j in range(len(row)):
        row[j] *= power[j]
        total += row[j]
    scale = -share / total
    for j in range(len(row)):
        row[j] *= scale
    row[label] += share
    return np.log(total) - ahead


@njit(fastmath=True, error_model="numpy", cache=True, nogil=True)
def _slopes(logits, bias, targets, bias_slope):
    exponent = np.empty(len(bias), np.int32)
    share, loss = np.float32(-1 / len(logits)), 0.0
    for i in range(len(logits)):
        for j in range(len(bias)):
            logits[i, j] += bias[j]
        loss += residual_in_place(logits[i], targets[i], share, exponent, exponent.view(np.float32))
        for j in range(len(bias)):
            bias_slope[j] += logits[i, j]
    return loss / len(logits)


@njit(fastmath=True, error_model="numpy", cache=True, nogil=True)
def _coarse_slopes(halves, bias, targets, bias_slope):
    exponent, row = np.empty(len(bias), np.int32), np.empty(len(bias), np.float32)
    bits = row.view(np.uint32)
    share, loss = np.float32(-1 / len(halves)), 0.0
    for i in range(len(halves)):
        for j in range(len(bias)):
            bits[j] = np.uint32(halves[i, j]) << HALF
        for j in range(len(bias)):
            row[j] += bias[j]
        loss += residual_in_place(row, targets[i], share, exponent, exponent.view(np.float32))
        for j in range(len(bias)):
            bias_slope[j] += row[j]
        for j in range(len(bias)):                            # to the nearest bfloat16, ties to even
            halves[i, j] = np.uint16((bits[j] + np.uint32(0x7FFF) + ((bits[j] >> HALF) & np.uint32(1))) >> HALF)
    return loss / len(halves)


def slopes_in_place(logits, bias, targets):
    """Mean cross-entropy of ``softmax(logits + bias)`` and its gradient, which overwrites ``logits``.

    logits: (N, V) float32 or bfloat16 on the CPU, contiguous; bias: (V,) float32; targets: (N,) ids.
    Returns (loss as a float, gradient in the bias (V,)).
    """
    bias_slope = torch.zeros_like(bias)
    rest = bias.numpy(), targets.numpy(), bias_slope.numpy()
    if logits.dtype == torch.bfloat16:
        return _coarse_slopes(logits.view(torch.uint16).numpy(), *rest), bias_slope
    return _slopes(logits.numpy(), *rest), bias_slope
