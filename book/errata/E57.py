"""E57: after (30), the term -F E' e_n takes a reduction away: (7), without it, has Remark 1's."""

import numpy as np

M, K, rho, eta = 10**4, 3, 0.15, 0.5  # inside Assumption 2
gram = (1 - rho) * np.eye(K) + rho
F = np.linalg.cholesky(gram)  # rows f_n, in their own span
E_prime = np.eye(K) - np.linalg.inv(gram)


def lead(directions, rounds=2000):
    """What class 0 scores for its own token above a rival's; every class once in each round."""
    Y = np.zeros((K, M))
    for _ in range(rounds):
        scores = np.exp(F @ Y)
        Y += eta * directions.T @ (np.eye(K, M) - scores / scores.sum(axis=1, keepdims=True))
    return F[0] @ Y[:, 0] - F[0] @ Y[:, 1]


print("lead over another class's next token, (26) over (7); overlaps 0.15, 2000 rounds")
print("printed: reduced by Remark 1's factor, 1 - rho;  corrected: 1/(1 - rho)")
print(f"printed {1 - rho:.12g}\ncorrected {1 / (1 - rho):.12g}")
print(f"measured {lead(F - E_prime @ F) / lead(F):.12g}")
