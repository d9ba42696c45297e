"""Inequalities for all reals at once, by a decision procedure instead of samples."""

from dataclasses import dataclass
from typing import Any

import z3


@dataclass(frozen=True)
class Goal:
    """A goal for all reals that satisfy some assumptions, to be handed over undecided."""

    goal: Any
    assumptions: tuple = ()

    def holds(self):
        """See ``follows``."""
        return follows(self.goal, *self.assumptions)


def follows(goal, *assumptions, seconds=20):
    """Whether ``goal`` holds for all reals that satisfy the ``assumptions`` (Z3 expressions).

    Z3 searches for a counterexample and proves that there is none.  The assumptions must not
    contradict each other, else anything would follow: ``ValueError``.  ``RuntimeError`` where
    Z3 finds neither a proof nor a counterexample in time.
    """
    if _answer(seconds, *assumptions) == z3.unsat:
        raise ValueError(f"assumptions = {assumptions!r}, allowed: some reals satisfy them all")
    answer = _answer(seconds, *assumptions, z3.Not(goal))
    if answer == z3.unknown:
        raise RuntimeError(f"undecided after {seconds} s: {goal}")
    return answer == z3.unsat


def _answer(seconds, *formulas):
    solver = z3.Solver()
    solver.set("timeout", 1000 * seconds)
    solver.add(*formulas)
    return solver.check()
