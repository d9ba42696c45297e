"""The engine's loop, compiled (``lib.kernels.advance``): SGD with momentum in float32, one run at a
time.

The same few lines as ``lib.scan_snap.engine.reference.gradients``, which is its reference and its
fallback, in an
order that a core likes: a class's rows of Y are gathered once, its samples meet them in two small
matrix products, and nothing leaves the cache.
"""

import numpy as np

from lib.kernels import advance

PIECE = 200  # steps whose batches are held at once: a few megabytes


def run_compiled(state, batches, eta_y, eta_z, momentum, keep):
    """``lib.scan_snap.engine.reference.run_torch``'s loop for a float32 ``State`` under SGD with
    momentum.

    batches: an iterator; eta_y, eta_z: (R,).  Returns z (R, len(keep), Q, M) and loss (R, steps);
    ``state`` ends at the last step.  Batches are drawn in pieces between the steps to keep.
    """
    Y, Z, layout = state.Y.numpy(), state.Z.numpy(), state.layout
    velocity_y, velocity_z = np.zeros_like(Y), np.zeros_like(Z)
    tables = (
        layout.index,
        (layout.probability == 0).sum(axis=1),
        layout.query_row,
        layout.tokens[layout.index],
        state.label_column.numpy(),
        state.stands_for.numpy()[-1],
    )
    kept, losses, now = [Z.copy()] if keep[0] == 0 else [], [], 0
    for end in keep[keep[0] == 0 :]:
        while now < end:
            piece = [next(batches) for _ in range(min(PIECE, end - now))]
            counts, weight = (
                np.stack([getattr(b, name) for b in piece]).astype(np.float32)
                for name in ("counts", "weight")
            )
            bounds = np.stack([b.bounds for b in piece])
            losses.append(
                np.stack(
                    [
                        advance(
                            *run,
                            np.float32(a),
                            np.float32(b),
                            np.float32(momentum),
                            counts,
                            weight,
                            bounds,
                            *tables,
                        )
                        for *run, a, b in zip(
                            Y, Z, velocity_y, velocity_z, eta_y, eta_z, strict=True
                        )
                    ]
                )
            )
            now += len(piece)
        kept.append(Z.copy())
    return np.stack(kept, axis=1), np.concatenate(losses, axis=1)
