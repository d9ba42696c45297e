"""Chapters executed with changed formulas: which functions a chapter names, and what its claims say
when one of them is replaced.
"""

import ast
import functools
import importlib
import inspect
import multiprocessing
import os
import sys
import types
from collections.abc import Callable, Set
from pathlib import Path
from typing import Any, NamedTuple

from ledgerbook import figures, ledger, paths, project

LIMIT = 300  # seconds for one execution of a chapter
Key = tuple[str, str]  # tag and id of a claim
Wrapper = Callable[[Callable], Callable]


class Outcome(NamedTuple):
    """What one execution left.

    passed: of each row, claims and controls.  kinds: of each row.  claims: the rows that are
    claims.  ended: whether the code ran to its end.  error: the kind of error that stopped it.
    """

    passed: dict[Key, bool]
    kinds: dict[Key, str]
    claims: set[Key]
    ended: bool
    error: str = ""


NOTHING = Outcome({}, {}, set(), False)


def formulas(code: str) -> list[str]:
    """Dotted names of the companion's functions that a chapter imports by name.

    Of a class that it imports, the public methods and properties that compute something.
    """
    found: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, ast.ImportFrom):
            continue
        name = node.module or ""
        if _is_ours(name) and name not in project.settings().ground:
            module = importlib.import_module(name)
            for alias in node.names:
                found |= {f"{name}:{path}" for path in _computing(module, alias.name)}
    return sorted(found)


def _is_ours(name: str) -> bool:
    """Whether a module is the companion's own, not this package's."""
    top = name.partition(".")[0]
    return "." in name and top in paths.IMPORTS and top != __name__.partition(".")[0]


def _computing(module: types.ModuleType, name: str) -> list[str]:
    thing = getattr(module, name)
    if isinstance(thing, types.FunctionType):
        return [name]
    if not isinstance(thing, type) or thing.__module__ != module.__name__:
        return []
    kinds = (types.FunctionType, functools.cached_property, property)
    return [
        f"{name}.{part}"
        for part, value in vars(thing).items()
        if isinstance(value, kinds) and not part.startswith("_")
    ]


def function(name: str) -> Callable:
    """The function behind a name of ``formulas``."""
    module, _, path = name.partition(":")
    thing: Any = importlib.import_module(module)
    for part in path.split("."):
        thing = vars(thing)[part] if isinstance(thing, type) else getattr(thing, part)
    thing = getattr(thing, "fget", None) or getattr(thing, "func", thing)
    return inspect.unwrap(thing)


def replace(name: str, wrap: Wrapper) -> None:
    """Put ``wrap(function)`` wherever the companion has bound a function, in this process."""
    module_name, _, path = name.partition(":")
    module = sys.modules[module_name]
    owner, _, part = path.rpartition(".")
    if owner:
        kind = getattr(module, owner)
        setattr(kind, part, _wrapped_part(vars(kind)[part], part, wrap))
        return
    original = getattr(module, part)
    changed = wrap(original)
    for other in [m for n, m in sys.modules.items() if n.partition(".")[0] in paths.IMPORTS]:
        for key, value in list(vars(other).items()):
            if value is original:
                setattr(other, key, changed)


def _wrapped_part(value: Any, part: str, wrap: Wrapper) -> Any:
    if isinstance(value, functools.cached_property):
        done = functools.cached_property(wrap(value.func))
        done.__set_name__(object, part)
        return done
    get = value.fget if isinstance(value, property) else None
    return property(wrap(get)) if get else wrap(value)


class _Enough(Exception):
    """What was asked is answered."""


def judged(code: str, until: Set[Key] = frozenset(), asked: Set[Key] = frozenset()) -> Outcome:
    """Execute a chapter's code in this process, or until a row of ``until`` fails.

    asked: with these rows, no further than to where all of them are judged.

    Where the code stops with an error, the claims behind it are not judged.
    """
    seen, kinds, ended = dict[Key, bool](), dict[Key, str](), False
    record, ledgers = ledger.Ledger._row, dict[str, ledger.Ledger]()

    def watched(self, id, *rest):
        row = record(self, id, *rest)
        seen[self.tag, id], kinds[self.tag, id] = row.passed, row.kind
        ledgers[self.tag] = self
        if (not row.passed and (self.tag, id) in until) or (asked and asked <= seen.keys()):
            raise _Enough
        return row

    ledger.Ledger._row = watched  # type: ignore[method-assign]
    figures.Picture.__init__ = lambda self, *a, **k: None  # type: ignore[method-assign]
    error = ""
    try:
        exec(compile(code, "chapter", "exec"), {"__name__": "__main__"})
        ended = True
    except Exception as stopped:
        error = type(stopped).__name__
    claims = {(tag, id) for tag, ledger in ledgers.items() for id in ledger._claims}
    return Outcome(seen, kinds, claims, ended, error)


def execute(
    code: str,
    folder: Path,
    prepare: Callable[[], None] = lambda: None,
    until: Set[Key] = frozenset(),
    limit: float = LIMIT,
    asked: Set[Key] = frozenset(),
) -> Outcome:
    """A chapter's outcome in a process of its own, after ``prepare()`` has changed something there.

    ``NOTHING`` where it did not end within ``limit`` seconds; with ``until`` it ends at the first
    of these rows that fails, with ``asked`` where all of these are judged.
    """
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(code, folder, prepare, until, asked, theirs))
    process.start()
    theirs.close()
    try:
        return ours.recv() if ours.poll(limit) else NOTHING
    except EOFError:
        return NOTHING
    finally:
        process.kill()
        process.join()


def _child(code, folder, prepare, until, asked, channel):
    os.chdir(folder)
    sys.stdout = sys.stderr = open(os.devnull, "w")
    prepare()
    channel.send(judged(code, until, asked))
