"""What other conditions changed, for the status page: one line a condition, then row by row."""

from packaging.specifiers import SpecifierSet

from ledgerbook import doctor, invariance, paths
from ledgerbook.ledger_table import markdown_table, table_cell
from ledgerbook.pages import link
from ledgerbook.statements import statement, statements, written


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %"


HEADER = [
    "condition",
    "Python",
    "chapters",
    "as they stand now",
    "verdicts asked",
    "statuses changed",
    "verdicts changed",
    "margins below half",
    f"of these within {_percent(invariance.TIGHT)} of the bound",
]
EVERY_MINOR = range(9, 30)  # of Python 3, to be asked which of them the project allows


def page() -> str:
    """The table of all conditions, then what changed and what came close; or that nobody asked."""
    stored = invariance.load()
    if not stored:
        return "No chapter was run under other conditions so far."
    now = {row.tag: invariance.inputs(row) for row in written()}
    blocks = [markdown_table(HEADER, [_line(entry, now) for entry in stored.values()])]
    return "\n\n".join([*blocks, *_lists(stored), _not_run(stored)])


def _results(entry: dict) -> dict[str, dict]:
    """By tag what was found of chapters that ran to their end and still exist."""
    known = statements()
    return {t: f for t, f in entry["chapters"].items() if "rows" in f and t in known}


def _line(entry: dict, now: dict[str, str]) -> list[str]:
    """A condition's cells.  now: by tag what a run of the chapter would depend on."""
    by_tag = _results(entry)
    found, fresh = by_tag.values(), sum(f["inputs"] == now.get(t) for t, f in by_tag.items())
    counted = [sum(one[name] for one in found) for name in ("rows", "shrunk", "margins")]
    listed = [sum(len(one[name]) for one in found) for name in ("statuses", "verdicts")]
    rows, shrunk, margins = counted
    near = sum(len(one["tight"]) for one in found)
    versions = ", ".join(sorted({one["python"] for one in found}))
    numbers = [len(found), fresh, rows, *listed, f"{shrunk} of {margins}", near]
    return [entry["words"], versions, *map(str, numbers)]


def _lists(stored: dict) -> list[str]:
    """Folded: what changed, and which rows come close to their bounds."""
    changed = [
        f"- {entry['words']}, {_chapter(tag)}: {table_cell(line)}"
        for entry in stored.values()
        for tag, found in entry["chapters"].items()
        if tag in statements()
        for line in invariance.changes(found)
    ]
    tight = sorted(
        (
            [entry["words"], _chapter(tag), *row]
            for entry in stored.values()
            for tag, found in _results(entry).items()
            for row in found["tight"]
        ),
        key=lambda row: row[-1],
    )
    cells = [
        [words, chapter, f"`{name.partition('#')[2]}`", _percent(before), _percent(here)]
        for words, chapter, name, before, here in tight
    ]
    header = ["condition", "chapter", "row", "clear of its bound as stored", "here"]
    percent = _percent(invariance.TIGHT)
    near = f"Margins below half and within {percent} of the bound: {len(cells)}"
    folds = [
        (f"What changed: {len(changed)}", "\n".join(changed)),
        (near, markdown_table(header, cells) if cells else ""),
    ]
    return [f":::{{dropdown}} {title}\n{text}\n:::" for title, text in folds if text]


def _chapter(tag: str) -> str:
    return link(statement(tag), paths.document("status"))


def _not_run(stored: dict) -> str:
    """Which chapters a condition left out and why; which versions of Python nobody tried."""
    lines = []
    for entry in stored.values():
        why: dict[str, list[str]] = {}
        for tag, found in entry["chapters"].items():
            if tag not in statements():
                continue
            if "needs" in found:
                why.setdefault(f"{found['needs']} is not there", []).append(tag)
            elif "unchanged" in found:
                words = ", ".join(f"`{name}`" for name in found["unchanged"])
                why.setdefault(f"no parameter {words}", []).append(tag)
        lines += [
            f"- {entry['words']}, {reason}: {', '.join(map(_chapter, tags))}."
            for reason, tags in why.items()
        ]
    versions = ", ".join(v for v in allowed_versions() if f"python-{v}" not in stored)
    lines += [f"- Beside the stored run, not asked: Python {versions}."] if versions else []
    return "\n".join([":::{dropdown} What was not run", *lines, ":::"]) if lines else ""


def allowed_versions() -> list[str]:
    """The minor versions of Python that the project's ``requires-python`` allows, if it has one."""
    asked = doctor.requires_python()
    minors = [f"3.{minor}" for minor in EVERY_MINOR]
    return [one for one in minors if SpecifierSet(asked).contains(one)] if asked else []
