"""Sums of odd numbers: an example, to be replaced."""


def odd_sum(n):
    """The sum of the first ``n`` odd numbers, added one by one."""
    return sum(range(1, 2 * n, 2))
