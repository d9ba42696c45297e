"""E18: (13), the length rho_0 of the attention vector is not constant: the slope of B_n."""

import numpy as np

closed = np.geomspace(0.2, 0.005, 200_001)  # the overlap q, falling from where it starts
clocks = (0.5 / closed**2 + 2 / closed - 2 * np.log(closed / (1 - closed))) / 6
gains = -(np.log(closed / (1 - closed)) + 1 / (1 - closed)) / 6


def velocity(s, state):
    """Lemma 4 in the clock Gamma = e^s: common token, distinct token, B; two equal classes."""
    q = 1 / (1 + 4 * np.exp(2 * (state[1] - state[0])))  # the overlap, f^2 at the common token
    return np.exp(s) * q * (q + 1e-8) / (1 - q * q) * np.array([2 * q - 2, 1 - q, 1])  # (88), M=1e8


state, step, marks = np.zeros(3), np.log(10) / 400, []
for s in step * np.arange(-4000, 1201):  # Runge-Kutta up to Gamma = 10^3
    marks.append(state[2])
    b = velocity(s + step / 2, state + step / 2 * (a := velocity(s, state)))
    c = velocity(s + step / 2, state + step / 2 * b)
    state = state + step / 6 * (a + 2 * b + 2 * c + velocity(s + step, state + step * c))
rise = np.diff(np.interp([1e2, 1e3], clocks - clocks[0], gains))[0]
print("slope of B_n in ln Gamma, 100 to 1000, two classes, overlap 0.2 to 0.009: Assumption 2")
print(f"printed {np.diff(np.log(12.5 + 4 * np.array([1e2, 1e3])))[0] / 4 / np.log(10):.12g}")
print(f"corrected {rise / np.log(10):.12g}\nmeasured {(marks[-1] - marks[-401]) / np.log(10):.12g}")
