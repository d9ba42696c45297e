"""Figure 6's sweep of 640 runs beside the obvious implementation, and how its cost grows.

The obvious one: sequences, one-hot, automatic differentiation, torch.optim, one run at a time.
A few of its steps are timed and extrapolated; everything runs on one core, in this process.
"""

import resource
import time

import numpy as np
import torch

from lib.measure import power_law
from lib.scan_snap.engine.train import train
from lib.scan_snap.published import QUERIES, RATIOS, SEEDS, figure_6_sweep
from lib.scan_snap.sequence_classes import SequenceClasses, syn_medium
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


def matmul_gflops(size=1024):
    """What this core does on a float32 matrix product, here and now."""
    a = torch.randn(size, size)
    return 2 * size**3 / seconds(lambda: a @ a, repeat=5) / 1e9


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


def needed_gflop(steps=STEPS):
    """Two products of a sample's ~20 present tokens with M columns, per sample and step, for the
    whole sweep.

    The obvious implementation needs a third one, for g per sample.  It can go: f.g is r times the
    logits, and f * g summed over a class's samples is a row of Y times their share of dJ/dY.
    """
    tables = [syn_medium(q) for q in QUERIES]
    return (
        sum(2 * 2 * 128 * c.support.sum(axis=1).mean() * c.vocab_size for c in tables)
        * steps
        * CELLS
        * SEEDS
        / 1e9
    )


def whole_sweep(engine):
    """All 640 runs, data, initialization and entropies included."""
    for q in QUERIES:
        run = figure_6_sweep(q, range(SEEDS), steps=STEPS, engine=engine)
        distinct_entropy(run.attention[:, :, -1], run.layout.classes)


def padded(M, K=6):
    """Syn-Medium with K classes in a vocabulary of M tokens, the extra ones never emitted."""
    small = syn_medium(K // 2)
    table = np.zeros((K, M))
    table[:, : small.vocab_size] = small.conditional
    return SequenceClasses(table, small.query, small.next_token)


def slopes():
    """Exponent of the cost in each size, by a power law through four points: ``{name: (sizes,
    exponent)}``.
    """

    def cost(classes, seeds=(0,), **options):
        eta = np.repeat([0.5, 1.0, 2.0, 3.0], 4)
        return seconds(
            lambda: train(
                classes,
                eta * np.tile(RATIOS, 4),
                eta,
                steps=30,
                init="uniform",
                seeds=seeds,
                **options,
            ),
            repeat=2,
        )

    studies = {
        "K": ((4, 8, 16, 32), lambda K: cost(syn_medium(K // 2))),
        "M": ((100, 200, 400, 800), lambda M: cost(padded(M))),
        "T": ((32, 128, 512, 2048), lambda T: cost(syn_medium(3), T=T)),
        "B": ((64, 128, 256, 512), lambda B: cost(syn_medium(3), batch_size=B)),
        "runs": ((16, 32, 64, 128), lambda runs: cost(syn_medium(3), seeds=range(runs // 16))),
    }
    return {
        name: (sizes, power_law(sizes, [measure(size) for size in sizes]).exponent)
        for name, (sizes, measure) in studies.items()
    }


def main():
    """Print the comparison; the compiled engine's bars are 10 s and 1 GB."""
    torch.set_num_threads(1)
    train(syn_medium(1), 1.0, 1.0, steps=2, init="uniform")  # compiles, or loads what was compiled
    core, total = matmul_gflops(), len(QUERIES) * CELLS * SEEDS
    print(f"matmul on this core: {core:.0f} GFLOP/s; the sweep needs {needed_gflop():.0f} GFLOP")
    per_run, _ = (
        [],
        obvious_run(syn_medium(1), 1.0, 1.0, 2, 0),
    )  # the first call loads what torch loads late
    for q in QUERIES:
        spent = seconds(lambda q=q: obvious_run(syn_medium(q), 2.0, 1.0, 5, 0))
        per_run.append(spent / 5 * STEPS)
        print(f"  obvious, {q:2d} queries: {per_run[-1]:6.2f} s per run (5 steps timed)")
    obvious = np.mean(per_run)
    for engine in ("reference", "compiled"):
        spent = seconds(lambda engine=engine: whole_sweep(engine), repeat=3)
        print(
            f"{engine:8s}: {total} runs in {spent:5.2f} s CPU ({total / spent:6.1f} runs/s),"
            f" {obvious * total / spent:5.0f} times the obvious one, {needed_gflop() / spent:4.1f}"
            f" GFLOP/s = {needed_gflop() / spent / core:.0%} of matmul  "
            f" {'MISSED: bar 10 s' if engine == 'compiled' and spent > 10 else 'ok'}"
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"peak memory of this process: {peak:.2f} GB   {'ok' if peak < 1 else 'MISSED: bar 1 GB'}"
    )
    for name, (sizes, exponent) in slopes().items():
        print(f"cost ~ {name}^{exponent:.2f} for {name} from {sizes[0]} to {sizes[-1]}")


if __name__ == "__main__":
    main()
