"""E39: Lemma 18's proof calls T q binomial; a sequence has T - 1 contextual tokens."""

from fractions import Fraction as Q
from itertools import product

p, T = Q(1, 4), 3
variance = sum(
    p ** sum(hits) * (1 - p) ** (T - 1 - sum(hits)) * (Q(sum(hits), T - 1) - p) ** 2
    for hits in product((0, 1), repeat=T - 1)
)
print("variance of a token's share q at T = 3, P = 1/4")
print("printed: T q is binomial, P(1-P)/T.  corrected: (T-1) q is.  measured: all sequences")
print(f"printed {float(p * (1 - p) / T):.12g}")
print(f"corrected {float(p * (1 - p) / (T - 1)):.12g}")
print(f"measured {float(variance):.12g}")
