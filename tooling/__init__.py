"""Executing, checking, collecting and rendering the book.  The one door is ``python -m tooling``."""
