"""What claims see, as ``make resolution`` stored it, and whether it holds for today's chapters."""

import ast
import functools
from collections.abc import Iterable
from typing import Any

from ledgerbook import fingerprint, notebooks, paths, project
from ledgerbook.statements import Statement, written

PROVED = {"symbolic", "decided", "kernel"}  # what no function of the companion computes


class _Meaning(ast.NodeTransformer):
    """Drops from code what no measurement depends on: words, checks of input, the package."""

    def visit_Constant(self, node):
        words = isinstance(node.value, str) and " " in node.value
        return ast.Constant("") if words else node

    def visit_Expr(self, node):
        call = node.value.func if isinstance(node.value, ast.Call) else None
        if isinstance(call, ast.Name) and call.id.startswith("require"):
            return None
        return self.generic_visit(node)

    def visit_ImportFrom(self, node):
        name = node.module or ""
        own = name.partition(".")[0] == __name__.partition(".")[0]
        return None if own or name in project.settings().ground else node


@functools.cache
def meaning(source: str) -> str:
    """Code without words, comments, checks of arguments, and imports of what is no formula."""
    return _dumped(_Meaning().visit(ast.parse(source)))


def _dumped(node: Any) -> str:
    """As ``ast.dump``, and the same in every Python: a field that is empty is left out."""
    if isinstance(node, list):
        return f"[{', '.join(map(_dumped, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = ((name, value) for name, value in ast.iter_fields(node) if value not in (None, []))
    return f"{type(node).__name__}({', '.join(f'{name}={_dumped(one)}' for name, one in fields)})"


def inputs(row: Statement) -> str:
    """What a measurement depends on: the chapter's formulas, and what all rows of it show.

    How the companion's functions compute is left out: a change that moves no row leaves what the
    claims see as it was, and measuring one chapter takes minutes.
    """
    notebook = notebooks.read(row.chapter)
    code, records = notebooks.code(notebook), notebooks.closing_records(notebook)
    claims = [(tag, claim) for tag, record in records.items() for claim in record["claims"]]
    rows = [f"{tag} {claim['id']} {_shown(claim)}" for tag, claim in claims]
    return fingerprint.digest([meaning(code), *rows, *fingerprint.data_files([code])])


def _shown(claim: dict[str, Any]) -> str:
    """A row's verdict and numbers, as coarse as rounding on another machine needs."""
    if claim["kind"] in PROVED:
        return str(claim["passed"])
    bound, seen = (_numbers(claim[key]) for key in ("bound", "observed"))
    size = max([0.0, *map(abs, bound)])
    coarse = [f"{x:.2g}" if abs(x) > size else f"{x / size if size else 0:z.2f}" for x in seen]
    words = [str(claim[key]) for key in ("relation", "passed", "kind")]
    return " ".join([*words, *(f"{x:.6g}" for x in bound), *coarse])


def _numbers(value: Any) -> list[float]:
    """All numbers in a number or in lists of lists of them."""
    if isinstance(value, list):
        return [number for item in value for number in _numbers(item)]
    return [float(value)] if isinstance(value, int | float) else []


def current(rows: Iterable[Statement], keys: dict[str, str]) -> tuple[int, int]:
    """How many chapters have the code and the rows with which they were measured; of how many."""
    measurable = [row for row in rows if row.kind != "experiment"]
    return sum(keys.get(row.tag) == inputs(row) for row in measurable), len(measurable)


def load() -> dict[str, Any]:
    """What is stored: by tag and id the size; beside these three records by tag.

    ``inputs``: of what a chapter was made when it was measured.  ``exponents``: the chapters that
    were asked with these.  ``wrong``: by id what wrong formula a claim sees that sees no size.
    """
    return _whole(paths.read_record(paths.RESOLUTION))


def _whole(record: dict[str, Any]) -> dict[str, Any]:
    """A record with all its parts, empty where nothing is known."""
    return {"inputs": {}, "exponents": [], "wrong": {}} | record


def store(tag: str, sizes: dict, wrong: dict, key: str) -> None:
    """Add a chapter to what is stored."""
    with paths.held_record(paths.RESOLUTION) as stored:
        stored |= _whole(stored) | sizes
        stored["inputs"][tag] = key
        stored["exponents"] = sorted({*stored["exponents"], tag})
        stored["wrong"] |= {tag: {}} | wrong


def sentence() -> str:
    """What a reader of the column *sees* has to know: how much of it is up to date."""
    stored, rows = load(), written()
    if not stored["inputs"]:
        return ""
    fresh, all_ = current(rows, stored["inputs"])
    both = {*stored["exponents"]} & stored["wrong"].keys()
    asked, _ = current([row for row in rows if row.tag in both], stored["inputs"])
    rest = "" if fresh == all_ else "; the others have been edited since"
    last = (
        ""
        if asked == fresh
        else f" In {asked} of these {fresh} exponents and wrong formulas were asked, too."
    )
    return (
        f"*Sees* was measured in {fresh} of {all_} chapters as they are now: with their own code,"
        f" and with functions that give their rows the same numbers{rest}." + last
    )
