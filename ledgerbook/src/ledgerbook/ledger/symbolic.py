"""Equality of expressions, decided here and not where a row is written.

A symbolic row hands over facts: pairs ``(left, right)`` that are to be equal for all values of
their symbols, relations of SymPy that are to be true, and goals of a decision procedure, objects
with ``holds()``.  A limit, a derivative or an integral comes unevaluated (``sp.Limit``), so that
what it was made of can be seen.
"""

from collections.abc import Callable, Iterable
from typing import Any

import sympy as sp
from sympy.matrices import MatrixBase
from sympy.matrices.expressions import MatrixExpr

from ledgerbook.project.validation import require

# Each gives an expression equal to what it gets; equality is decided by the first that reaches 0.
FORMS: tuple[Callable, ...] = (
    lambda e: e,
    sp.expand,
    sp.simplify,
    lambda e: sp.simplify(sp.expand(e.rewrite(sp.exp))),
    lambda e: sp.simplify(sp.expand_log(sp.simplify(e))),
    lambda e: sp.simplify(sp.expand_log(e, force=True)),
    lambda e: sp.simplify(sp.expand(sp.expand_log(e))),
    lambda e: sp.powsimp(sp.expand(sp.simplify(e)), force=True),
    sp.cancel,
)


def equal(left: Any, right: Any) -> bool:
    """Whether two expressions, or two matrices entry by entry, are equal for all symbols."""
    left, right = sp.sympify(left), sp.sympify(right)
    if isinstance(left, MatrixBase) and isinstance(right, MatrixBase):
        same = left.shape == right.shape
        return same and all(equal(a, b) for a, b in zip(left, right, strict=True))
    left, right = left.doit(), right.doit()
    if left == right:
        return True
    if any(isinstance(side, MatrixExpr | MatrixBase) for side in (left, right)):
        gone = sp.expand(left - right).doit()
        return isinstance(gone, sp.ZeroMatrix) or getattr(gone, "is_zero_matrix", False) is True
    difference = left - right
    return any(_is_zero(form, difference) for form in FORMS)


def _is_zero(form: Callable, expression: Any) -> bool:
    try:
        return form(expression) == 0
    except (TypeError, ValueError, NotImplementedError, AttributeError):
        return False


def has_symbols(fact: Any) -> bool:
    """Whether a fact speaks of more than one value."""
    if isinstance(fact, tuple):
        return any(has_symbols(side) for side in fact)
    if isinstance(fact, MatrixExpr | MatrixBase | sp.Basic):
        return bool(fact.atoms(sp.Symbol, sp.MatrixSymbol))
    return hasattr(fact, "holds")


def is_true(fact: Any, name: str) -> bool:
    """Whether one fact is so.  Raises ``ValueError`` for what is none, by the row's name."""
    if isinstance(fact, tuple) and len(fact) == 2:
        sides = all(not isinstance(side, str | bool) for side in fact)
        require(sides, name, fact, "two expressions, not words or truth values")
        return equal(*fact)
    if hasattr(fact, "holds"):
        return bool(fact.holds())
    relation = isinstance(fact, sp.logic.boolalg.Boolean)
    require(relation, name, fact, "a pair of expressions, a relation of SymPy or a goal")
    return sp.simplify(fact) == sp.true


def decided(facts: Any, name: str) -> bool:
    """Whether all facts of a row are so.

    Raises ``ValueError``, by the row's name, where none of them holds a symbol: what is true of
    numbers alone is no proof of a formula.
    """
    pair = isinstance(facts, tuple) and len(facts) == 2 and not isinstance(facts[0], tuple)
    one = pair or isinstance(facts, str) or not isinstance(facts, Iterable)
    facts = [facts] if one else list(facts)
    some = any(has_symbols(fact) for fact in facts)
    require(some, name, facts, "expressions in symbols whose equality is decided here")
    return all(is_true(fact, name) for fact in facts)
