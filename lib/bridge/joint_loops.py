"""The compiled loops of ``lib.bridge.joint_training``: slopes of the loss, one run along them."""

import numpy as np

from lib.arrays import Array, Ids
from lib.compiled import njit
from lib.mechanics.split_loops import LARGEST

FAINT = -690.0  # below it e^x has fewer digits, and products of two of them are lost much sooner


@njit(cache=True, nogil=True, error_model="numpy")
def add_slopes(
    samples: tuple[Array, Ids, Ids, Array],
    Y: Array,
    Z: Array,
    normalize: bool,
    log_scale: float,
    by_y: Array,
    by_z: Array,
) -> None:
    """Add e^log_scale dL/dY to by_y (K, C) and e^log_scale dL/dZ to by_z (q, K).

    samples: log_counts (n, K), minus infinity for absent tokens; row of Z (n,); label (n,); log
    weight (n,).  Y: (K, C).  Z: (q, K).

    With r = p - 1_label and h = Y r, sample i adds f r^T to dL/dY and to its row of dL/dZ, token l,
    the sum over j of s_l s_j (h_l - h_j), or of f_l f_j (f_j h_l - f_l h_j) when normalized
    (Lemma 1 of *Scan and Snap*).  Summed over pairs, nothing cancels that is not equal.
    """
    log_counts, row, label, log_weight = samples
    (n, K), C = log_counts.shape, Y.shape[1]
    log_f, f, h, excess = np.empty(K), np.empty(K), np.empty(K), np.empty(C)
    tokens = np.empty(K, np.int64)
    for i in range(n):
        at = row[i]
        least = _features(Z[at], log_counts[i], normalize, log_f, f)
        scale = log_weight[i] + log_scale + _excess(f, Y, label[i], excess)
        present = 0
        for j in range(K):
            if log_f[j] == -np.inf:
                continue  # what is absent pushes nothing
            h[j], force = 0.0, np.exp(min(scale + log_f[j], LARGEST))
            for c in range(C):
                h[j] += excess[c] * Y[j, c]
                by_y[j, c] += force * excess[c]
            tokens[present] = j
            present += 1
        for one in range(present):
            l = tokens[one]
            for j in tokens[:one]:
                both = scale + log_f[l] + log_f[j]
                if not normalize:
                    push = np.exp(min(both, LARGEST)) * (h[l] - h[j])
                elif least >= FAINT:
                    push = np.exp(min(both, LARGEST)) * (f[j] * h[l] - f[l] * h[j])
                else:
                    push = np.exp(min(both + log_f[j], LARGEST)) * h[l]
                    push -= np.exp(min(both + log_f[l], LARGEST)) * h[j]
                by_z[at, l] += push
                by_z[at, j] -= push


@njit(cache=True, nogil=True, error_model="numpy")
def _features(z: Array, log_count: Array, normalize: bool, log_f: Array, f: Array) -> float:
    """Writes log f and f (K,) of one sample; returns the least of log f among its tokens."""
    top, total, least = -np.inf, 0.0, np.inf
    for j in range(len(z)):
        log_f[j] = z[j] + log_count[j]
        top = max(top, log_f[j])
    for j in range(len(z)):
        log_f[j] -= top
        f[j] = np.exp(log_f[j])
        total += f[j] * f[j] if normalize else f[j]
    size = np.log(total) / 2 if normalize else np.log(total)
    for j in range(len(z)):
        log_f[j] -= size
        f[j] = np.exp(log_f[j])
        if log_f[j] > -np.inf:
            least = min(least, log_f[j])
    return least


@njit(cache=True, nogil=True, error_model="numpy")
def _excess(f: Array, Y: Array, label: int, excess: Array) -> float:
    """Writes (p - 1_label) / (1 - p_label), (C,), of one sample; returns log (1 - p_label)."""
    top, total = -np.inf, 0.0
    for c in range(len(excess)):
        excess[c] = 0.0
        for j in range(len(f)):
            excess[c] += f[j] * Y[j, c]
        if c != label:
            top = max(top, excess[c])
    own = excess[label]
    for c in range(len(excess)):
        excess[c] = np.exp(excess[c] - top) if c != label else 0.0
        total += excess[c]
    for c in range(len(excess)):
        excess[c] /= total
    excess[label] = -1.0
    ahead = own - top - np.log(total)
    return -max(0.0, ahead) - np.log1p(np.exp(-abs(ahead)))


@njit(cache=True, nogil=True, error_model="numpy")
def follow(
    samples: tuple[Array, Ids, Ids, Array],
    X: Array,
    shape: tuple[int, int],
    rates: Array,
    normalize: bool,
    times: Array,
    tolerance: float,
    most: int,
) -> float:
    """Descent in log time: fills X[i] at times[i] from X[0] at times[0].

    Heun's method beside Euler's.  X: (m, K C + q K), Y and Z side by side.  shape: (K, C).  rates:
    (eta_Y, eta_Z).  Returns the log time that it came to: not the last of ``times`` where ``most``
    steps do not lead from one to the next.
    """
    now, step, length = times[0], 0.1, X.shape[1]
    x, ahead = X[0].copy(), np.empty(length)
    first, second = np.empty(length), np.empty(length)
    _velocity(samples, x, shape, rates, normalize, now, first)
    for kept in range(1, len(times)):
        tries = 0
        while now < times[kept]:
            tries += 1
            if tries > most:
                return now
            this, error = min(step, times[kept] - now), 0.0
            for i in range(length):
                ahead[i] = x[i] + this * first[i]
            _velocity(samples, ahead, shape, rates, normalize, now + this, second)
            for i in range(length):
                apart = this / 2 * (second[i] - first[i])
                error = max(error, abs(apart))
                ahead[i] += apart
            if error <= tolerance:
                now = times[kept] if this == times[kept] - now else now + this
                for i in range(length):  # one by one: as a whole it compiles for seconds
                    x[i] = ahead[i]
                _velocity(samples, x, shape, rates, normalize, now, first)
            step = this * min(2.0, max(0.2, 0.9 * np.sqrt(tolerance / max(error, 1e-300))))
        for i in range(length):
            X[kept, i] = x[i]
    return now


@njit(cache=True, nogil=True, error_model="numpy")
def _velocity(
    samples: tuple[Array, Ids, Ids, Array],
    x: Array,
    shape: tuple[int, int],
    rates: Array,
    normalize: bool,
    log_scale: float,
    found: Array,
) -> None:
    """Writes the velocity of x, (Y, Z) as one vector with Y of ``shape`` (K, C)."""
    cut = shape[0] * shape[1]
    found[:] = 0.0
    Y, Z = x[:cut].reshape(shape), x[cut:].reshape((-1, shape[0]))
    by_y, by_z = found[:cut].reshape(shape), found[cut:].reshape((-1, shape[0]))
    add_slopes(samples, Y, Z, normalize, log_scale, by_y, by_z)
    for i in range(len(found)):
        found[i] *= -rates[0] if i < cut else -rates[1]


@njit(cache=True, nogil=True, error_model="numpy")
def moving_velocity(
    samples: tuple[Array, Ids, Ids, Array],
    held: Array,
    moves: Ids,
    point: Array,
    shape: tuple[int, int],
    rates: Array,
    normalize: bool,
    log_scale: float,
) -> Array:
    """Velocity (p,) in log time of the coordinates ``moves`` (p,) of (Y, Z), now at ``point`` (p,).

    held: (K C + q K,), Y of ``shape`` (K, C) and Z side by side; the others stay there.
    """
    x, found = held.copy(), np.empty(len(held))
    x[moves] = point
    _velocity(samples, x, shape, rates, normalize, log_scale, found)
    return found[moves]
