"""The rows of the paper's statements."""
