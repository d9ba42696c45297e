"""A ledger of claims, controls and errata, and the book that shows it: computed, never typed.

What the rows of a statement are written with stands here: ``from ledgerbook import Checks, claim``.
"""

from ledgerbook.ledger.checks import (
    Checks,
    Consequence,
    Sharper,
    chapter,
    claim,
    control,
    erratum,
    finding,
    group,
    once,
    step,
    textbook,
    unproved,
)
from ledgerbook.ledger.fields import choice, real, seed, text, whole

__all__ = [
    "Checks",
    "Consequence",
    "Sharper",
    "chapter",
    "choice",
    "claim",
    "control",
    "erratum",
    "finding",
    "group",
    "once",
    "real",
    "seed",
    "step",
    "text",
    "textbook",
    "unproved",
    "whole",
]
