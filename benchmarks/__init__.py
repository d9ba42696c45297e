"""What is fast, each beside the obvious way of doing it, in the same process on the same data."""
