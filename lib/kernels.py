"""Compiled inner loops of both kinds of training, in single precision.

Softmax with its gradient, the output layer of a text model, and one run of the (Y, Z) engine under
SGD with momentum.  Plain counterparts: ``lib.scan_snap.engine.reference`` and
``lib.real_text.fused_loss``.

Results must not depend on whether code was just compiled or comes from the cache, or on where in
memory the arrays lie.  Therefore all is in one file and helper functions are inlined, because code
with a linked helper sums in another order when it comes from the cache.  No loop both stores and
sums: before a loop stores several numbers at once, compiled code tests whether two arrays lie
within some 256 bytes of each other, and its other branch would sum in another order.  To keep
compiling short, no array is assigned to another as a whole and none is reshaped, because numba
would compile its error messages for shapes that do not fit.

exp is a polynomial of degree 5, good to 1e-7.  A row is small enough for the cache of one core.
"""

from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial
from numpy.typing import NDArray

from lib.arrays import Array, Ids
from lib.compiled import njit

LOG2_E = np.float32(1.4426950408889634)
# 2^r on [-1, 0]: the polynomial of degree 5 through six Chebyshev nodes, relative error 1e-7.
EXP2 = tuple(
    Chebyshev.interpolate(np.exp2, 5, domain=[-1, 0])
    .convert(kind=Polynomial)
    .coef.astype(np.float32)
)
HALF = np.uint32(16)  # bits: a bfloat16 is the upper half of a float32


@njit(nogil=True, inline="always")
def ordered(bits: np.int32) -> np.int32:
    """The bits of a float32 as an integer that grows with the float; its own inverse.

    Of negative floats the raw bits fall.
    """
    return bits ^ ((bits >> np.int32(31)) & np.int32(0x7FFFFFFF))


@njit(fastmath=True, error_model="numpy", nogil=True, inline="always")
def shortfall_in_place(
    row: Array, label: int, share: float, exponent: NDArray[np.int32], power: Array
) -> float:
    """Logits (C,) become share * (e_label - softmax); returns -log softmax[label].

    exp(x) = 2^k 2^r: the power of two is written as bits, ``power`` is ``exponent`` seen as
    float32. The largest logit is found among whole numbers, sixteen at a time, as numba does not do
    for floating point.
    """
    bits, largest_bits = row.view(np.int32), np.int32(-np.iinfo(np.int32).max)
    for j in range(len(row)):
        largest_bits = max(largest_bits, ordered(bits[j]))
    exponent[0] = ordered(largest_bits)
    largest = power[0]
    ahead = row[label] - largest
    for j in range(len(row)):
        x = max((row[j] - largest) * LOG2_E, np.float32(-126))
        k = np.int32(x)  # towards zero: x <= 0, so r in (-1, 0]
        r = x - np.float32(k)
        row[j] = EXP2[0] + r * (
            EXP2[1] + r * (EXP2[2] + r * (EXP2[3] + r * (EXP2[4] + r * EXP2[5])))
        )
        exponent[j] = (k + np.int32(127)) << np.int32(23)
    total = np.float32(0)
    for j in range(len(row)):
        row[j] *= power[j]
    for j in range(len(row)):
        total += row[j]
    scale = -share / total
    for j in range(len(row)):
        row[j] *= scale
    row[label] += share
    return np.log(total) - ahead


@njit(fastmath=True, error_model="numpy", cache=True, nogil=True)
def slopes(logits: Array, bias: Array, targets: Ids, bias_slope: Array) -> float:
    """Mean cross-entropy of softmax(logits + bias), with its gradient.

    The gradient overwrites logits (N, V) and is added to bias_slope (V,).
    """
    exponent = np.empty(len(bias), np.int32)
    share, loss = np.float32(-1 / len(logits)), 0.0
    for i in range(len(logits)):
        for j in range(len(bias)):
            logits[i, j] += bias[j]
        loss += shortfall_in_place(
            logits[i], targets[i], share, exponent, exponent.view(np.float32)
        )
        for j in range(len(bias)):
            bias_slope[j] += logits[i, j]
    return loss / len(logits)


@njit(fastmath=True, error_model="numpy", cache=True, nogil=True)
def coarse_slopes(
    halves: NDArray[np.uint16], bias: Array, targets: Ids, bias_slope: Array
) -> float:
    """``slopes`` for logits in bfloat16, given as 16-bit unsigned integers."""
    exponent, row = np.empty(len(bias), np.int32), np.empty(len(bias), np.float32)
    bits = row.view(np.uint32)
    share, loss = np.float32(-1 / len(halves)), 0.0
    for i in range(len(halves)):
        for j in range(len(bias)):
            bits[j] = np.uint32(halves[i, j]) << HALF
        for j in range(len(bias)):
            row[j] += bias[j]
        loss += shortfall_in_place(row, targets[i], share, exponent, exponent.view(np.float32))
        for j in range(len(bias)):
            bias_slope[j] += row[j]
        for j in range(len(bias)):  # to the nearest bfloat16, ties to even
            halves[i, j] = np.uint16(
                (bits[j] + np.uint32(0x7FFF) + ((bits[j] >> HALF) & np.uint32(1))) >> HALF
            )
    return loss / len(halves)


@njit(fastmath=True, error_model="numpy", nogil=True, inline="always")
def move(parameter: Array, rate: float, velocity: Array, momentum: float) -> None:
    """parameter += rate * velocity; then velocity *= momentum, ready for the next gradient."""
    for i in range(parameter.shape[0]):
        for j in range(parameter.shape[1]):
            parameter[i, j] += rate * velocity[i, j]
            velocity[i, j] *= momentum


@njit(fastmath=True, error_model="numpy", nogil=True, inline="always")
def normalized_attention(f: Array, counts: Array, z: Array, weights: Array) -> None:
    """f = LN(X^T b) of one sample, written into f (t,).

    counts (t,), logits z (t,), weights = exp(z - max z), all on the support.

    A sample that lacks every token of sizeable weight takes its own maximum instead.
    """
    square = np.float32(0)
    for i in range(len(f)):
        f[i] = counts[i] * weights[i]
    for i in range(len(f)):
        square += f[i] * f[i]
    if square < np.float32(1e-20):
        largest = np.float32(-np.finfo(np.float32).max)
        for i in range(len(f)):
            largest = max(largest, z[i]) if counts[i] > 0 else largest
        square = np.float32(0)
        for i in range(len(f)):
            f[i] = counts[i] * np.exp(min(z[i] - largest, np.float32(0)))
        for i in range(len(f)):
            square += f[i] * f[i]
    scale = 1 / np.sqrt(square)
    for i in range(len(f)):
        f[i] *= scale


@njit(fastmath=True, error_model="numpy", nogil=True, inline="always")
def gather(
    Y: Array, z_m: Array, rows: Ids, columns: Ids, rows_of_y: Array, z: Array, weights: Array
) -> None:
    """Copy what a class's support touches: rows of Y to rows_of_y (w, C), logits of z_m to z.

    Writes weights = exp(z - max z), too.
    """
    largest = np.float32(-np.finfo(np.float32).max)
    for i in range(len(rows)):
        z[i] = z_m[columns[i]]
        largest = max(largest, z[i])
        row = rows[i]  # read once: the compiler cannot know that the loop leaves it alone
        for j in range(Y.shape[1]):
            rows_of_y[i, j] = Y[row, j]
    for i in range(len(rows)):
        weights[i] = np.exp(z[i] - largest)


@njit(fastmath=True, error_model="numpy", nogil=True, inline="always")
def scatter(
    into_y: Array,
    rows_of_y: Array,
    slope: Array,
    rows: Ids,
    columns: Ids,
    velocity_y: Array,
    velocity_z: Array,
) -> None:
    """Add a class's gradients to the velocities; that of z is sum f * g minus f^2 (f.g)."""
    for i in range(len(rows)):
        row, inner = rows[i], np.float32(0)
        for j in range(into_y.shape[1]):
            inner += into_y[i, j] * rows_of_y[i, j]  # the sum of f * g over the samples
        for j in range(into_y.shape[1]):
            velocity_y[row, j] += into_y[i, j]
        velocity_z[columns[i]] += inner + slope[i]


@njit(fastmath=True, error_model="numpy", cache=True, nogil=True)
def advance(
    run: tuple[Any, ...], batches: tuple[Array, Array, Ids], tables: tuple[Ids, ...]
) -> Array:
    """Take one run through its batches, in place; returns the losses (steps,).

    run: Y, Z, velocity_y (L, C), velocity_z (Q, M), velocities already decayed; the rates of both
    and the momentum.  batches: counts (steps, N, t), weight (steps, N), bounds (steps, K + 1).
    tables, for each class: rows of Y (K, t), how many of them are padding in front (K,), the row
    of Z (K,), columns of Z (K, t), the label's column of Y (K,).
    """
    Y, Z, velocity_y, velocity_z, eta_y, eta_z, momentum = run
    (counts, weight, bounds), (index, first, query_row, z_index, label) = batches, tables
    (steps, N, t), C = counts.shape, Y.shape[1]
    L, logits = np.empty((N, C), Y.dtype), np.empty(C, Y.dtype)
    slope, losses = np.empty(t, Y.dtype), np.zeros(steps)
    rows_of_y, into_y = np.empty((t, C), Y.dtype), np.empty((t, C), Y.dtype)
    z, weights, exponent = np.empty(t, Y.dtype), np.empty(t, Y.dtype), np.empty(C, np.int32)
    power = exponent.view(np.float32)
    for s in range(steps):
        for n in range(len(index)):
            a, b, w = bounds[s, n], bounds[s, n + 1], t - first[n]
            if a == b:
                continue
            f, shortfall = np.empty((b - a, w), Y.dtype), L[: b - a]
            rows, columns, m = index[n, first[n] :], z_index[n, first[n] :], query_row[n]
            gather(Y, Z[m], rows, columns, rows_of_y, z, weights)
            for i in range(b - a):
                normalized_attention(f[i], counts[s, a + i, first[n] :], z, weights)
            np.dot(f, rows_of_y[:w], shortfall)  # logits, soon weight * (e_label - softmax)
            for j in range(w):
                slope[j] = 0
            for i in range(b - a):
                share, along = weight[s, a + i], np.float32(0)
                for j in range(C):
                    logits[j] = shortfall[i, j]
                losses[s] += share * shortfall_in_place(
                    shortfall[i], label[n], share, exponent, power
                )
                for j in range(C):
                    along += shortfall[i, j] * logits[j]  # f.g
                for j in range(w):
                    slope[j] -= f[i, j] * f[i, j] * along
            np.dot(f.T, shortfall, into_y[:w])
            scatter(into_y, rows_of_y, slope, rows, columns, velocity_y, velocity_z[m])
        move(Y, eta_y, velocity_y, momentum)
        move(Z, eta_z, velocity_z, momentum)
    return losses
