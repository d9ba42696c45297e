"""The ledger of the whole book, collected from the stored notebooks."""

import json
from collections import Counter

from lib.ledger import status, surprises
from tooling import notebooks, paths
from tooling.statements import statements

EMPTY = {"claims": [], "hypotheses": [], "errata": []}


def record_of(row):
    """What a chapter's stored notebook recorded, or an empty record."""
    record = notebooks.closing_record(notebooks.read(row.chapter)) if row.written else None
    return record or {"tag": row.tag, **EMPTY}


def collect():
    """The ledger in its public form: statements with claims and hypotheses, and all errata."""
    rows, errata = [], []
    for row in statements().values():
        record = record_of(row)
        rows.append(
            {
                "tag": row.tag,
                "paper": row.paper,
                "number": row.number,
                "title": row.title,
                "chapter": paths.relative(row.chapter) if row.written else None,
                "uses": list(row.uses),
                "status": status(record["claims"], record["errata"], row.kind == "experiment"),
                "claims": record["claims"],
                "hypotheses": record["hypotheses"],
            }
        )
        errata += record["errata"]
    return {"statements": rows, "errata": errata}


def write(ledger):
    """Store the ledger, and the short list of statuses that pages of other chapters show."""
    paths.write_if_changed(paths.LEDGER, json.dumps(ledger, indent=1, ensure_ascii=False))
    paths.write_if_changed(
        paths.STATUSES,
        json.dumps({row["tag"]: row["status"] for row in ledger["statements"]}, indent=1),
    )


def load():
    """The collected ledger; made now if there is none."""
    if not paths.LEDGER.exists():
        write(collect())
    return json.loads(paths.LEDGER.read_text(encoding="utf-8"))


def all_surprises(ledger):
    """Every red row that nobody announced, over the whole book."""
    lines = []
    for row in ledger["statements"]:
        lines += surprises(
            {**row, "errata": [e for e in ledger["errata"] if e["tag"] == row["tag"]]}
        )
    return lines


def summary(ledger):
    """One line: how many statements have which status."""
    counts = Counter(row["status"] for row in ledger["statements"])
    return ", ".join(f"{number} {name}" for name, number in counts.most_common())
