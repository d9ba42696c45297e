"""What a proof assistant's kernel accepted: the stored record of the proofs, read only.

``make prove`` writes the record.  A proof whose source, or a source that it needs, changed since
counts as not checked.
"""

import hashlib

from ledgerbook.project import seals, settings, storage


def folder():
    """The companion's folder of proofs."""
    return settings.root() / settings.settings().proofs


def source(tag):
    """The proof file of a statement's tag, or of a shared one, whether or not it exists."""
    paper, name = tag.split(".")
    return folder() / paper / f"{name.replace('-', '_')}.v"


def file():
    """Where the record is stored."""
    return folder() / "record.json"


def record():
    """The stored record: ``coq``, ``shared`` and ``statements``; empty where nothing was proved."""
    return storage.table(file())


def theorems(tag):
    """The theorems recorded for a tag: name, verdict, words, statement as Coq prints it, axioms."""
    return record().get("statements", {}).get(tag, {}).get("theorems", [])


def row_id(theorem):
    """The id of the row that records a theorem."""
    return f"kernel-{theorem.replace('_', '-').lower()}"


def outdated(tag):
    """Why the record does not speak of a tag's proof and what it needs as they are, or ``None``."""
    stored = record()
    entry = stored.get("statements", {}).get(tag)
    if entry is None:
        return "there is no proof on record"
    others = {name: other["sha256"] for name, other in stored["statements"].items()}
    known = stored["shared"] | others
    if f"statements[{tag}]" in seals.broken(file()):
        return f"the record of {tag} is not as it was stored: run make prove"
    for name in [tag, *entry["requires"]]:
        text = source(name)
        if not text.exists() or hashlib.sha256(text.read_bytes()).hexdigest() != known[name]:
            return f"the source of {name} changed since it was checked: run make prove"
    return None


def checked(tag, theorem):
    """``"THEOREM accepted"`` if the kernel accepted it in the sources as they are, else why not."""
    names = [row["name"] for row in theorems(tag)]
    accepted = f"{theorem} accepted" if theorem in names else f"{theorem} is not among {names}"
    return outdated(tag) or accepted
