"""Lemma 5: what its rows measure.  The chapter: ``book/scan-snap/lemma_05.ipynb``."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
import torch
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator

from ledgerbook import Checks, claim, control, erratum, once, real, seed, step, whole
from lib.arrays import Array, Ids
from lib.measure import relative_error
from lib.scan_snap.decoder import h_star, speed, zeta
from lib.scan_snap.decoder_training import decoder_ascent
from lib.scan_snap.equal_overlaps import equal_overlap_gram
from lib.scan_snap.overlaps import softmax_shortfall

M, eta = sp.symbols("M eta", positive=True)
h = sp.symbols("h", nonnegative=True)
DENOMINATOR = M - 1 + sp.exp(M * h)
GROWN = h + eta / DENOMINATOR  # (33)


def one_step(top: sp.Expr, rest: sp.Expr) -> tuple[tuple[sp.Expr, sp.Expr], ...]:
    """Softmax, gradient and row after a step from scores ``top`` at n, ``rest`` at M - 1 others."""
    total = sp.exp(top) + (M - 1) * sp.exp(rest)
    seen = sp.exp(top) / total, sp.exp(rest) / total
    push = 1 - seen[0], -seen[1]
    return seen, push, (top + eta * push[0], rest + eta * push[1])


def ascent_by_autograd(f: Array, n: int, steps: int, rate: float) -> tuple[Array, Array]:
    """Scores Y^T f and softmax before the last step, from gradient ascent of log p(n) in Y."""
    f = torch.tensor(f / np.linalg.norm(f))
    Y = torch.zeros(len(f), len(f), dtype=torch.float64, requires_grad=True)
    for _ in range(steps):
        seen = torch.softmax(f @ Y, 0)
        (gradient,) = torch.autograd.grad(torch.log_softmax(f @ Y, 0)[n], Y)
        Y = (Y + rate * gradient).detach().requires_grad_()
    return (f @ Y).detach().numpy(), seen.detach().numpy()


def closed_form(n: int, M: int, steps: int, eta_y: float) -> tuple[Array, Array]:
    """The row (31) after the steps and the softmax (32) that the last one saw."""
    path = h_star(steps, M, eta_y)
    seen = np.full(M, speed(path[-2], M))
    seen[n] *= np.exp(M * path[-2])
    return (M - 1) * path[-1] * zeta(n, M), seen


@dataclass
class Parameters(Checks):
    """What both statements of the chapter are asked at."""

    M: int = whole(50, 10, 200, holds=(20, 200))
    K: int = whole(6, 3, lambda self: self.M - 1, holds=(3, 8))
    eta_y: float = real(0.5, 0.1, 3)
    steps: int = whole(400, 50, 1000)
    rho: float = real(0.3, 0.1, 0.9, holds=(0.3, 0.9))
    seed: int = seed()


@dataclass
class Lemma05(Parameters):
    """Lemma 5: the rows of a decoder whose classes do not overlap."""

    tag = "scan-snap.lemma-05"
    hypotheses = {
        "H1": "the decoder starts at zero, $Y(0)=0$",
        "H2": "the dynamics are the decoupled ones of Lemma 3, Eq. (8)",
        "H3": "the next token is $n$ at every one of the $s$ steps",
    }
    parts = {
        "(31)–(33)": ("kernel-lemma-5",),
        "beside it": ("first-step", "step-softmax", "step-error", "step-row"),
    }
    kernel_theorems = {"lemma_5": dict(as_printed=True, equation="(31)–(33)", concludes=True)}

    @step("symbolic", "(34)–(36)", as_printed=True)
    def first_step(self) -> Facts:
        r"""(34)–(36): from zero the softmax is $\frac1M$ everywhere and
        $w_n(1)=\frac{\eta_Y(M-1)}M\zeta_n$"""
        seen, push, row = one_step(sp.S.Zero, sp.S.Zero)
        found = [*seen, *push, *row]
        line = 1 - 1 / M, -1 / M
        return zip(found, [1 / M, 1 / M, *line, eta * line[0], eta * line[1]], strict=True)

    @step("symbolic", "(37), (32)", as_printed=True)
    def step_softmax(self) -> Facts:
        r"""(37): the softmax of $(M-1)h\zeta_n$ is (32), all $M$, $h$, $\eta_Y$"""
        seen, _, _ = one_step((M - 1) * h, -h)
        return (seen[0], sp.exp(M * h) / DENOMINATOR), (seen[1], 1 / DENOMINATOR)

    @step("symbolic", "(38)", as_printed=True)
    def step_error(self) -> Facts:
        r"""(38): $e_n-\alpha_n$ is $\frac{M-1}{M-1+e^{Mh}}\zeta_n$, all $M$, $h$, $\eta_Y$"""
        _, push, _ = one_step((M - 1) * h, -h)
        return (push[0], (M - 1) / DENOMINATOR), (push[1], -1 / DENOMINATOR)

    @step("symbolic", "(39), (31), (33)", as_printed=True)
    def step_row(self) -> Facts:
        r"""(39): the next row is $(M-1)h'\zeta_n$ with $h'$ from (33), all $M$, $h$, $\eta_Y$"""
        _, _, row = one_step((M - 1) * h, -h)
        return (row[0], (M - 1) * GROWN), (row[1], -GROWN)

    @once
    def cases(self, rng: Generator) -> Array:
        """Largest relative errors of (31) and (32) against automatic differentiation."""
        errors = np.zeros(2)
        for _ in range(60):
            size, rate = int(rng.integers(2, 40)), rng.uniform(0.01, 3)
            steps, n = int(rng.integers(1, 40)), int(rng.integers(size))
            found = ascent_by_autograd(rng.random(size), n, steps, float(rate))
            wanted = closed_form(n, size, steps, rate)
            errors = np.maximum(errors, list(map(relative_error, found, wanted)))
        return errors

    @claim("<=", 1e-12, "identity", "(31), (33)", as_printed=True)
    def row(self) -> float:
        r"""(31) on 60 random $(M,\eta_Y,s,n)$, $M\ge2$"""
        return self.cases[0]

    @claim("<=", 1e-12, "identity", "(32)", as_printed=True)
    def softmax(self) -> float:
        r"""(32), before the $s$-th update, on 60 random $(M,\eta_Y,s,n)$, $M\ge2$"""
        return self.cases[1]

    @once
    def first_move(self) -> float:
        """What the first step adds to w_n in entry n, M = 50, eta_Y = 1/2."""
        return float(decoder_ascent([0], 50, 0.5)[0][-1, 0, 0])

    @claim("<=", 1e-12, "identity", "sentence after (24)", as_printed=True)
    def move_printed(self) -> float:
        r"""(35): $\dot w_{nn}(1)=1-\frac1M$: relative error of what the first step adds, $M=50$,
        $\eta_Y=\frac12$"""
        return relative_error(self.first_move, 1 - 1 / 50)

    @claim("<=", 1e-12, "identity", "sentence after (24)")
    def move(self) -> float:
        r"""(35) with $\eta_Y(1-\frac1M)$: relative error of what the first step adds, $M=50$,
        $\eta_Y=\frac12$"""
        return relative_error(self.first_move, 0.5 * (1 - 1 / 50))

    @erratum(
        "E62",
        "(35), (38), and the line after (24)",
        r"$\dot w_{nn}(1)=1-\frac1M$, $\dot w_{nn}(s)=\frac{M-1}{e^{Mh^*(s-1)}+M-1}$,"
        r" $\dot W'=e_n(x_{T+1}-\alpha)^\top$",
        fails="move-printed",
        holds="move",
        reach="harmless",
        misprint=True,
        proof=True,
    )
    def e62(self) -> dict[str, Any]:
        r"""each times $\eta_Y$, as (8) defines $\dot w_n$ and as (36) and (39) go on. The numbers
        are $\dot w_{nn}(1)$ for $M=50$, $\eta_Y=\frac12$; measured: the first step."""
        return dict(printed=1 - 1 / 50, corrected=(1 - 1 / 50) / 2, measured=self.first_move)

    @control("H1", "in", [0.1, 1.0])  # from zero there are none
    def random_start(self, rng: Generator) -> float:
        """from a random start the differences between the scores of the other tokens shrink, and
        more than a tenth of them is left: share that is left"""
        n, start = self.K - 1, rng.normal(size=self.M)
        scores = start.copy()
        for _ in range(self.steps):
            scores += self.eta_y * softmax_shortfall(scores, n)
        return np.delete(scores, n).std() / np.delete(start, n).std()

    @once
    def mixed(self, rng: Generator) -> Ids:
        """Labels of all classes, at random."""
        return rng.integers(self.K, size=self.steps)

    @control("H2", ">", 0.2)
    def coupled(self) -> np.floating:
        r"""with overlapping classes and the plain gradient (40): share of $w_n$ off the line
        through $\zeta_n$"""
        gram = equal_overlap_gram(self.K, self.rho)
        n = self.K - 1
        row = decoder_ascent(self.mixed, self.M, self.eta_y, gram)[0][-1, n]
        along = zeta(n, self.M) / np.linalg.norm(zeta(n, self.M))
        return np.linalg.norm(row - (row @ along) * along) / np.linalg.norm(row)

    @control("H3", "<=", 1e-12, "identity")
    def mixed_labels(self) -> float:
        """not needed under (8): $h^*$ counts the visits of $n$, other labels do not move $w_n$"""
        n = self.K - 1
        row = decoder_ascent(self.mixed, self.M, self.eta_y)[0][-1, n]
        visits = int((self.mixed == n).sum())
        wanted = (self.M - 1) * h_star(self.steps, self.M, self.eta_y)[visits] * zeta(n, self.M)
        return relative_error(row, wanted)
