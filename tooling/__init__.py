"""Executing, checking, collecting and rendering the book; the one door is ``python -m tooling``."""
