"""Comparisons in a formula's source, each made the opposite of what it is.

A ranking, a choice or a search has no sign or factor that could be wrong: what it computes hangs on
what it compares.
"""

import ast
import functools
from collections.abc import Callable, Iterator

from ledgerbook.mutate import SWAPS

OPPOSITE = {old: new for old, new in SWAPS.items() if issubclass(old, ast.cmpop)}


def places(tree: ast.AST) -> Iterator[tuple[ast.AST, Callable[[], None], str]]:
    """Every comparison but those of checks: node, the change in place, words."""
    if _is_check(tree):
        return
    if isinstance(tree, ast.Compare) and type(tree.ops[0]) in OPPOSITE:
        was = type(tree.ops[0])
        opposite = [OPPOSITE[was](), *tree.ops[1:]]
        words = f"{was.__name__} becomes {OPPOSITE[was].__name__}"
        yield tree, functools.partial(setattr, tree, "ops", opposite), words
    for child in ast.iter_child_nodes(tree):
        yield from places(child)


def _is_check(node: ast.AST) -> bool:
    """Whether a part of the source checks an argument, or says what is wrong with one."""
    if isinstance(node, ast.If):
        return isinstance(node.body[0], ast.Raise)
    call = isinstance(node, ast.Call) and ast.unparse(node.func).startswith("require")
    return call or isinstance(node, ast.Raise)
