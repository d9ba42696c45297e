"""The search for witnesses: changes of code under which a row fails.

It changes one function at a time and evaluates all rows of a class that call it.
"""

import ast
import functools
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any

from ledgerbook.chapters import registry
from ledgerbook.ledger import fields
from ledgerbook.ledger.checks import Checks, Row, announced, rows
from ledgerbook.ledger.ledger import Claim
from ledgerbook.project.project import current
from ledgerbook.rows import changes, kept, own_code
from ledgerbook.rows.reach import Place, node_of
from ledgerbook.rows.replay import Memory
from ledgerbook.rows.trace import profile
from ledgerbook.rows.trial import (
    MOVED,
    TookTooLong,
    handed_on,
    moved,
    trial,
    turned,
    within,
)

DEAR = 8.0  # seconds of a row from which the opposite change is left out
PATIENCE = 10.0, 15.0  # seconds of search for a row, and more for each second that it takes
TINY = ("times 1.001", "times 0.999")  # what only a row of few digits' room sees
LONG = 0.2  # seconds of a row that is asked with these only if its kind is that of an error
FIRST = (
    "times 1.1",
    "one place later",
    "plus 1",
    "turned round",
    "with the other sign",
    "shuffled",
)
SHARP = ("identity", "exact", "certified", "symbolic")
READ, SHORT = 2, 1.0  # things that are shuffled; seconds of a row that is asked with these
DEEP = 2  # the tier of what rows do not call themselves
MUCH = 20.0  # seconds of a class from which less is looked for
MORE = 6  # changes of a row's own code of which the answer is kept
YES = ("symbolic", "decided")  # rows that answer yes: how much they ask is told beside it
TURN = "turned round"  # of what a row's own helper decides: it would turn any row


def searched(
    kind: type[Checks], wanted: list[Row], say: Callable[[str], None]
) -> dict[str, dict[str, Any]]:
    """The witnesses that are found for the rows ``wanted`` of a class, as records by the row's id.

    If one evaluation of the class takes long, the search uses the smallest parameters of the range
    in which the rows are claimed to hold, for rows whose verdict is the same there as in the
    chapter. say: is called with lines on the progress.
    """
    small = fields.extremes(kind, False)
    if small == fields.defaults(kind):
        return Search(kind, wanted, say).run()
    try:
        with within(MUCH):
            search = Search(kind, wanted, say)
        return search.run()
    except TookTooLong:
        return at_small_end(kind, wanted, say, small)


def at_small_end(
    kind: type[Checks], wanted: list[Row], say: Callable[[str], None], small: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """``searched`` with the parameters ``small`` first, and with the chapter's own for the rest."""
    there = Search(kind, wanted, say, small)
    fails = announced(kind)
    met = lambda row: row.details.get("met", row.id not in fails)
    there.open = [row for row in wanted if there.before[row.id].passed == met(row)]
    found = there.run()
    rest = [row for row in wanted if row.id not in found]
    return found | (Search(kind, rest, say).run() if rest else {})


class Search:
    """The search for the witnesses of some rows of a class, with one choice of parameters."""

    def __init__(
        self,
        kind: type[Checks],
        wanted: list[Row],
        say: Callable[[str], None],
        given: Mapping[str, Any] | None = None,
    ):
        self.kind, self.say, self.given = kind, say, given or {}
        self.reach = {row.id: kept.reach_of(kind, row) for row in wanted}
        self.profile, self.before = profile(kind, wanted, self.given)
        self.open = list(wanted)
        self.spent = dict.fromkeys(self.reach, 0.0)
        self.found: dict[str, dict[str, Any]] = {}
        self.moving: dict[str, tuple[str, str, Claim]] = {}
        self.calls = {row.id: self.profile.of(row, self.reach[row.id]) for row in wanted}
        self.cost = {row.id: self.profile.cost(row, self.reach[row.id]) for row in wanted}

    def tiers(self) -> Iterator[list[str]]:
        """The names of the functions to change, in three lists.

        First those that rows call directly, then those of the modules of rows, then those that are
        called by other functions.
        """
        own, ground = current().settings.checks, current().settings.ground
        methods = {f"{self.kind.__qualname__}.{row.name}" for row in rows(self.kind)}
        allowed = [
            name
            for name in self.profile.kinds
            if name.partition(":")[0] not in ground and name.partition(":")[2] not in methods
        ]
        lib = [name for name in allowed if not name.startswith(f"{own}.")]
        yield [name for name in lib if name in self.profile.direct]
        yield [name for name in allowed if name not in lib]
        yield [name for name in lib if name not in self.profile.direct]

    def run(self) -> dict[str, dict[str, Any]]:
        """Carry out the search; returns the records of the witnesses found, by the row's id."""
        if not self.open:
            return {}
        make = functools.partial(self.kind, **self.given)
        self.memory = Memory(self.kind, self.open, self.profile, make)
        for row in [one for one in self.open if not self.calls[one.id]]:
            self.own_code(row)
        dear = sum(self.profile.seconds.values()) > DEAR
        for depth, tier in enumerate(self.tiers()):
            if dear and depth == DEEP:  # further down nothing is remembered: the row's code first
                for row in list(self.open):
                    self.own_code(row)
            for change in dict.fromkeys([*FIRST * dear, *changes.CHANGES]):
                for name in sorted(tier, key=lambda one: -len(self.callers(one, change))):
                    self.ask(name, change)
        self.spent = dict.fromkeys(self.spent, 0.0)  # its own code has a patience of its own
        for row in list(self.open):
            self.own_code(row)
        for row in list(self.open):
            if row.id in self.moving:
                self.keep(row, *self.moving[row.id], far=True)
        return self.found

    def callers(self, name: str, change: str) -> list[Row]:
        """The rows without a witness so far that may fail under a change of a function.

        They call the function, the change applies to what it returns, and their time is not used
        up.
        """
        own = name.startswith(f"{current().settings.checks}.")
        if not changes.applies(change, self.profile.kinds[name]) or own and change == TURN:
            return []
        sharp = lambda row: self.cost[row.id] < LONG or row.details["kind"] in SHARP
        return [
            row
            for row in self.open
            if name in self.calls[row.id] and self.patient(row)
            if change not in TINY or sharp(row)
        ]

    def patient(self, row: Row) -> bool:
        """Whether time is left for a row: 10 s, and 15 s more for each second that it takes."""
        return self.spent[row.id] <= PATIENCE[0] + PATIENCE[1] * self.cost[row.id]

    def limit(self, wanted: list[Row]) -> float:
        """The time limit of one trial of some rows, in seconds."""
        return 5 + 2 * sum(self.cost[row.id] for row in wanted)

    def ask(self, name: str, change: str) -> None:
        """Try one change of one function on all rows that call it; store the witnesses."""
        wanted = self.callers(name, change)
        if not wanted:
            return
        now = self.trial(wanted, name, change)
        seen = []
        for row in wanted:
            claim, before = now.get(row.id), self.before[row.id]
            if not claim or handed_on(name, change, before.observed, claim.observed):
                continue
            if turned(before, claim):
                seen.append(row)
            elif moved(before, claim):
                self.moving.setdefault(row.id, (name, change, claim))
        opposite = changes.CHANGES[change][2]
        cheap = [row for row in seen if self.cost[row.id] < DEAR] if opposite else []
        other = self.trial(cheap, name, opposite) if cheap else {}
        for row in seen:
            answer = other.get(row.id)
            told = kept.short(answer.observed) if answer else None
            self.keep(row, name, change, now[row.id], other=told)

    def own_code(self, row: Row) -> None:
        """Try changes of constants and operators in a row's own code, its method's first.

        The first under which the row fails is stored, with what the row observes under some others.
        """
        for place in self.reach[row.id].places:
            slips, further = list(own_code.found(place)), own_code.further(place)
            decided = row.details["kind"] == "decided"  # without an assumption: soon refuted
            order = [*further, *slips] if decided else [*slips, *further]
            for slip in sorted(order, key=own_code.only_at_a_tie):
                now = self.slipped(row, place, *slip[1:])
                if turned(self.before[row.id], now) and now:
                    of = f"{registry.module_name(place.file)}:{place.name}"
                    others = [one for one in slips[:: max(1, len(slips) // MORE)] if one != slip]
                    told = [(str(one[0]), self.slipped(row, place, *one[1:])) for one in others]
                    more = {words: kept.short(claim.observed) for words, claim in told if claim}
                    self.keep(row, of, str(slip[0]), now, own=True, more=more)
                    return

    def slipped(self, row: Row, place: Place, one: ast.expr, other: ast.expr) -> Claim | None:
        """The row's claim with one expression of its code replaced by another.

        Returns ``None`` if the row's time is used up or the changed code does not run.
        """
        if not self.patient(row):
            return None
        constant = not isinstance(node_of(place), ast.FunctionDef)
        of = f"{registry.module_name(place.file)}:{place.name}"
        change = own_code.put(place, one, other)
        try:
            return self.asked([row], of, change, constant).get(row.id)
        except own_code.Broken:
            return None

    def trial(self, wanted: list[Row], name: str, words: str) -> dict[str, Claim]:
        """The claims of some rows, by id, while a function is changed as ``words`` say."""
        return self.asked(wanted, name, changes.replaced(name, changes.wrapper(words)))

    def asked(
        self, wanted: list[Row], of: str, change: AbstractContextManager, constant: bool = False
    ) -> dict[str, Claim]:
        """The claims of some rows, by id, while a change is in force.

        Results that do not depend on the changed function come from memory.  The time counts for
        the rows.
        """
        before = time.process_time()
        whole = self.memory.around(of, change, constant)
        now = trial(self.kind, wanted, whole, self.limit(wanted), self.given)
        for row in wanted:
            self.spent[row.id] += (time.process_time() - before) / len(wanted)
        return now

    def shuffled(self, row: Row) -> dict[str, Any]:
        """What a row observes while a function returns its entries in random order.

        It shows whether the row depends on the place of entries.  Returns the values by the
        function's name, for rows that take little time, and only where they differ from the
        unchanged value.
        """
        own, found = current().settings.checks, dict[str, Any]()
        called = [name for name, number in self.calls[row.id].items() if number]
        for name in sorted(called, key=lambda one: (not one.startswith(f"{own}."), one)):
            ordered = "order" in self.profile.kinds.get(name, ())
            if ordered and len(found) < READ and self.patient(row) and self.cost[row.id] < SHORT:
                claim = self.trial([row], name, changes.SHUFFLED).get(row.id)
                if claim and not kept.alike(claim.observed, self.before[row.id].observed, MOVED):
                    found[name] = kept.short(claim.observed)
        return found

    def keep(self, row: Row, of: str, change: str, now: Claim, **more: Any) -> None:
        """Store a witness at once, because a search may be interrupted.

        of: what was changed.  change: how.  now: the claim under it.  more: further entries of the
        record; those that are ``None`` are left out.
        """
        record: dict[str, Any] = kept.about(self.kind, row, self.calls[row.id])
        record |= {"with": dict(self.given)} if self.given else {}
        record |= {"of": of, "change": change, "seen": kept.short(now.observed)}
        record |= {name: value for name, value in more.items() if value is not None}
        if "own" in more or row.details["kind"] in YES:
            record["ways"] = own_code.ways(self.reach[row.id].places[0])
        if shuffled := self.shuffled(row):
            record["shuffled"] = shuffled
        if self.before[row.id].passed == now.passed:
            record["moves"] = True
        self.found[row.id] = record
        self.open.remove(row)
        kept.write(self.kind.tag, {row.id: record})  # at once: a search can be broken off
        self.say(f"{self.kind.tag} {row.id}: {of.partition(':')[2]} {change}")
