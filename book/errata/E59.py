"""E59: Lemma 7(b), proof: what its opening supposes for all s cannot hold at s = 0."""

M, eta = 50, 1.0
h_star = h = 0.0  # h*(0) of (33) and h(0) of (44)

print("the largest epsilon for which h*(s) - h(s) >= epsilon for all s is possible")
print("printed: the top of its range, 2 eta_Y / M;  corrected: 0, as both start at 0")
print(f"printed {2 * eta / M:.12g}")
print("corrected 0")
print(f"measured {h_star - h:.12g}")
