"""The engine's inner loop, compiled: SGD with momentum in float32, one run at a time.

The same few lines as ``lib.training.gradients``, which is its reference and its fallback, in an
order that a core likes: a class's rows of Y are gathered once, its samples meet them in three
small matrix products, and nothing leaves the cache.
"""

import numpy as np
from numba import njit
from numpy.polynomial import Chebyshev, Polynomial

LOG2_E = np.float32(1.4426950408889634)
# 2^r on [-1, 0]: the polynomial of degree 5 through six Chebyshev nodes, relative error 1e-7.
EXP2 = tuple(Chebyshev.interpolate(np.exp2, 5, domain=[-1, 0]).convert(kind=Polynomial).coef.astype(np.float32))
PIECE = 200  # steps whose batches are held at once: a few megabytes


@njit(fastmath=True, cache=True, nogil=True)
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


@njit(fastmath=True, cache=True, nogil=True)
def decay(velocity, momentum):
    """velocity *= momentum."""
    for i in range(velocity.shape[0]):
        for j in range(velocity.shape[1]):
            velocity[i, j] *= momentum


@njit(fastmath=True, cache=True, nogil=True)
def add(parameter, rate, velocity):
    """parameter += rate * velocity."""
    for i in range(parameter.shape[0]):
        for j in range(parameter.shape[1]):
            parameter[i, j] += rate * velocity[i, j]


@njit(fastmath=True, cache=True, nogil=True)
def normalized_attention(f, counts, z, weights):
    """f = LN(X^T b) of one sample: counts (t,), logits z (t,) and weights = exp(z - max z) on the support.

    A sample that lacks every token of sizeable weight takes its own maximum instead.
    """
    square = np.float32(0)
    for i in range(len(f)):
        f[i] = counts[i] * weights[i]
        square += f[i] * f[i]
    if square < np.float32(1e-20):
        largest = np.float32(-np.finfo(np.float32).max)
        for i in range(len(f)):
            largest = max(largest, z[i]) if counts[i] > 0 else largest
        square = np.float32(0)
        for i in range(len(f)):
            f[i] = counts[i] * np.exp(min(z[i] - largest, np.float32(0)))
            square += f[i] * f[i]
    scale = 1 / np.sqrt(square)
    for i in range(len(f)):
        f[i] *= scale


@njit(fastmath=True, cache=True, nogil=True)
def advance(Y, Z, velocity_y, velocity_z, eta_y, eta_z, momentum, counts, weight, bounds, index, first, query_row,
            z_index, label_column, stands_for):
    """Take one run through ``counts`` (steps, N, t), everything in place; returns the losses (steps,).

    Y, velocity_y: (L, C); Z, velocity_z: (Q, M); weight (steps, N); bounds (steps, K + 1); index and
    z_index (K, t), rows of Y and columns of Z of each support, ``first`` of them padding.
    """
    steps, N, t = counts.shape
    C = Y.shape[1]
    F, R, G = np.empty(N * t, Y.dtype), np.empty((N, C), Y.dtype), np.empty(N * t, Y.dtype)
    rows_of_y, into_y = np.empty((t, C), Y.dtype), np.empty((t, C), Y.dtype)
    z, weights, exponent = np.empty(t, Y.dtype), np.empty(t, Y.dtype), np.empty(C, np.int32)
    power = exponent.view(np.float32)
    losses = np.zeros(steps)
    for s in range(steps):
        decay(velocity_y, momentum)
        decay(velocity_z, momentum)
        for n in range(len(index)):
            a, b, skip = bounds[s, n], bounds[s, n + 1], first[n]
            if a == b:
                continue
            w = t - skip
            f, g = F[:(b - a) * w].reshape(b - a, w), G[:(b - a) * w].reshape(b - a, w)
            for i in range(w):
                z[i] = Z[query_row[n], z_index[n, skip + i]]
                row = index[n, skip + i]
                for j in range(C):
                    rows_of_y[i, j] = Y[row, j]
            weights[:w] = np.exp(z[:w] - z[:w].max())
            for i in range(b - a):
                normalized_attention(f[i], counts[s, a + i, skip:], z, weights)
            residual = R[:b - a]
            np.dot(f, rows_of_y[:w], residual)
            if stands_for != 1:
                residual[:, -1] += np.log(stands_for)
            for i in range(b - a):
                share = weight[s, a + i]
                losses[s] += share * residual_in_place(residual[i], label_column[n], share, exponent, power)
            np.dot(f.T, residual, into_y[:w])
            np.dot(residual, rows_of_y[:w].T, g)
            if stands_for != 1:
                into_y[:, -1] /= stands_for
            for i in range(w):
                row = index[n, skip + i]
                for j in range(C):
                    velocity_y[row, j] += into_y[i, j]
            for i in range(b - a):
                along = np.float32(0)
                for j in range(w):
                    along += f[i, j] * g[i, j]
                for j in range(w):
                    velocity_z[query_row[n], z_index[n, skip + j]] += f[i, j] * (g[i, j] - f[i, j] * along)
        add(Y, eta_y, velocity_y)
        add(Z, eta_z, velocity_z)
    return losses


def run_compiled(state, batches, eta_y, eta_z, momentum, times):
    """``lib.training._run``'s loop for a float32 ``State`` under SGD with momentum.

    batches: an iterator; eta_y, eta_z: (R,).  Returns z (R, len(times), Q, M) and loss (R, steps);
    ``state`` ends at the last step.  Batches are drawn in pieces between the recorded times.
    """
    Y, Z, support = state.Y.numpy(), state.Z.numpy(), state.support
    velocity_y, velocity_z = np.zeros_like(Y), np.zeros_like(Z)
    layout = (support.index, np.array(state.first), support.query_row, support.tokens[support.index],
              state.label_column.numpy(), state.stands_for.numpy()[-1])
    kept, losses, now = [Z.copy()] if times[0] == 0 else [], [], 0
    for end in times[times[0] == 0:]:
        while now < end:
            piece = [next(batches) for _ in range(min(PIECE, end - now))]
            counts, weight = (np.stack([getattr(b, name) for b in piece]).astype(np.float32) for name in ("counts", "weight"))
            bounds = np.stack([b.bounds for b in piece])
            losses.append(np.stack([advance(*run, np.float32(a), np.float32(b), np.float32(momentum), counts, weight, bounds, *layout)
                                    for *run, a, b in zip(Y, Z, velocity_y, velocity_z, eta_y, eta_z, strict=True)]))
            now += len(piece)
        kept.append(Z.copy())
    return np.stack(kept, axis=1), np.concatenate(losses, axis=1)
