"""The rows of the chapters on real text."""
