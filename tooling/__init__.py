"""What only this book has: its installation and locks, its sweeps, its explorable page."""
