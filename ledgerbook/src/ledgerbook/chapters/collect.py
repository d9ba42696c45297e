"""The ledger of the whole book, collected from the stored notebooks."""

import json
from collections import Counter
from pathlib import Path

import jsonschema
import networkx as nx

from ledgerbook.chapters import equations, notebooks
from ledgerbook.chapters.data_scripts import packed
from ledgerbook.chapters.statements import Statement, statements
from ledgerbook.ledger import coq_record, trusted
from ledgerbook.ledger.judgement import (
    BESIDE,
    BEYOND,
    conditions,
    deciding,
    inherited,
    label,
    labels,
    parts,
    status,
    strengths,
    surprises,
)
from ledgerbook.project import storage
from ledgerbook.project.project import current

SCHEMA = Path(__file__).parents[1] / "ledger.schema.json"  # of the ledger's public form
LISTS = ("claims", "hypotheses", "errata", "consequences", "findings", "trusted")
EMPTY: dict = {name: [] for name in LISTS} | {"parts": {}}


def record_of(row: Statement) -> dict:
    """What the stored notebook of a statement recorded of it; nothing where it is damaged."""
    try:
        records = notebooks.closing_records(notebooks.read(row.chapter)) if row.written else {}
    except (OSError, ValueError):
        records = {}
    known = {"tag": row.tag, "standing": row.standing, "equations": row.equations}
    return known | EMPTY | records.get(row.tag, {})


def collect() -> dict:
    """The ledger in its public form: statements, errata with their reach, equations."""
    records = {tag: record_of(row) for tag, row in statements().items()}
    strong = strengths(records)
    rows = [_public(row, records[tag], strong) for tag, row in statements().items()]
    for row in rows:
        row["inherited"] = inherited(row["tag"], records)
    graph = dependencies()
    errata = [erratum for record in records.values() for erratum in record["errata"]]
    follow = [one for record in records.values() for one in record["consequences"]]
    for erratum in errata:
        erratum["script"] = current().relative(current().errata / f"{erratum['id']}.py")
        erratum["consequences"] = [one for one in follow if one["id"] == erratum["id"]]
        users = nx.descendants(graph, erratum["tag"])
        erratum["downstream"] = [
            _survival(record) for tag, record in records.items() if tag in users
        ]
    errata.sort(key=lambda erratum: int(erratum["id"][1:]))
    return {
        "version": 3,  # of ``ledger.schema.json``
        "statements": rows,
        "errata": errata,
        "equations": equations.covered(rows),
        "trust": trusted.surface(rows),
    }


def _public(row: Statement, record: dict, strong: dict) -> dict:
    """A statement's entry."""
    verdicts = {coq_record.row_id(t["name"]): t["verdict"] for t in coq_record.theorems(row.tag)}
    for claim in record["claims"]:
        claim["label"] = _label(claim, record, verdicts)
    public = {
        "tag": row.tag,
        "paper": row.paper,
        "number": row.number,
        "title": row.title,
        "kind": row.kind,
        "standing": row.standing,
        "chapter": current().relative(row.chapter) if row.written else None,
        "uses": list(row.uses),
        "status": status(record, row.kind),
        "strength": strong[row.tag],
        "parts": [
            {"part": name, "strength": own, "rows": record["parts"].get(name, [])}
            for name, own in parts(record, strong).items()
        ],
        "against": [claim["id"] for claim in deciding(record)],
        "beside": record["parts"].get(BESIDE, []),
        "conditions": conditions(record),
        **{key: record[key] for key in ("claims", "hypotheses", "findings", "trusted")},
    }
    if row.kind == "assumption":
        asked = [claim for claim in record["claims"] if claim["subject"]]
        public["met_by"] = [claim["subject"] for claim in asked if claim["passed"]]
        public["not_met_by"] = [claim["subject"] for claim in asked if not claim["passed"]]
    return public


def _label(row: dict, record: dict, verdicts: dict) -> str:
    """Whose words a row takes; a kernel's theorem may refute them, or say that it corrects them."""
    own, verdict = label(row, record), verdicts.get(row["id"])
    if verdict == "refuted-as-printed" and own != "as corrected":
        wrong = [one for one in record["claims"] if one["as_printed"] and not one["passed"]]
        about = {name for one in wrong for name in labels(one["equation"])}
        return "refuted as printed" if about & {*labels(row["equation"])} else f"refuted, {BEYOND}"
    mended = verdict == "holds-as-corrected" and record["standing"] != "ours"
    return "as corrected" if mended and own in ("", BEYOND) else own


def dependencies() -> nx.DiGraph:
    """All statements, an edge from what is used to what uses it."""
    graph = nx.DiGraph()
    graph.add_nodes_from(statements())
    graph.add_edges_from((use, row.tag) for row in statements().values() for use in row.uses)
    return graph


def _survival(record: dict) -> dict:
    """How many of a statement's claims pass, and which of them only as corrected."""
    fails = [item["evidence"][0] for item in [*record["errata"], *record["consequences"]]]
    passed = sum(row["passed"] for row in record["claims"])
    return {"tag": record["tag"], "survive": passed, "claims": len(record["claims"]), "fail": fails}


def validate(ledger: dict) -> None:
    """Raise ``jsonschema.ValidationError`` unless the ledger has the published form."""
    jsonschema.validate(ledger, storage.table(SCHEMA))


def write(ledger: dict) -> None:
    """Store the ledger, and the short list of statuses that pages of other chapters show."""
    text = json.dumps(ledger, indent=1, ensure_ascii=False)
    if not (current().ledger.is_file() and current().ledger.read_bytes() == text.encode()):
        validate(ledger)  # what is stored was valid when it was written
        storage.write_atomically(current().ledger, text)
    found = {row["tag"]: row["status"] for row in ledger["statements"]}
    storage.write_if_changed(current().statuses, packed(found))


def renewed() -> dict:
    """The ledger as the stored chapters have it now; it is stored, too."""
    ledger = collect()
    write(ledger)
    return ledger


def statuses() -> dict[str, str]:
    """The computed status of each statement, by tag, as last stored."""
    return storage.table(current().statuses)


def load() -> dict:
    """The collected ledger; made now if there is none."""
    if not current().ledger.exists():
        return renewed()
    return storage.table(current().ledger)


def all_surprises(ledger: dict) -> list[str]:
    """Every red row that nobody announced, over the whole book."""
    follow = [one for erratum in ledger["errata"] for one in erratum["consequences"]]
    lines = []
    for row in ledger["statements"]:
        errata, consequences = (
            [one for one in some if one["tag"] == row["tag"]] for some in (ledger["errata"], follow)
        )
        lines += surprises({**row, "errata": errata, "consequences": consequences})
    return lines


def summary(ledger: dict) -> str:
    """One line: how many statements have which status."""
    counts = Counter(row["status"] for row in ledger["statements"])
    return ", ".join(f"{number} {name}" for name, number in counts.most_common())
