"""The rows of its statements."""
