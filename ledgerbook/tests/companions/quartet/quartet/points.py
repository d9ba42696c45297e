"""Anscombe's four sets of eleven points, and the line of least squares through one."""

import numpy as np

X = np.array([10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5.0])
Y = np.array(
    [
        [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68],
        [9.14, 8.14, 8.74, 8.77, 9.26, 8.10, 6.13, 3.10, 9.13, 7.26, 4.74],
        [7.46, 6.77, 12.74, 7.11, 7.81, 8.84, 6.08, 5.39, 8.15, 6.42, 5.73],
        [6.58, 5.76, 7.71, 8.84, 8.47, 7.04, 5.25, 12.50, 5.56, 7.91, 6.89],
    ]
)
SETS = [*((X, y) for y in Y[:3]), (np.where(np.arange(11) == 7, 19.0, 8.0), Y[3])]


def line(x, y):
    """Slope, offset, and share of the variance that the line explains."""
    return *np.polyfit(x, y, 1), np.corrcoef(x, y)[0, 1] ** 2
