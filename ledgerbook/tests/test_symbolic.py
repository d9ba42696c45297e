"""Equality of expressions is decided by the package: what is equal, what is not, what is none."""

import pytest
import sympy as sp
from ledgerbook.ledger import symbolic

x, y = sp.symbols("x y", positive=True)
n = sp.symbols("n", integer=True, positive=True)
A, B = sp.MatrixSymbol("A", n, n), sp.MatrixSymbol("B", n, n)


class Goal:
    def __init__(self, answer):
        self.answer = answer

    def holds(self):
        return self.answer


@pytest.mark.parametrize(
    "facts",
    [
        ((x + 1) ** 2, x**2 + 2 * x + 1),
        [(sp.cosh(x), (sp.exp(x) + sp.exp(-x)) / 2)],
        (sp.log(x * y), sp.log(x) + sp.log(y)),
        (sp.Limit(sp.log(x) / x, x, sp.oo), 0),
        (sp.Derivative(x**3, x), 3 * x**2),
        (sp.Integral(1 / (1 + x**2), (x, 0, sp.oo)), sp.pi / 2),
        (sp.Matrix([[x, 0], [0, y]]) ** 2, sp.diag(x**2, y**2)),
        (A * (A.inverse() * B), B),
        [((x + y) ** 2 - 4 * x * y, (x - y) ** 2), sp.E < 3],
        sp.Gt(x**2 + 1, 0, evaluate=False),
        [Goal(True), (x, x + 0)],
    ],
)
def test_what_is_equal_for_all_symbols_is_decided(facts):
    assert symbolic.decided(facts, "row") is True


@pytest.mark.parametrize(
    "facts",
    [
        ((x + 1) ** 2, x**2 + 1),
        [(x, x), (x, y)],
        (sp.Limit(sp.log(x), x, sp.oo), 0),
        (sp.diag(x, y), sp.diag(x, y, 1)),
        (A * B, B * A),
        [(x, x), sp.E > 3],
        [(x, x), Goal(False)],
    ],
)
def test_what_is_not_is_red(facts):
    assert symbolic.decided(facts, "row") is False


@pytest.mark.parametrize(
    "facts",
    [True, "0", ("0", "0"), [True, True], (1, 1), (sp.S.Zero, sp.S.Zero), [sp.E < 3], 0, []],
)
def test_what_holds_no_symbol_is_no_proof(facts):
    with pytest.raises(ValueError, match="row = "):
        symbolic.decided(facts, "row")


@pytest.mark.parametrize("fact", ["0", True, (True, x), ("x", x), 3])
def test_beside_expressions_nothing_else_passes(fact):
    with pytest.raises(ValueError, match="row = "):
        symbolic.decided([(x, x), fact], "row")
