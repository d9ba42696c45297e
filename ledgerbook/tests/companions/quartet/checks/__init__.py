"""The rows of the companion."""
