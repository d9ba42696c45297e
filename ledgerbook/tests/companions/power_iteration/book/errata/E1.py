"""E1: Eq. (1) with sines, on diag(1, 1/2) from (0.6, 0.8), after one step."""

x, y = 0.6, 0.8 / 2  # the step
print(f"printed {0.5 * 0.8:.12g}")
print(f"corrected {2 / 13**0.5:.12g}")  # the sine whose tangent is (1/2) (4/3)
print(f"measured {y / (x * x + y * y) ** 0.5:.12g}")
