"""The rows of *Scan and Snap*."""
