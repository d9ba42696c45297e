"""The engine's inner loop, compiled: SGD with momentum in float32, one run at a time.

The same few lines as ``lib.training.gradients``, which is its reference and its fallback, in an
order that a core likes: a class's rows of Y are gathered once, its samples meet them in two small
matrix products, and nothing leaves the cache.  A third product would give g = Y(x_{T+1} - alpha) per
sample; what dz needs of it is there already: f.g is the residual times the logits, and the sum of
f * g over a class's samples is the product of a row of Y with its own gradient.
"""

import numpy as np
from numba import njit

from lib.compiled_softmax import residual_in_place

PIECE = 200  # steps whose batches are held at once: a few megabytes


@njit(fastmath=True, error_model="numpy", cache=True, nogil=True)
def move(parameter, rate, velocity, momentum):
    """parameter += rate * velocity; then velocity *= momentum, ready for the next gradient."""
    for i in range(parameter.shape[0]):
        for j in range(parameter.shape[1]):
            parameter[i, j] += rate * velocity[i, j]
            velocity[i, j] *= momentum


@njit(fastmath=True, error_model="numpy", cache=True, nogil=True)
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


@njit(fastmath=True, error_model="numpy", cache=True, nogil=True)
def advance(Y, Z, velocity_y, velocity_z, eta_y, eta_z, momentum, counts, weight, bounds, index, first, query_row,
            z_index, label_column, stands_for):
    """Take one run through ``counts`` (steps, N, t), everything in place; returns the losses (steps,).

    Y, velocity_y: (L, C); Z, velocity_z: (Q, M), velocities already decayed; weight (steps, N); bounds (steps, K + 1); index and
    z_index (K, t), rows of Y and columns of Z of each support, ``first`` of them padding.
    """
    steps, N, t = counts.shape
    C = Y.shape[1]
    F, L, logits = np.empty(N * t, Y.dtype), np.empty((N, C), Y.dtype), np.empty(C, Y.dtype)
    attention_slope, offset = np.empty(t, Y.dtype), np.float32(np.log(stands_for))
    rows_of_y, into_y = np.empty((t, C), Y.dtype), np.empty((t, C), Y.dtype)
    z, weights, exponent = np.empty(t, Y.dtype), np.empty(t, Y.dtype), np.empty(C, np.int32)
    power = exponent.view(np.float32)
    losses = np.zeros(steps)
    for s in range(steps):
        for n in range(len(index)):
            a, b, skip = bounds[s, n], bounds[s, n + 1], first[n]
            if a == b:
                continue
            w = t - skip
            f, residual = F[:(b - a) * w].reshape(b - a, w), L[:b - a]
            for i in range(w):
                z[i] = Z[query_row[n], z_index[n, skip + i]]
                row = index[n, skip + i]
                for j in range(C):
                    rows_of_y[i, j] = Y[row, j]
            weights[:w] = np.exp(z[:w] - z[:w].max())
            for i in range(b - a):
                normalized_attention(f[i], counts[s, a + i, skip:], z, weights)
            np.dot(f, rows_of_y[:w], residual)                # logits, soon weight * (e_label - softmax)
            attention_slope[:w] = 0
            for i in range(b - a):
                for j in range(C):
                    logits[j] = residual[i, j]
                residual[i, -1] += offset
                share = weight[s, a + i]
                losses[s] += share * residual_in_place(residual[i], label_column[n], share, exponent, power)
                along = np.float32(0)                         # f.g
                for j in range(C):
                    along += residual[i, j] * logits[j]
                for j in range(w):
                    attention_slope[j] -= f[i, j] * f[i, j] * along
            np.dot(f.T, residual, into_y[:w])
            for i in range(w):
                row, inner = index[n, skip + i], np.float32(0)
                for j in range(C):
                    inner += into_y[i, j] * rows_of_y[i, j]   # the sum of f * g over the samples
                into_y[i, -1] /= stands_for
                for j in range(C):
                    velocity_y[row, j] += into_y[i, j]
                velocity_z[query_row[n], z_index[n, skip + i]] += inner + attention_slope[i]
        move(Y, eta_y, velocity_y, momentum)
        move(Z, eta_z, velocity_z, momentum)
    return losses


def run_compiled(state, batches, eta_y, eta_z, momentum, times):
    """``lib.training.run_torch``'s loop for a float32 ``State`` under SGD with momentum.

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
