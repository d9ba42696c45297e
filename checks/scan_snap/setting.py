"""Section 3, the setting: what its rows measure.  The chapter: ``book/scan-snap/setting.ipynb``."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.random import Generator
from scipy import stats

from ledgerbook import Checks, claim, control, group, once, seed, whole
from lib.arrays import Ids, Mask
from lib.measure import minimum, relative_error
from lib.scan_snap.four_classes import CONTEXT, WORDS, four_classes
from lib.scan_snap.sequence_classes import (
    SequenceClasses,
    limiting_attention,
    random_classes,
    token_counts,
)
from lib.scan_snap.yz_transformer import (
    attend,
    forward,
    gradients,
    layer_norm,
    objective,
    query_rows,
)

CLASSES = four_classes()
M = CLASSES.vocab_size
WIDE = 256  # dimensions of the random embeddings
EXAMPLE = {  # next token: query, and the words before it as often as they come in twelve
    "guitar": ("band", ["play"] * 4 + ["strum"] * 5 + ["chord"] * 3),
    "drums": ("band", ["play"] * 4 + ["beat"] * 5 + ["stick"] * 3),
    "goal": ("team", ["play"] * 4 + ["kick"] * 5 + ["net"] * 3),
    "racket": ("team", ["play"] * 4 + ["serve"] * 5 + ["court"] * 3),
}


class Batch(NamedTuple):
    """Sequences, as ids and as counts."""

    tokens: torch.Tensor
    query: torch.Tensor
    label: torch.Tensor
    counts: torch.Tensor


class Network(NamedTuple):
    """The weights of (1), (2)."""

    U: torch.Tensor
    W_Q: torch.Tensor
    W_K: torch.Tensor
    W_V: torch.Tensor


def normal(rng: Generator, *shape: int) -> torch.Tensor:
    """Standard normal numbers."""
    return torch.tensor(rng.normal(size=shape))


def embedded_forward(network: Network, tokens: torch.Tensor, query: torch.Tensor) -> torch.Tensor:
    """Next-token probabilities of Eq. (1), (2) in embedding space, sequence by sequence: a second
    implementation, which knows neither counts nor (Y, Z).
    """
    U, W_Q, W_K, W_V = network
    probabilities = []
    for sequence, m in zip(tokens, query, strict=True):
        keys = U[sequence]  # (T-1, d)
        b = torch.softmax(keys @ W_K @ W_Q.T @ U[m] / U.shape[1] ** 0.5, dim=0)
        mixture = torch.zeros(len(U), dtype=U.dtype).index_add(0, sequence, b)  # X^T b
        hidden = U.T @ (mixture / mixture.norm())
        probabilities.append(torch.softmax(U @ W_V @ hidden, dim=0))
    return torch.stack(probabilities)


def as_yz(
    U: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Y = U W_V^T U^T and Z = U W_Q W_K^T U^T / sqrt(d)."""
    return U @ W_V.T @ U.T, U @ W_Q @ W_K.T @ U.T / U.shape[1] ** 0.5


@dataclass
class Setting(Checks):
    """Section 3: one attention layer, one decoder, and sequence classes."""

    T: int = whole(128, 8, 1000)
    samples: int = whole(4000, 1000, 20_000)
    seed: int = seed()

    tag = "scan-snap.setting"
    hypotheses = {
        "H1": "the query does not attend to itself, and there are no positions",
        "H2": (
            r"$Y=UW_V^\top U^\top$ and $Z=UW_QW_K^\top U^\top/\sqrt d$ are treated as free"
            " parameters"
        ),
        "H3": (
            r"the embeddings are nearly orthonormal, so that normalizing $X^\top b_T$ is nearly"
            r" normalizing $\hat u_T$"
        ),
        "H4": (
            r"contextual tokens are drawn independently from $\mathbb P(\cdot\mid n)$, and"
            r" $m=\psi(n)$"
        ),
    }

    two_networks = group()

    @once
    def batch(self, rng: Generator) -> Batch:
        """Sixteen sequences of the running example."""
        tokens, query, label = CLASSES.sample(16, self.T, rng)
        counts = token_counts(tokens, M)
        return Batch(*map(torch.tensor, (tokens, query, label, counts)))

    @once
    def network(self, rng: Generator) -> Network:
        """Embeddings with entries N(0, 1/d) and weights alike, d = 24."""
        d = 24
        shapes = (M, d), (d, d), (d, d), (d, d)
        return Network(*(normal(rng, *shape) / d**0.5 for shape in shapes))

    @once
    def yz(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Its two matrices."""
        return as_yz(*self.network)

    @once
    def embedded(self) -> torch.Tensor:
        """Probabilities of the batch, in embedding space."""
        return embedded_forward(self.network, self.batch.tokens, self.batch.query)

    @claim("<=", 1e-12, "identity", "(1), (2), (15)", as_printed=True, concludes=True)
    def two_matrices(self) -> float:
        """the network of (1), (2) and the one of $(Y,Z)$ give the same probabilities"""
        found = forward(*self.yz, self.batch.counts, self.batch.query).alpha
        return relative_error(found, self.embedded)

    @claim("<=", 1e-12, "identity", "(2), (15)", as_printed=True, concludes=True)
    def objective(self) -> float:
        """$J$ of (15) is (2)"""
        mean_log = torch.log(self.embedded)[torch.arange(16), self.batch.label].mean()
        found = objective(*self.yz, self.batch.counts, self.batch.query, self.batch.label)
        return relative_error(found, mean_log)

    @claim("<=", 1e-12, "identity", "(1), (5)", as_printed=True)
    def limiting_mass(self, rng: Generator) -> float:
        r"""(5) is the mass of (1) when the tokens come $T\,\mathbb P(l\mid n)$ times, $Z$ random"""
        Z = normal(rng, M, M)
        expected = self.T * torch.tensor(CLASSES.conditional)
        rows = query_rows(Z, torch.tensor(CLASSES.query))
        return relative_error(limiting_attention(CLASSES, Z), attend(rows, expected))

    normalization = group()

    @once
    def mixture(self) -> torch.Tensor:
        """Attention that makes no difference between the copies, first sequence: (1, M)."""
        return attend(torch.zeros(1, M, dtype=torch.float64), self.batch.counts[:1])

    @claim("<=", 1e-12, "identity", as_printed=True)
    def orthonormal(self, rng: Generator) -> float:
        r"""orthonormal embeddings: $U^\top\mathrm{LN}(X^\top b)=\mathrm{LN}(\hat u)$"""
        U = torch.linalg.qr(normal(rng, M, M))[0]
        return relative_error(layer_norm(self.mixture) @ U, layer_norm(self.mixture @ U))

    @claim("in", [0.95, 1.05], "limit", rtol=1e-3)
    def nearly_orthogonal(self, rng: Generator) -> float:
        r"""random normal embeddings, $d=256$: mean distance of the two normalizations over
        $1/\sqrt{\pi d}$ (false alarm below 1 in 1000)"""
        words = len(CONTEXT)  # the mixture holds no others
        embeddings = normal(rng, 3000, words, WIDE) / WIDE**0.5
        before, after = (
            torch.einsum("l,blk->bk", weights[0, :words], embeddings)
            for weights in (layer_norm(self.mixture), self.mixture)
        )
        gap = (before - layer_norm(after)).norm(dim=-1).mean()
        return float(gap) * np.sqrt(WIDE * np.pi)

    sampling = group()

    @claim("==", 0, "identity")
    def example(self) -> int:
        """running example: next tokens of which the query or the number of a word in twelve is not
        what the list by words says: *guitar* and *drums* after *band*, *goal* and *racket* after
        *team*, 4 *play*, 5 and 3 of two words of each"""
        named = [WORDS[token] for token in CLASSES.next_token]
        wrong = set(named) ^ set(EXAMPLE)
        for n, word in enumerate(named):
            query, words = EXAMPLE[word]
            counts = [words.count(one) for one in WORDS] + [0] * (M - len(WORDS))
            same = np.allclose(12 * CLASSES.conditional[n], counts, rtol=0, atol=1e-12)
            wrong |= {word} if WORDS[CLASSES.query[n]] != query or not same else set()
        return len(wrong)

    @once
    def family(self, rng: Generator) -> SequenceClasses:
        """Three random classes over twelve tokens."""
        return random_classes(3, 12, rng)

    @once
    def support(self) -> Mask:
        """Tokens that class 0 may emit."""
        return self.family.support[0]

    @once
    def drawn(self, rng: Generator) -> tuple[Ids, Ids]:
        """Counts of class 0, by both samplers: of sequences of eight tokens, and straight away."""
        first = np.zeros(self.samples, dtype=int)
        sequences = token_counts(self.family.sample(self.samples, 9, rng, first).tokens, 12)
        return sequences, self.family.sample_counts(self.samples, 9, rng, first).counts

    @once
    def binomial(self) -> Any:
        """The law of each token's count."""
        return stats.binom(8, self.family.conditional[0][self.support])

    @claim(">=", 1e-3, "statistical", as_printed=True)
    def sampling_law(self) -> float:
        r"""token totals of one class, by both samplers, follow $\mathbb P(l\mid n)$: smaller
        p-value of two χ² tests (false alarm 2 in 1000)"""
        totals = [found.sum(axis=0)[self.support] for found in self.drawn]
        law = self.family.conditional[0][self.support]
        return minimum(stats.chisquare(total, law * total.sum()).pvalue for total in totals)

    @claim("<=", 4.5, "statistical", as_printed=True)
    def independence(self) -> float:
        """counts of one class have the variance of eight independent draws: largest z-score over
        tokens and both samplers (false alarm below 1 in 1000)"""
        law = self.binomial
        deviation = np.sqrt((2 + law.stats("k")) / self.samples)  # of a sample variance over true
        spreads = np.array([found[:, self.support].var(axis=0) for found in self.drawn])
        return np.max(np.abs(spreads / law.var() - 1) / deviation)

    controls = group()

    @control("H1", ">", 0.1)
    def self_attention(self, rng: Generator) -> float:
        """if the query attends to itself, attention changes, at $T=@{T}$: relative change, times
        $T$"""
        rows = query_rows(normal(rng, M, M), self.batch.query)
        more = self.batch.counts.clone()
        more[torch.arange(16), self.batch.query] += 1
        return self.T * relative_error(attend(rows, more), attend(rows, self.batch.counts))

    @control(
        "H2",
        "<",
        0.999,
        rtol=1e-4,
        witness="the two directions are far apart, and a slip in either turns them no nearer",
    )
    def not_free(self) -> float:
        r"""a gradient step in $W_Q,W_K$ does not move $Z$ along $\partial J/\partial Z$: cosine"""
        U, *weights = self.network
        at = self.batch.counts, self.batch.query, self.batch.label
        leaves = [W.clone().requires_grad_() for W in weights]
        steps = torch.autograd.grad(objective(*as_yz(U, *leaves), *at), leaves)
        stepped = [W + 1e-6 * step for W, step in zip(weights, steps, strict=True)]
        moved, wanted = as_yz(U, *stepped)[1] - self.yz[1], gradients(*self.yz, *at)[1]
        return float((moved * wanted).sum() / moved.norm() / wanted.norm())

    @control("H3", ">", 0.5)
    def aligned_embeddings(self, rng: Generator) -> float:
        """embeddings that nearly coincide: the distance between the two normalizations"""
        U = 1 + 0.1 * normal(rng, M, 8)
        return float((layer_norm(self.mixture) @ U - layer_norm(self.mixture @ U)).norm())

    @control("H4", ">", 1.5)  # half of the way from 1 to the 2 of pairs
    def bursts(self, rng: Generator) -> float:
        """tokens that come in pairs have the right frequencies, but counts vary twice as much:
        variances over those of independent draws, both summed over the tokens"""
        first = np.zeros(self.samples, dtype=int)
        bursty = np.repeat(self.family.sample(self.samples, 5, rng, first).tokens, 2, axis=1)
        spread = token_counts(bursty, 12)[:, self.support].var(axis=0)
        return spread.sum() / self.binomial.var().sum()
