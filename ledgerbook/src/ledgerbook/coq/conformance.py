"""What ties a definition in Coq to the function of ``lib`` that computes the same.

Goals at random rational arguments, made from what ``lib`` computes now (``proofs/ties.toml``) and
proved by interval arithmetic in the kernel: a sign flipped in either text breaks one.
"""

import importlib
import pkgutil
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ledgerbook.coq.proofs import SHARED, Failed, Source, logical
from ledgerbook.ledger import coq_record
from ledgerbook.project import storage
from ledgerbook.project.project import current


@dataclass(frozen=True)
class Tie:
    """How goals for one definition are made: an entry of ``ties.toml``.

    coq: with the drawn arguments in braces.  python: names functions of ``lib`` in full.
    arguments: name -> kind, ``nat LOW HIGH`` (a natural number), ``whole LOW HIGH`` (an integer as
    a real), ``rational LOW HIGH``, ``list N KIND``, or ``value EXPRESSION`` (what ``lib``
    computes); bounds, N and expressions may name arguments drawn before.  tactic: what proves
    ``Rabs (coq - value) <= tolerance``.  needs: commands of Coq that come before the goals.
    """

    tag: str
    name: str
    coq: str
    python: str
    tactic: str
    arguments: dict[str, str]
    tolerance: str = "1e-9"
    goals: int = 3
    needs: tuple[str, ...] = ()


def table() -> dict[str, Any]:
    """``ties.toml``: ``coq``, commands that every file of goals begins with, and the entries."""
    return storage.table(coq_record.folder() / "ties.toml")


def ties() -> list[Tie]:
    """All entries of ``ties.toml``."""
    return [Tie(**row) for row in table().get("tie", [])]


def unmatched(sources: list[Source], entries: list[Tie]) -> Iterator[str]:
    """Definitions announced and not tied, and the reverse; what files share is tied once."""
    said = {(source.tag, name) for source in sources for name in source.bridges}
    made = {(tie.tag, tie.name) for tie in entries}
    shared = {name for _, name in made if name.startswith(f"{logical(SHARED)}.")}
    for tag, name in sorted(said - made):
        if name not in shared:
            yield f"{tag}: BRIDGE {name} has no entry in ties.toml"
    for tag, name in sorted(made - said):
        yield f"{tag}: ties.toml ties {name}, its file says no BRIDGE"


def draw(kind: str, rng: random.Random, drawn: dict[str, Any]) -> Any:
    """A random argument of a kind: an ``int``, a ``Fraction``, or a list of such."""
    word, *rest = kind.split(" ", 2)

    def bound(text: str) -> Fraction:
        return Fraction(drawn[text]) if text in drawn else Fraction(text)

    if word == "value":
        return Fraction(repr(computed(kind.removeprefix("value "), drawn)))
    if word == "list":
        return [draw(rest[1], rng, drawn) for _ in range(int(bound(rest[0])))]
    low, high = map(bound, rest)
    if word in ("nat", "whole"):
        number = rng.randint(int(low), int(high))
        return Natural(number) if word == "nat" else number
    if word != "rational":
        raise Failed(f"ties.toml: no kind of argument is called {word!r}")
    parts = rng.randint(7, 20)
    return low + (high - low) * Fraction(rng.randint(0, parts), parts)


class Natural(int):
    """A number that stands in Coq as a ``nat``."""


def in_coq(value: Any) -> str:
    """An argument as Coq reads it."""
    if isinstance(value, list):
        return f"({' :: '.join([*map(in_coq, value), 'nil'])})"
    if isinstance(value, Natural):
        return f"{value}%nat"
    return f"({Fraction(value)})"


def in_python(value: Any) -> Any:
    """The same argument as ``lib`` takes it."""
    if isinstance(value, list):
        return [in_python(one) for one in value]
    return int(value) if isinstance(value, int) else float(value)


def computed(expression: str, arguments: dict[str, Any]) -> float:
    """What ``lib`` says now: the expression at the arguments."""
    names: dict[str, Any] = {"np": importlib.import_module("numpy")}
    names |= {name: importlib.import_module(name) for name in current().imports}
    for path in re.findall(rf"\b(?:{'|'.join(current().imports)})(?:\.\w+)+", expression):
        pkgutil.resolve_name(path)  # which imports the module that it lies in
    return float(
        eval(expression, names | {name: in_python(one) for name, one in arguments.items()})
    )


def goal(tie: Tie, rng: random.Random) -> str:
    """One goal and its proof, on one line."""
    drawn: dict[str, Any] = {}
    for name, kind in tie.arguments.items():
        drawn[name] = draw(kind, rng, drawn)
    term = tie.coq.format(**{name: in_coq(one) for name, one in drawn.items()})
    value = repr(computed(tie.python, drawn))
    claim = f"Rabs (({' '.join(term.split())}) - ({value})) <= {tie.tolerance}"
    return f"Goal ({claim})%R. Proof. {' '.join(tie.tactic.split())} Qed."


def goals_file(source: Source, entries: list[Tie]) -> str:
    """The goals of one file, for Coq: always the same arguments, but what ``lib`` computes now."""
    needed = [table().get("coq", ""), *(line for tie in entries for line in tie.needs)]
    lines = [source.header, f"From {logical(source.folder)} Require Import {source.path.stem}."]
    lines += ["From Coq Require Import List.", "From Interval Require Import Tactic."]
    lines += ["Open Scope R_scope.", *dict.fromkeys(needed)]
    for tie in entries:
        rng = random.Random(f"{tie.tag} {tie.name}")
        lines += [goal(tie, rng) for _ in range(tie.goals)]
    return "\n".join(lines) + "\n"
