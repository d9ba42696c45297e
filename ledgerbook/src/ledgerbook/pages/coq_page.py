"""What a proof assistant accepted, on the page: its words, the axioms, the source, the command."""

import textwrap

from ledgerbook.ledger import coq_record
from ledgerbook.project.project import current


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
    file = coq_record.source(tag)
    return "\n\n".join(
        [
            f"Accepted by the kernel of Coq {stored['coq']}; `make prove` checks it again.",
            *(theorem(row, labels.get(coq_record.row_id(row["name"]))) for row in rows),
            f"Axioms: {', '.join(f'`{name}`' for name in axioms) or 'none'}.",
            f"::::{{dropdown}} The proof, `{current().relative(file)}`\n"
            + _block(file.read_text(encoding="utf-8"))
            + "\n::::",
        ]
    )


def theorem(row: dict, label: str | None, more: str = "") -> str:
    """A theorem in the words of its row's label, or of its file where it has no row; ``more``: what
    is said behind its name.
    """
    known = row["verdict"].replace("-", " ") if label is None else label
    verdict = known if known.startswith(("refuted", "holds")) else f"holds {known}".strip()
    shown = textwrap.indent(_block(row["statement"]), "  ", lambda line: True)
    return f"- **{verdict}** (`{row['name']}`{more}): {row['words']}\n\n{shown}"


def _block(text: str) -> str:
    return f"```coq\n{text.rstrip()}\n```"
