"""Overlaps of classes and what they do to the decoder (*Scan and Snap*, Section 4, D.5).

Classes are the rows f_n of ``F`` (K, M), unit vectors (the paper's F has them as columns):
``gram = I + E``.  One sign convention everywhere: (I + E)^{-1} = I - E', that is
E' = I - (I + E)^{-1}.  It is the one of Lemma 14, (26), (40) and (70); the notation of
Appendix D.1 prints the opposite sign.
"""

from collections.abc import Iterable
from typing import NamedTuple

import networkx as nx
import numpy as np
from numpy.random import Generator

from lib.arrays import Array, ArrayLike
from lib.log_sums import softmax
from lib.validation import require, require_integer, require_real


def gram(F: ArrayLike) -> Array:
    """F^T F of the paper, (K, K), from the rows f_n of F (K, M), which must be unit vectors."""
    F = np.asarray(F, dtype=float)
    require(F.ndim == 2, "F.shape", F.shape, "(K, M)")
    require(
        np.allclose(np.linalg.norm(F, axis=1), 1, rtol=0, atol=1e-9),
        "F",
        "rows of another length",
        "rows of length 1",
    )
    return F @ F.T


def overlap(F: ArrayLike) -> Array:
    """Overlaps of classes: E = F^T F - I of *Scan and Snap*, Section 4.

        E_nn' = f_n . f_n' for n != n',    E_nn = 0

    F: (K, M), one unit vector f_n in each row.  (The paper has them as columns.)

    Returns (K, K).  Raises ``ValueError`` for rows whose length is not 1.

    >>> F = np.array([[0.6, 0.8, 0.0], [0.6, 0.0, 0.8]])  # two classes that share a token
    >>> overlap(F).round(12).tolist()
    [[0.0, 0.36], [0.36, 0.0]]
    """
    E = gram(F)
    np.fill_diagonal(E, 0)
    return E


def e_prime(E: ArrayLike) -> Array:
    """What overlaps do to the inverse of the Gram matrix: E' of *Scan and Snap*, Lemma 14.

        E' = I - (I + E)^{-1}

    E: (K, K), symmetric with zero diagonal, as from ``overlap``.

    Returns (K, K).
    Raises ``ValueError`` if I + E is singular, that is, for linearly dependent f_n.

    >>> e_prime([[0, 0.5], [0.5, 0]]).round(6).tolist()
    [[-0.333333, 0.666667], [0.666667, -0.333333]]
    """
    E = np.asarray(E, dtype=float)
    identity = np.eye(len(E))
    require(
        np.linalg.cond(identity + E) < 1e14,
        "I + E",
        "a singular matrix",
        "invertible: linearly independent f_n",
    )
    return identity - np.linalg.inv(identity + E)


def spectrum(E: Array) -> Array:
    """Eigenvalues of the overlaps E, by falling modulus as in Appendix D.1 of *Scan and Snap*:
    (K,).

    E: (K, K), symmetric, as from ``overlap``.

    Returns NaN K times where an entry of E is not finite, so that claims about it fail.

    >>> spectrum(np.array([[0, 0.5], [0.5, 0]])).round(12).tolist()
    [-0.5, 0.5]
    """
    if not np.isfinite(E).all():
        return np.full(len(E), np.nan)
    values = np.linalg.eigvalsh(E)
    return values[np.argsort(-np.abs(values), kind="stable")]


class Margins(NamedTuple):
    """Assumption 2 in ratios, each met when > 1 (``lower``: >= 1).

    upper: (1/K) / |lambda_1|;  lower: min |lambda_i| / (6 / sqrt(M)).
    """

    upper: float
    lower: float

    @property
    def satisfied(self) -> bool:
        """Both eigenvalue halves of Assumption 2."""
        return self.upper > 1 and self.lower >= 1


def assumption_2(E: Array, M: int) -> Margins:
    """How far overlaps are inside Assumption 2 of *Scan and Snap*, by its two conditions.

        upper = (1/K) / max |lambda_i|,    lower = min |lambda_i| / (6 / sqrt(M))

    lambda_i are the eigenvalues of E.  The assumption needs upper > 1 and lower >= 1.

    E: (K, K), symmetric, as from ``overlap``.  M: size of the vocabulary.

    Returns ``Margins``; ``upper`` is infinite where there are no overlaps.

    >>> margins = assumption_2(np.array([[0, 0.2], [0.2, 0]]), 1000)
    >>> round(margins.upper, 6), round(margins.lower, 6), margins.satisfied
    (2.5, 1.054093, True)
    """
    moduli, K = np.abs(spectrum(E)), len(E)
    with np.errstate(divide="ignore"):  # without overlaps ``upper`` is infinite
        return Margins(float(1 / (K * moduli[0])), float(moduli[-1] * np.sqrt(M) / 6))


def dual_vectors(F: Array) -> Array:
    """The dual vectors of the classes: F (I - E') = (F^+)^T of *Scan and Snap*, Section 4.

        dual_n . f_n' = 1 for n = n',    0 for n != n'

    They lie in the span of the f_n, and are the directions f_n - F E' e_n of the modified update
    (26).

    F: (K, M), one unit vector f_n in each row.

    Returns (K, M), dual_n in row n.  Raises ``ValueError`` for linearly dependent f_n.

    >>> F = np.array([[0.6, 0.8, 0.0], [0.6, 0.0, 0.8]])
    >>> np.abs(dual_vectors(F) @ F.T).round(12).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return (np.eye(len(F)) - e_prime(overlap(F))) @ F


def feature_ascent(
    labels: Iterable[int],
    F: ArrayLike,
    eta_y: float,
    directions: ArrayLike | None = None,
    start: ArrayLike | None = None,
) -> Array:
    """The decoder after training on a sequence of classes with attention frozen: Y, (M, M).

        Y <- Y + eta_Y d_n (e_n - alpha_n)^T,    alpha_n = softmax(Y^T f_n)

    With d_n = f_n this is the update (7) of *Scan and Snap*, with the duals of the f_n, which are
    the default, the modified update (26).

    labels: class ids n, one for each step; the next token of class n has id n.
    F: (K, M), rows f_n.  eta_y: learning rate.  directions: (K, M), rows d_n.
    start: (M, M), Y before the first step; 0 when omitted.

    >>> Y = feature_ascent([0], np.eye(2), 1.0)  # one step towards token 0
    >>> Y.tolist()
    [[0.5, -0.5], [0.0, 0.0]]
    """
    F = np.asarray(F, dtype=float)
    directions = dual_vectors(F) if directions is None else np.asarray(directions)
    Y = np.zeros((F.shape[1],) * 2) if start is None else np.array(start, dtype=float)
    for n in labels:
        Y += eta_y * np.outer(directions[n], shortfall(Y, F, n))
    return Y


def shortfall(Y: Array, F: Array, n: int) -> Array:
    """What the decoder's prediction lacks for class n: x_{T+1} - alpha of *Scan and Snap*, Eq. (3).

        e_n - softmax(Y^T f_n)

    Y: (M, M).  F: (K, M), rows f_n.  n: the class; its next token has the id n.

    Returns (M,), entries with the sum 0.

    >>> shortfall(np.zeros((2, 2)), np.eye(2), 0).tolist()
    [0.5, -0.5]
    """
    return softmax_shortfall(Y.T @ F[n], n)


def softmax_shortfall(logits: Array, n: int) -> Array:
    """e_n - softmax(logits), (M,)."""
    shortfall = -softmax(logits)
    shortfall[n] += 1
    return shortfall


def feature_coefficients(W: Array, E: Array, n: int) -> Array:
    """c (K,) of g = Y (e_n - alpha_n) = sum_j c_j f_j, Y in the span of the f_j, F^T Y = W.

    W: (K, M) rows w_j; E: (K, K).  Any dynamics that starts at Y = 0 and moves Y along the f_j:
    (7) and (26) both.  Then c_n = gamma iota_n and c_n' = -gamma beta_{nn'} of Eq. (9).
    """
    return (np.eye(len(E)) - e_prime(E)) @ W @ softmax_shortfall(W[n], n)


def zeta_products(M: int) -> tuple[float, float]:
    """(q_1, q_0) = (zeta_i . zeta_i, zeta_i . zeta_j): M/(M-1) and -M/(M-1)^2 (Appendix D.1)."""
    require_integer("M", M, 2)
    return M / (M - 1), -M / (M - 1) ** 2


class Backprop(NamedTuple):
    """g = gamma (1 + sigma) (iota f_n - sum_{n' != n} beta_n' f_n'), Eq. (9); beta (K,), 0 at n."""

    iota: float
    beta: np.ndarray


def backprop_coefficients(
    n: int, E_prime: Array, M: int, theta: ArrayLike | None = None
) -> Backprop:
    """iota_n of (86) and beta_{nn'} of (88), both over 1 + sigma, of Corollary 1.

    E_prime: (K, K) in the convention of ``e_prime``; theta: (K,) of Lemma 12, zero if omitted.
    beta has the sign that it should have: (88) prints + (1 + theta_n') where the expansion of (83)
    gives -.
    """
    q_1, q_0 = zeta_products(M)
    weights = np.full(len(E_prime), q_0)
    weights[n] = q_1
    weights = weights if theta is None else weights * (1 + np.asarray(theta))
    coefficients = weights - E_prime @ weights
    beta = -coefficients
    beta[n] = 0
    return Backprop(float(coefficients[n]), beta)


def xi_over_gamma(E: ArrayLike, M: int) -> Array:
    """xi_n / gamma = sum_{n' != n} beta_{nn'} f_n . f_n' of Theorem 1(a) for every n: (K,)."""
    E, E_prime = np.asarray(E), e_prime(E)
    return np.array([backprop_coefficients(n, E_prime, M).beta @ E[n] for n in range(len(E))])


def in_pairs(K: int) -> nx.Graph:
    """The graph of K classes of which each overlaps with one other: (0, 1), (2, 3), …

    K: number of classes, even.

    Returns a ``networkx`` graph, for ``graph_gram``.  Raises ``ValueError`` for an odd K.

    >>> sorted(in_pairs(4).edges)
    [(0, 1), (2, 3)]
    """
    require(K % 2 == 0, "K", K, "an even number: the classes form overlapping pairs")
    return nx.from_edgelist((n, n + 1) for n in range(0, K, 2))


def graph_gram(graph: nx.Graph, rho: float) -> Array:
    """Gram matrix F^T F of unit vectors of which some pairs overlap by rho and the others do not.

        I + rho A,    A the adjacency matrix of the graph

    graph: a ``networkx`` graph of K classes, an edge for each pair that overlaps.
    rho: overlap f_n . f_n' of a pair, from 0 to 1.

    Returns (K, K).  Raises ``ValueError`` for another rho.

    >>> graph_gram(nx.path_graph(3), 0.5).tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]
    """
    require_real("rho", rho, at_least=0, at_most=1)
    return np.eye(len(graph)) + rho * nx.to_numpy_array(graph, weight=None)


def vectors_with_gram(target: Array, M: int) -> Array:
    """Non-negative unit vectors with a given Gram matrix.

    Each pair of overlapping classes gets a token, to which both rows give sqrt(E_nn'); what a row
    then lacks to length 1 is spread evenly over its share of the other tokens.

    target: (K, K), I + E with E symmetric, entries >= 0, row sums at most 1.
    M: number of tokens, at least the number of overlapping pairs plus K.

    Returns F, (K, M), with F F^T = target.  Raises ``ValueError`` for another target or a smaller
    M.

    >>> F = vectors_with_gram(np.array([[1, 0.36], [0.36, 1]]), 3)
    >>> F.round(6).tolist()
    [[0.6, 0.8, 0.0], [0.6, 0.0, 0.8]]
    """
    E = np.asarray(target, dtype=float) - np.eye(len(target))
    K, pairs = len(E), np.argwhere(np.triu(E, 1) > 0)
    require(
        (E >= 0).all() and np.allclose(E, E.T) and (E.sum(axis=1) <= 1).all(),
        "target",
        "another matrix",
        "I + E with E >= 0 symmetric, zero diagonal, row sums <= 1",
    )
    require(M >= len(pairs) + K, "M", M, f"at least {len(pairs) + K}")
    F = np.zeros((K, M))
    for token, (n, other) in enumerate(pairs):
        F[[n, other], token] = np.sqrt(E[n, other])
    for n, tokens in enumerate(np.array_split(np.arange(len(pairs), M), K)):
        F[n, tokens] = np.sqrt((1 - E[n].sum()) / len(tokens))
    return F


def random_supports(K: int, M: int, size: int, rng: Generator) -> Array:
    """K classes, each uniform on ``size`` random tokens of M: unit rows F (K, M)."""
    require_integer("size", size, 1, M)
    F = np.zeros((K, M))
    for row in F:
        row[rng.choice(M, size=size, replace=False)] = 1 / np.sqrt(size)
    return F


def random_overlap(K: int, top: float, rng: Generator) -> Array:
    """A random matrix of overlaps whose largest eigenvalue has a given modulus.

    K: number of classes, at least 2.  top: the largest modulus of an eigenvalue, above 0.

    Returns E, (K, K): symmetric, entries >= 0, zero diagonal, no row without an overlap.
    Raises ``ValueError`` for arguments outside of their ranges.

    >>> E = random_overlap(4, 0.2, np.random.default_rng(0))
    >>> E.diagonal().tolist(), round(float(abs(spectrum(E)[0])), 12)
    ([0.0, 0.0, 0.0, 0.0], 0.2)
    """
    require_integer("K", K, 2)
    require_real("top", top, above=0)
    while True:
        E = np.triu(
            rng.random((K, K)) ** rng.uniform(0.2, 3) * (rng.random((K, K)) < rng.uniform(0.2, 1)),
            1,
        )
        E = E + E.T
        if (E.sum(axis=1) > 0).all():
            return E * (top / abs(spectrum(E)[0]))
