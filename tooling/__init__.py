"""What only this book has: its installation and locks, its sweeps, its explorable page."""

# In the build's folder, the figures with sliders: the pages hold them, so the site need not.  Named
# here because a page is written without the mathematics that they are drawn by.
PLACED = "sliders.json"
