"""Facts about sums of odd numbers: an example, to be replaced."""

from lib.odd_numbers import odd_sum


def test_the_first_three():
    assert odd_sum(3) == 1 + 3 + 5
