"""E8: Lemma 10, Eq. (58): the second inequality has exceptions at a handful of steps."""

from math import floor, log, sqrt

delta = 0.05
holds = [N for N in range(1, 100) if sqrt(N / 2 * log(2 / delta)) + 1 < sqrt(N * log(2 / delta))]
print("sqrt(N/2 ln(2/delta)) + 1 < sqrt(N ln(2/delta)): the least N from which it holds, at 0.05")
print("printed: every N.  corrected: N ln(2/delta) > (2 + sqrt 2)^2.  measured: by comparing")
print(f"printed {1}")
print(f"corrected {floor((2 + sqrt(2)) ** 2 / log(2 / delta)) + 1}")
print(f"measured {holds[0]}")
