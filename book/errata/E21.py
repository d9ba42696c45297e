"""E21: Section 7: a bias on positions is a prior only where the law changes with position."""

from itertools import product

laws = [(0.8, 0.2), (0.2, 0.8)]  # P_t(l): two positions, two tokens, equal attention logits
bias = (1, 3)  # e^{z_0} of the two positions
print("mean attention on the second token, bias ln 3 on the second position")
print("printed: e^{z_0} times e^{z_ml}, one factor for all tokens, so no change")
print("corrected: sum_t w_t P_t(l), w = (1/4, 3/4).  measured: all four sequences")
measured = 0.0
for tokens in product((0, 1), repeat=2):
    chance = laws[0][tokens[0]] * laws[1][tokens[1]]
    measured += chance * sum(e for e, l in zip(bias, tokens) if l == 1) / sum(bias)
print(f"printed {(laws[0][1] + laws[1][1]) / 2:.12g}")
print(f"corrected {(bias[0] * laws[0][1] + bias[1] * laws[1][1]) / sum(bias):.12g}")
print(f"measured {measured:.12g}")
