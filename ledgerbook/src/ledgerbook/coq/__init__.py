"""Proofs by Coq: checking them, recording them, tying their definitions to the code."""
