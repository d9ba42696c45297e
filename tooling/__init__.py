"""What only this book has: its installation and locks, its sweeps, its figures that move."""

# In the build's folder, the figures that move: the pages hold them, so the site need not.  Named
# here because a page is written without the mathematics that they are drawn by.
PLACED = "moving.json"
