"""The engine's loop in plain PyTorch, any optimizer and precision: the reference and the fallback
of the compiled one.

All cells of learning rates, and as many seeds as fit, move in one pass.  A sample has some twenty
of the M tokens, so
every product with Y is sparse: a weighted sum of few rows.
"""

from contextlib import contextmanager

import numpy as np
import torch

from lib.scan_snap.yz_transformer import attend, layer_norm


def weighted_sums(table, row, weight, starts):
    """Sums of weighted rows, a sparse matrix times a dense one, for R cells at once; cells in S
    equal groups share their entries.

    table: (R, m, C).  row: (S, P), which row of its cell's table an entry takes.  weight: (R, P),
    how much of it.
    starts: (S, n) rising.  Returns (R, n, C): row j sums the entries from ``starts[:, j]`` to
    before ``starts[:, j + 1]``. PyTorch knows it as an embedding bag, which reads the rows where
    they lie.
    """
    (R, m, C), cell = table.shape, torch.arange(len(table)).view(len(row), -1, 1)
    rows, starts = row[:, None] + m * cell, starts[:, None] + row.shape[1] * cell
    return torch.nn.functional.embedding_bag(
        rows.flatten(),
        table.flatten(0, 1),
        starts.flatten(),
        mode="sum",
        per_sample_weights=weight.flatten(),
    ).view(R, -1, C)


def normalized_attention(counts, z, row):
    """f = LN(X^T b): counts (S, N, t) of S equal groups of cells, logits z (R, K, t), row (S, R /
    S, N) of R K; (R, N, t).

    LN forgives a factor, so a class's exponentials serve all its samples, but for one that lacks
    every token of sizeable weight.
    """

    def of_samples(table):
        return table.flatten(0, 1).index_select(0, row.flatten()).view(*row.shape, -1)

    f = of_samples((z - z.amax(-1, keepdim=True)).exp_()).mul_(counts[:, None])
    norm = torch.linalg.vector_norm(f, dim=-1, keepdim=True)
    f, lost = f.div_(norm), norm[..., 0] < 1e-10
    if lost.any():
        f[lost] = layer_norm(attend(of_samples(z)[lost], counts[:, None].expand_as(f)[lost]))
    return f.flatten(0, 1)


def surprisal(probability, logits, target):
    """-log of the probability of ``target`` (..., 1): from the logits where the probability is too
    small for its format.
    """
    right = probability.gather(-1, target)
    nats, lost = (
        -right.log(),
        (right < torch.finfo(right.dtype).tiny)[..., 0].nonzero(as_tuple=True),
    )
    if len(lost[0]):
        nats[lost] = torch.nn.functional.cross_entropy(
            logits[lost], target[lost][:, 0], reduction="none"
        )[:, None]
    return nats


def entries_by_pair(state, label):
    """The entries (a sample, a token) of samples of classes ``label`` (S, N), sorted by their pair
    of a query and a token:
    order (S, N t) and where each pair starts, (S, pairs)."""
    pair, pairs = state.pair[label].flatten(1), len(state.pair_z)
    size = torch.bincount(
        (pair + pairs * torch.arange(len(pair))[:, None]).flatten(), minlength=len(pair) * pairs
    ).view(len(pair), pairs)
    return pair.argsort(stable=True), size.cumsum(1) - size


def gradients(state, *batches, into=None):
    """Lemma 1, Eq. (3), for all cells: ``(dJ/dY, dJ/dZ, loss)`` in the state's layout.

    batches: S of one size, the first for the first R / S cells, and so on.
    Per sample dz = f * (g - f (f.g)) with g = Y r, r = x_{T+1} - alpha, f = LN(X^T b).  No sample's
    g is needed: f.g is r times the logits, and f * g, summed over the samples of a query, is a row
    of Y times their share of its gradient.  So the backward pass works on pairs of a query and a
    token, and most tokens meet one query.
    into: two tensors that the gradients are added to, new ones when omitted.  loss (R,) is -J.
    """
    dtype, lone, (K, t), S = state.Y.dtype, state.layout.lone, state.pair.shape, len(batches)
    grad_y, grad_z = (
        (torch.zeros_like(state.Y), torch.zeros_like(state.Z)) if into is None else into
    )
    counts, label, weight, bounds = (
        torch.as_tensor(np.stack(parts)) for parts in zip(*batches, strict=True)
    )
    weight, N, cell = (
        weight.to(dtype)[:, None],
        label.shape[1],
        torch.arange(len(state.Y)).view(S, -1, 1),
    )
    z = state.Z.flatten(1)[:, state.z_index]  # (R, K, t)
    f = normalized_attention(counts.to(dtype), z, label[:, None] + K * cell)  # (R, N, t)
    logits = weighted_sums(
        state.Y, state.index[label].flatten(1), f, torch.arange(0, N * t, t).expand(S, -1)
    )  # (R, N, C)
    seen = logits + state.stands_for.log() if state.compressed else logits
    target = state.label_column[label][:, None].expand(*cell.shape[:2], N).reshape(-1, N, 1)
    excess = torch.softmax(seen, dim=-1)  # alpha
    loss = (surprisal(excess, seen, target).view(S, -1, N) * weight).sum(-1).flatten()
    excess.scatter_add_(-1, target, -torch.ones_like(target, dtype=dtype))  # -r
    along = logits.mul_(excess).sum(-1).view(S, -1, N)  # -f.g
    toward = weighted_sums(
        f.square(), torch.arange(N).expand(S, -1), along * weight, bounds[:, :-1]
    )  # (R, K, t)
    order, starts = entries_by_pair(state, label)
    f = (
        f.view(S, -1, N, t)
        .mul_(-weight[..., None])
        .flatten()
        .index_select(0, (order[:, None] + N * t * cell).flatten())
    )
    own = weighted_sums(excess, order // t, f, starts)  # (R, pairs, C), each pair's share of dJ/dY
    share = own / state.stands_for if state.compressed else own
    grad_y[:, :lone] += share[:, :lone]
    grad_y.index_add_(1, state.shared, share[:, lone:])
    parts = (
        own[:, :lone].mul_(state.Y[:, :lone]),
        own[:, lone:].mul_(state.Y.index_select(1, state.shared)),
    )
    inner = torch.cat([part.sum(-1) for part in parts], dim=1).index_add_(
        1, state.pair.flatten(), toward.flatten(1)
    )
    grad_z.flatten(1).index_add_(1, state.pair_z, inner)
    return grad_y, grad_z, loss


@contextmanager
def tiny_is_zero():
    """Inside, numbers below the smallest normal one are 0: a confident softmax is full of them, and
    a processor is slow on them.
    """
    before = float(torch.tensor(1e-40) * 1) == 0
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)


def keep_freed_memory():
    """One big block, freed at once: glibc then keeps what a step frees for the next one, where it
    would give it back and fault it in anew.
    """
    torch.empty(31 << 20, dtype=torch.uint8)


@tiny_is_zero()
def run_torch(state, batches, ascend_y, ascend_z, keep):
    """All cells through ``batches``, an iterator for each seed: z (R, kept, Q, M) and loss (R,
    steps); ``state`` moves along.
    """
    keep_freed_memory()
    kept, losses = [state.Z.numpy().copy()] if keep[0] == 0 else [], []
    for step, batch in enumerate(zip(*batches, strict=True), start=1):
        _, _, loss = gradients(
            state, *batch, into=(ascend_y.receive(state.Y), ascend_z.receive(state.Z))
        )
        ascend_y.move(state.Y)
        ascend_z.move(state.Z)
        losses.append(loss.numpy())
        if step in keep:
            kept.append(state.Z.numpy().copy())
    return np.stack(kept, axis=1), np.stack(losses, axis=1)
