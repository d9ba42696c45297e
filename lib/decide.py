"""Inequalities between real numbers, proved or refuted by the solver Z3 instead of sampled."""

from dataclasses import dataclass
from typing import Any

import z3


@dataclass(frozen=True)
class Goal:
    """An inequality with its assumptions, to be decided later (see ``follows``)."""

    goal: Any
    assumptions: tuple = ()

    def holds(self) -> bool:
        """See ``follows``."""
        return follows(self.goal, *self.assumptions)


def follows(goal: Any, *assumptions: Any, seconds: int = 20) -> bool:
    """Whether an inequality between real numbers follows from others, decided by the solver Z3.

    Z3 looks for real numbers that satisfy the ``assumptions`` and not the ``goal``, and either
    finds some or proves that there are none.

    goal, assumptions: Z3 expressions in ``z3.Real`` variables.
    seconds: time limit of each of the two questions that Z3 is asked.

    Returns True if the goal follows, False if there is a counterexample.
    Raises ``ValueError`` if the assumptions contradict each other, because anything would follow
    from them, and ``RuntimeError`` if Z3 finds neither a proof nor a counterexample in time.

    >>> x, y = z3.Reals("x y")
    >>> follows(x * x + y * y >= 2 * x * y), follows(x * y < 1, x > 0, y > 0)
    (True, False)
    """
    if _answer(seconds, *assumptions) == z3.unsat:
        raise ValueError(f"assumptions = {assumptions!r}, allowed: some reals satisfy them all")
    answer = _answer(seconds, *assumptions, z3.Not(goal))
    if answer == z3.unknown:
        raise RuntimeError(f"undecided after {seconds} s: {goal}")
    return answer == z3.unsat


def _answer(seconds: int, *formulas: Any) -> Any:
    solver = z3.Solver()
    solver.set("timeout", 1000 * seconds)
    solver.add(*formulas)
    return solver.check()
