"""E18: (13), the length rho_0 of the attention vector is not constant: the late slope of B_n."""

import numpy as np


def velocity(s, state):
    """Lemma 4 in the clock Gamma = e^s: common token, distinct token, B; two equal classes."""
    q, p = np.exp(2 * state[:2]) / np.exp(2 * state[:2]).sum()  # f^2, common and distinct
    xi = q * q / (1 - q * q)  # beta f.f', beta = E' for the overlap q
    return np.exp(s) * xi * np.array([-2 * (1 - q), p, 1])  # both classes pull at the common one


state, s, marks = np.zeros(3), -25.0, []
for end, count in ((11 * np.log(10), 10000), (12 * np.log(10), 500)):  # Runge-Kutta
    step = (end - s) / count
    for _ in range(count):
        a = velocity(s, state)
        b = velocity(s + step / 2, state + step / 2 * a)
        c = velocity(s + step / 2, state + step / 2 * b)
        state = state + step / 6 * (a + 2 * b + 2 * c + velocity(s + step, state + step * c))
        s += step
    marks.append([state[2], np.log(1 + 4 * np.exp(end) / 2) / 4])  # C_0 = 2
slopes = np.diff(marks, axis=0)[0] / np.log(10)
print("slope of B_n in ln Gamma from 1e11 to 1e12, two classes on one query, equal weights")
print(f"printed {slopes[1]:.12g}\ncorrected {1 / 12:.12g}\nmeasured {slopes[0]:.12g}")
