"""What a proof assistant accepted, on the page: its words, the axioms, the source, the command."""

from ledgerbook.ledger import coq_record
from ledgerbook.project import paths


def section(record: dict) -> str:
    """The theorems of a statement in the kernel's words; empty where there is no proof.

    record: the statement's entry of the ledger.
    """
    tag = record["tag"]
    stored, rows = coq_record.record(), coq_record.theorems(tag)
    if not rows:
        return ""
    labels = {claim["id"]: claim["label"] for claim in record["claims"]}
    axioms = sorted({axiom for row in rows for axiom in row["axioms"]})
    file = paths.relative(coq_record.source(tag))
    return "\n\n".join(
        [
            f"Accepted by the kernel of Coq {stored['coq']}; `make prove` checks it again.",
            *(_theorem(row, labels.get(coq_record.row_id(row["name"]))) for row in rows),
            f"Axioms: {', '.join(f'`{name}`' for name in axioms) or 'none'}.",
            _source(file, coq_record.source(tag).read_text(encoding="utf-8")),
        ]
    )


def _theorem(row: dict, label: str | None) -> str:
    """A theorem in the words of its row's label, or of its file where it has no row."""
    known = row["verdict"].replace("-", " ") if label is None else label
    verdict = known if known.startswith(("refuted", "holds")) else f"holds {known}".strip()
    return f"- **{verdict}** (`{row['name']}`): {row['words']}\n\n" + _block(
        "coq", row["statement"], "  "
    )


def _source(file: str, text: str) -> str:
    return f"::::{{dropdown}} The proof, `{file}`\n{_block('coq', text, '')}\n::::"


def _block(language: str, text: str, indent: str) -> str:
    lines = [f"```{language}", *text.rstrip().splitlines(), "```"]
    return "\n".join(indent + line for line in lines)
