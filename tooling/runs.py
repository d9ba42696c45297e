"""Records of runs: what a chapter's last execution was made from, what it cost, how it ended."""

import json

from tooling import fingerprint, notebooks, paths


def path(tag):
    """Where the record of a chapter lies."""
    return paths.RUNS / f"{tag}.json"


def load(tag):
    """The record of a chapter's last finished execution, or an empty one."""
    try:
        return json.loads(path(tag).read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return {}


def save(tag, record):
    """Store a record, atomically."""
    paths.write_atomically(path(tag), json.dumps(record, indent=1, sort_keys=True))


def is_fresh(row):
    """Whether the stored notebook is what executing the chapter now would give."""
    record = load(row.tag)
    if record.get("error") or "fingerprint" not in record:
        return False
    try:
        notebook = notebooks.read(row.chapter)
    except Exception:  # a damaged file is a reason to execute, whatever is wrong with it
        return False
    return record["fingerprint"] == fingerprint.fingerprint(notebook) and record[
        "outputs"
    ] == notebooks.outputs_digest(notebook)
