"""The rows of the third part, where both papers meet."""
