"""E1, without the companion's code: the sum of the first three odd numbers."""

print("printed", 3**2 + 1)
print("corrected", 3**2)
print("measured", 1 + 3 + 5)
