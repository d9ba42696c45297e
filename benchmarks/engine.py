"""Figure 6's sweep of 640 runs beside the obvious implementation.

The obvious one: sequences, one-hot, automatic differentiation, torch.optim, one run at a time.
A few of its steps are timed and extrapolated; everything runs on one core, in this process.
"""

import resource
import time

import numpy as np
import torch

from lib.scan_snap.engine.train import train
from lib.scan_snap.published import QUERIES, SEEDS, figure_6_sweep
from lib.scan_snap.sequence_classes import syn_medium
from lib.scan_snap.sparsity import distinct_entropy

STEPS = 100
CELLS = 16


def seconds(work, repeat=1):
    """CPU seconds of this process for ``work()``, the best of ``repeat``: honest on a busy
    machine.
    """
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def obvious_run(classes, eta_y, eta_z, steps, seed, batch_size=128, T=128, momentum=0.9):
    """Train one run the way one would write it first; returns Y and Z."""
    rng, M = np.random.default_rng(seed), classes.vocab_size
    Y, Z = (
        torch.tensor(
            rng.uniform(-1, 1, (M, M)) / np.sqrt(M), dtype=torch.float32, requires_grad=True
        )
        for _ in range(2)
    )
    optimizer = torch.optim.SGD(
        [{"params": [Y], "lr": eta_y}, {"params": [Z], "lr": eta_z}], momentum=momentum
    )
    for _ in range(steps):
        tokens, query, target = (
            torch.as_tensor(part) for part in classes.sample(batch_size, T, rng)
        )
        X = torch.nn.functional.one_hot(tokens, M).float()  # (B, T-1, M)
        b = torch.softmax((X @ Z[query].unsqueeze(-1)).squeeze(-1), dim=-1)  # (B, T-1)
        attended = (X.mT @ b.unsqueeze(-1)).squeeze(-1)  # (B, M)
        logits = torch.nn.functional.normalize(attended, dim=-1) @ Y
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(logits, target).backward()
        optimizer.step()
    return Y.detach(), Z.detach()


def whole_sweep(engine):
    """All 640 runs, data, initialization and entropies included."""
    for q in QUERIES:
        run = figure_6_sweep(q, range(SEEDS), steps=STEPS, engine=engine)
        distinct_entropy(run.attention[:, :, -1], run.layout.classes)


def main():
    """Print the comparison; the compiled engine's bars are 10 s and 1 GB."""
    torch.set_num_threads(1)
    train(syn_medium(1), 1.0, 1.0, steps=2, init="uniform")  # compiles, or loads what was compiled
    obvious_run(syn_medium(1), 1.0, 1.0, 2, 0)  # the first call loads what torch loads late
    per_run, total = [], len(QUERIES) * CELLS * SEEDS
    for q in QUERIES:
        spent = seconds(lambda q=q: obvious_run(syn_medium(q), 2.0, 1.0, 5, 0))
        per_run.append(spent / 5 * STEPS)
        print(f"  obvious, {q:2d} queries: {per_run[-1]:6.2f} s per run (5 steps timed)")
    for engine in ("reference", "compiled"):
        spent = seconds(lambda engine=engine: whole_sweep(engine), repeat=3)
        print(
            f"{engine:8s}: {total} runs in {spent:5.2f} s CPU ({total / spent:6.1f} runs/s),"
            f" {np.mean(per_run) * total / spent:5.0f} times the obvious one"
            f" {'MISSED: bar 10 s' if engine == 'compiled' and spent > 10 else 'ok'}"
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"peak memory of this process: {peak:.2f} GB   {'ok' if peak < 1 else 'MISSED: bar 1 GB'}"
    )


if __name__ == "__main__":
    main()
