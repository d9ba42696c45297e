"""Rows as tests: under pytest, under other seeds, under small changes of a function."""
