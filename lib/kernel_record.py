"""What a proof assistant's kernel accepted: the stored record of ``proofs/``, read only.

``make prove`` writes the record; a proof whose source changed since counts as not checked.
"""

import hashlib
import json
from pathlib import Path

PROOFS = Path(__file__).resolve().parents[1] / "proofs"


def source(tag):
    """The proof file of a statement's tag, whether or not it exists."""
    paper, name = tag.split(".")
    return PROOFS / paper / f"{name.replace('-', '_')}.v"


def checked(tag, theorem, proofs=PROOFS):
    """``"THEOREM accepted"`` if the kernel accepted it in the source as it is, else why not."""
    file = proofs / source(tag).relative_to(PROOFS)
    if not file.exists():
        return "there is no proof file"
    record = json.loads((proofs / "record.json").read_text(encoding="utf-8"))
    entry = record.get("statements", record).get(tag, {})
    if entry.get("sha256") != hashlib.sha256(file.read_bytes()).hexdigest():
        return "the source changed since it was checked: run make prove"
    names = [row["name"] for row in entry["theorems"]]
    return f"{theorem} accepted" if theorem in names else f"{theorem} is not among {names}"
