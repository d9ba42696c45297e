"""A ledger of claims, controls and errata, and the book that shows it: computed, never typed."""
