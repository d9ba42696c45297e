"""What a formula compares, made the opposite, one place at a time."""

import ast

import pytest

from ledgerbook import comparisons, wrong_formulas


def made_wrong(code):
    """The sources that each change of one place makes of a code, and its words."""
    found = {}
    for place, (_, _, words) in enumerate(comparisons.places(ast.parse(code))):
        tree = ast.parse(code)
        _, change, _ = list(comparisons.places(tree))[place]
        change()
        found[ast.unparse(tree)] = words
    return found


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("x < y", {"x >= y": "Lt becomes GtE"}),
        ("x == y", {"x != y": "Eq becomes NotEq"}),
        ("a is None", {"a is not None": "Is becomes IsNot"}),
        ("0 < x <= 1", {"0 >= x <= 1": "Lt becomes GtE"}),
        ("x < 1e-9", {"x >= 1e-9": "Lt becomes GtE"}),
        ("[i for i in x if i in y]", {"[i for i in x if i not in y]": "In becomes NotIn"}),
        ("require((x >= 1).all(), 'x', x, 'at least 1')", {}),
        ("raise Error(x < y)", {}),
        ("if x < y:\n    raise Error", {}),
        ("if x < y:\n    x = y", {"if x >= y:\n    x = y": "Lt becomes GtE"}),
        ("x + y", {}),
    ],
)
def test_a_comparison_becomes_its_opposite_but_in_checks(code, found):
    assert made_wrong(code) == {
        ast.unparse(ast.parse(wrong)): words for wrong, words in found.items()
    }


def test_two_comparisons_are_made_wrong_one_at_a_time():
    assert set(made_wrong("x < y and x > z")) == {"x >= y and x > z", "x < y and x <= z"}


def test_what_a_function_compares_is_made_wrong_apart_from_its_formulas(package):
    package("made_up_too", __init__="", near="def near(x):\n    return x * 2 if x < 3 else x\n")
    (formula,) = wrong_formulas.wrongs("made_up_too.near:near")[:1]
    (compared,) = wrong_formulas.wrongs("made_up_too.near:near", compared=True)
    assert formula.what == "Mult becomes Div" and compared.what == "Lt becomes GtE"
    assert wrong_formulas.source(compared) == "def near(x):\n    return x * 2 if x >= 3 else x"
