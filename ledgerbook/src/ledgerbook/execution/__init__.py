"""Executing chapters: kernels, processes, the record of each run."""
