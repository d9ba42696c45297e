"""The search for witnesses: function by function, for all rows of a class that call it at once."""

from collections.abc import Callable, Iterator
from typing import Any

from ledgerbook.chapters import registry
from ledgerbook.ledger.checks import Checks, Row, rows
from ledgerbook.ledger.ledger import Claim
from ledgerbook.project import settings
from ledgerbook.rows import changes, kept, own_code
from ledgerbook.rows.trace import profile
from ledgerbook.rows.trial import handed_on, trial, turned

DEAR = 8.0  # seconds of a row from which the opposite change is left out
PATIENCE = 10.0, 15.0  # seconds of search for a row, and more for each second that it takes
TINY = ("times 1.001", "times 0.999")  # what only a row of few digits' room sees
LONG = 0.2  # seconds of a row that is asked with these only if its kind is that of an error
SHARP = ("identity", "exact", "certified", "symbolic")
TURN = "turned round"  # of what a row's own helper decides: it would turn any row


class Search:
    """The search for the witnesses of some rows of a class."""

    def __init__(self, kind: type[Checks], wanted: list[Row], say: Callable[[str], None]):
        self.kind, self.say = kind, say
        self.reach = {row.id: kept.reach_of(kind, row) for row in wanted}
        self.profile, self.before = profile(kind, wanted)
        self.open = list(wanted)
        self.spent = dict.fromkeys(self.reach, 0.0)
        self.found: dict[str, dict[str, Any]] = {}
        self.calls = {row.id: self.profile.of(row, self.reach[row.id]) for row in wanted}
        self.cost = {row.id: self.profile.cost(row, self.reach[row.id]) for row in wanted}

    def tiers(self) -> Iterator[list[str]]:
        """The functions to change: called by rows, of the rows' modules, further down."""
        own, ground = settings.settings().checks, settings.settings().ground
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
        """The witness of each row that has one."""
        for tier in self.tiers():
            for change in changes.CHANGES:
                for name in sorted(tier, key=lambda one: -len(self.callers(one, change))):
                    self.ask(name, change)
        for row in list(self.open):
            self.own_code(row)
        return self.found

    def callers(self, name: str, change: str) -> list[Row]:
        """The rows without a witness that a change of a function may turn, and with patience."""
        own = name.startswith(f"{settings.settings().checks}.")
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
        """Whether a row's search goes on."""
        return self.spent[row.id] <= PATIENCE[0] + PATIENCE[1] * self.cost[row.id]

    def limit(self, wanted: list[Row]) -> float:
        """Seconds for a trial."""
        return 5 + 10 * sum(self.cost[row.id] for row in wanted)

    def ask(self, name: str, change: str) -> None:
        """Try one change of one function on all rows that call it."""
        wanted = self.callers(name, change)
        if not wanted:
            return
        for row in wanted:
            self.spent[row.id] += self.cost[row.id]
        alter = lambda words: changes.replaced(name, changes.wrapper(words))
        now = trial(self.kind, wanted, alter(change), self.limit(wanted))
        seen = []
        for row in wanted:
            claim, before = now.get(row.id), self.before[row.id]
            if turned(before, claim) and claim:
                if not handed_on(name, change, before.observed, claim.observed):
                    seen.append(row)
        opposite = changes.CHANGES[change][2]
        cheap = [row for row in seen if self.cost[row.id] < DEAR] if opposite else []
        other = trial(self.kind, cheap, alter(opposite), self.limit(cheap)) if cheap else {}
        for row in seen:
            self.keep(row, name, change, now[row.id], other.get(row.id))

    def own_code(self, row: Row) -> None:
        """Try the changes of a row's own code, its method's first."""
        for place in self.reach[row.id].places:
            for slip, one, another in own_code.found(place):
                if not self.patient(row):
                    return
                self.spent[row.id] += self.cost[row.id]
                now = trial(self.kind, [row], own_code.put(place, one, another), self.limit([row]))
                if turned(self.before[row.id], now.get(row.id)):
                    of = f"{registry.module_name(place.file)}:{place.name}"
                    self.keep(row, of, str(slip), now[row.id], None, own=True)
                    return

    def keep(
        self, row: Row, of: str, change: str, now: Claim, other: Claim | None, own: bool = False
    ) -> None:
        """A witness as it is kept."""
        record: dict[str, Any] = kept.about(self.kind, row, self.calls[row.id])
        record |= {"of": of, "change": change, "seen": kept.short(now.observed)}
        if own:
            record["own"] = True
        if other is not None:
            record["other"] = kept.short(other.observed)
        if self.before[row.id].passed == now.passed:
            record["moves"] = True
        self.found[row.id] = record
        self.open.remove(row)
        kept.write(self.kind.tag, {row.id: record})  # at once: a search can be broken off
        self.say(f"{self.kind.tag} {row.id}: {of.partition(':')[2]} {change}")
