"""Lemma 1: what its rows measure.  The chapter: ``book/scan-snap/lemma_01.ipynb``."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.random import Generator

from ledgerbook import Checks, claim, control, once, seed, whole
from lib.measure import maximum, relative_error
from lib.scan_snap.sequence_classes import random_classes, token_counts
from lib.scan_snap.yz_transformer import attend, gradients, query_rows, sequence_gradients


def autograd(
    Y: torch.Tensor,
    Z: torch.Tensor,
    tokens: torch.Tensor,
    query: torch.Tensor,
    next_token: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """dJ/dY and dJ/dZ of Eq. (15) by automatic differentiation, sequence by sequence.

    Independent of ``lib``: sequences, softmax over positions, logarithm of a softmax.
    """
    Y, Z = Y.clone().requires_grad_(), Z.clone().requires_grad_()
    total = 0.0
    for sequence, m, n in zip(tokens, query, next_token, strict=True):
        X = torch.nn.functional.one_hot(sequence, len(Y)).to(Y.dtype)
        mixture = X.T @ torch.softmax(X @ Z[m], dim=0)
        total = total + torch.log_softmax(Y.T @ (mixture / mixture.norm()), dim=0)[n]
    return torch.autograd.grad(total / len(tokens), (Y, Z))


def instance(
    size: int, length: int, samples: int, rng: Generator, scale: float = 1.0
) -> tuple[torch.Tensor, ...]:
    """Gaussian Y, Z, and a batch drawn from random classes: tokens, query, next token."""
    classes = random_classes(
        int(rng.integers(1, size // 2 + 1)), size, rng, num_queries=int(rng.integers(1, 4))
    )
    sequences = [torch.tensor(part) for part in classes.sample(samples, length, rng)]
    matrices = [torch.tensor(scale * rng.normal(size=(size, size))) for _ in range(2)]
    return *matrices, *sequences


def counted(tokens: torch.Tensor, size: int) -> torch.Tensor:
    """The counts of a batch's tokens, (batch, size)."""
    return torch.tensor(token_counts(tokens.numpy(), size))


def by_counts(
    Y: torch.Tensor, Z: torch.Tensor, tokens: torch.Tensor, query: torch.Tensor, label: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Both gradients from token counts alone."""
    return gradients(Y, Z, counted(tokens, len(Y)), query, label)


@dataclass
class Lemma01(Checks):
    """Lemma 1: the gradients of the decoder and of attention."""

    M: int = whole(12, 4, 24, holds=(4, 20))
    T: int = whole(9, 3, 20, holds=(5, 20))
    batch_size: int = whole(5, 1, 10, holds=(1, 8))
    instances: int = whole(200, 20, 400, holds=(20, 200))
    seed: int = seed()

    tag = "scan-snap.lemma-01"
    hypotheses = {
        "H1": r"$Y$ and $Z$ are free $M\times M$ matrices",
        "H2": "the batch holds one sequence",
        "H3": r"the attention output is normalized, $\mathrm{LN}(x)=x/\lVert x\rVert_2$",
        "H4": "$Y(0)=Z(0)=0$ (for the sentence about row sums)",
    }
    parts = {
        "both gradients": ("kernel-lemma-1",),
        "row by row": ("kernel-rows-of-3",),
        "row sums": ("kernel-row-sums",),
    }
    kernel_theorems = {
        "lemma_1": dict(as_printed=True, concludes=True, equation="(3), (15)–(19)"),
        "rows_of_3": dict(as_printed=True, concludes=True, equation="(4)"),
        "row_sums": dict(as_printed=True, concludes=True, equation="(3), row sums"),
    }

    @once
    def worst(self, rng: Generator) -> dict[Any, Any]:
        """Largest relative errors of Y's and Z's gradients, to the letter and from counts."""
        errors = {"letter": [], "counts": []}
        for _ in range(self.instances):
            size, length = int(rng.integers(4, self.M + 1)), int(rng.integers(2, self.T + 1))
            given = instance(size, length, self.batch_size, rng, float(rng.uniform(0.1, 3)))
            reference = autograd(*given)
            # one scale for both: that of attention may be zero (T = 2)
            scale = maximum(float(part.abs().max()) for part in reference)
            for name, way in (("letter", sequence_gradients), ("counts", by_counts)):
                found = zip(way(*given), reference, strict=True)
                errors[name].append([float((a - b).abs().max()) / scale for a, b in found])
        return {name: np.max(rows, axis=0) for name, rows in errors.items()}

    @claim("<=", 1e-12, "identity", "(3)", as_printed=True)
    def decoder_gradient(self) -> float:
        r"""$\dot Y$ of (3) equals automatic differentiation, @{instances} random instances"""
        return self.worst["letter"][0]

    @claim("<=", 1e-12, "identity", "(3), (4)", as_printed=True)
    def attention_gradient(self) -> float:
        r"""$\dot Z$ of (3), every row of $Z$, equals automatic differentiation, @{instances} random
        instances"""
        return self.worst["letter"][1]

    @claim("<=", 1e-12, "identity")
    def counts(self) -> float:
        r"""$\dot Y$ and $\dot Z$ of (3) from token counts alone, $\dot z_m=f\circ(g-f(f^\top g))$,
        equal automatic differentiation"""
        return self.worst["counts"].max()

    @once
    def one(self, rng: Generator) -> tuple[torch.Tensor, ...]:
        """An instance of one sequence."""
        return instance(self.M, self.T, 1, rng)

    @control("H1", "<", 0.95)
    def tied(self, rng: Generator) -> float:
        """a step in $W_V$ with random embeddings moves $Y$ in another direction: cosine with
        (3)"""
        embeddings = torch.tensor(rng.normal(size=(self.M, self.M)) / np.sqrt(self.M))
        kernel, free = embeddings @ embeddings.T, by_counts(*self.one)[0]
        moved = kernel @ free @ kernel
        return float((moved * free).sum() / moved.norm() / free.norm())

    @control("H2", "<=", 1e-12, kind="identity")
    def batches(self, rng: Generator) -> float:
        """not needed: the gradient in $Z$ on a batch is the mean of (3) over it"""
        Y, Z, *batch = instance(self.M, self.T, 8, rng)
        parts = [by_counts(Y, Z, *(part[i : i + 1] for part in batch))[1] for i in range(8)]
        return relative_error(sum(parts) / 8, autograd(Y, Z, *batch)[1])

    @control("H3", ">", 0.01)
    def no_normalisation(self) -> float:
        r"""without LN, $\mathrm{diag}(b)$ in place of $L$ is wrong: relative error"""
        Y, Z, tokens, query, label = self.one
        counts, leaf = counted(tokens, self.M), Z.clone().requires_grad_()
        raw = torch.log_softmax(attend(query_rows(leaf, query), counts) @ Y, dim=-1)[0, label[0]]
        true_row = torch.autograd.grad(raw, leaf)[0][query[0]]
        v = attend(query_rows(Z, query), counts)[0]
        shortfall = -torch.softmax(v @ Y, dim=-1)
        shortfall[label[0]] += 1
        return relative_error(v * (Y @ shortfall), true_row)

    @control("H4", "<=", 1e-12, kind="identity")
    def any_start(self) -> float:
        """not needed for conservation: a step from a random start leaves the row sums of $Z$"""
        Z, push = self.one[1], by_counts(*self.one)[1]
        return float((Z + 0.1 * push).sum(dim=1).sub(Z.sum(dim=1)).abs().max())

    @control("H4", ">=", 1)
    def adam(self, rng: Generator) -> float:
        """Adam does not conserve them: largest drift of a row sum in its first step, over 50 draws,
        in units of the rate"""
        given = (instance(self.M, self.T, 1, rng) for _ in range(50))
        # its first step moves every entry by the rate
        return maximum(float(torch.sign(by_counts(*one)[1]).sum().abs()) for one in given)
