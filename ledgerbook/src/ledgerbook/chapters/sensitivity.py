"""What rows see, as ``make resolution`` stored it, and whether it holds for today's rows."""

import ast
import functools
import json
from typing import Any

from ledgerbook.chapters import fingerprint, notebooks, registry
from ledgerbook.chapters.statements import statement
from ledgerbook.project import paths, seals, settings, storage

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
        return None if own or name in settings.settings().ground else node


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


def inputs(tag: str) -> str:
    """What a measurement of a statement's rows depends on: their module, and what they show.

    How the companion's functions compute is left out: a change that moves no row leaves what the
    rows see as it was, and measuring one statement takes minutes.
    """
    file = registry.declared()[tag]
    source = file.read_text(encoding="utf-8")
    own = [other for other in fingerprint.closure(source) if other in registry.files()]
    code = [meaning(other.read_text(encoding="utf-8")) for other in [file, *own]]
    record = notebooks.closing_records(notebooks.read(statement(tag).chapter)).get(tag, {})
    rows = [f"{tag} {claim['id']} {_shown(claim)}" for claim in record.get("claims", ())]
    return fingerprint.digest([*code, *rows, *fingerprint.data_files([source])])


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


def load() -> dict[str, Any]:
    """What is stored: ``sees``, by tag and id ``[size, function]``; ``inputs``, by tag."""
    return {"sees": {}, "inputs": {}} | storage.table(paths.RESOLUTION)


def current() -> dict[str, dict[str, Any]]:
    """What is known of the rows as they are now, by tag and id."""
    stored = load()
    known = registry.declared()
    return {
        tag: seen
        for tag, seen in stored["sees"].items()
        if tag in known and stored["inputs"].get(tag) == inputs(tag)
    }


def store(tag: str, seen: dict, key: str) -> None:
    """Add a statement to what is stored."""
    stored = load()
    stored["sees"][tag], stored["inputs"][tag] = seen, key
    text = json.dumps(stored, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    storage.write_atomically(paths.RESOLUTION, text)
    seals.seal(paths.RESOLUTION)


def sentence() -> str:
    """What a reader of the column *sees* has to know: how much of it is up to date."""
    fresh, all_ = len(current()), len(registry.declared())
    if not fresh:
        return ""
    rest = "" if fresh == all_ else "; the rows of the others have been edited since"
    return f"*Sees* was measured for {fresh} of {all_} statements as they are now{rest}."
