"""E1: the share of the variance in the second set, which the table gives as 0.667."""

x = (10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5)
y = (9.14, 8.14, 8.74, 8.77, 9.26, 8.10, 6.13, 3.10, 9.13, 7.26, 4.74)
dot = lambda a, b: sum((s - sum(a) / 11) * (t - sum(b) / 11) for s, t in zip(a, b, strict=True))
print(f"printed 0.667\ncorrected 0.666\nmeasured {dot(x, y) ** 2 / dot(x, x) / dot(y, y):.12g}")
