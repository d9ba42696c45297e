"""A crate of a foreign companion: identifiers by an independent count, and what its check says."""

import hashlib
import json
import os
import subprocess
import sys

import pytest

from ledgerbook import crate, paths

pytest.importorskip("rocrate")
IDENTITY = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
CITATION = """title: Power iteration, taken apart
version: 1.0.0
license: MIT
authors: [{family-names: Mises, given-names: Richard von}]
"""
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # as every git knows it
EMPTY_FILE = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


def git(folder, *command):
    done = subprocess.run(["git", *IDENTITY, *command], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def commit(folder):
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "all")


def hashed(kind, data):
    """The hash of an object, as the specification of SWHIDs has it for contents and directories."""
    return hashlib.sha1(f"{kind} {len(data)}\0".encode() + data)


def directory(folder):
    """The hash of a folder, counted without git."""
    entries = []
    for path in folder.iterdir():
        if path.is_symlink():
            mode, found = "120000", hashed("blob", os.readlink(path).encode())
        elif path.is_dir():
            mode, found = "40000", directory(path)
        else:
            mode = "100755" if os.access(path, os.X_OK) else "100644"
            found = hashed("blob", path.read_bytes())
        order = path.name + "/" * (mode == "40000")
        entries.append((order, f"{mode} {path.name}\0".encode() + found.digest()))
    return hashed("tree", b"".join(entry for _, entry in sorted(entries)))


def test_the_count_without_git_gives_the_known_hashes(tmp_path):
    assert directory(tmp_path).hexdigest() == EMPTY_TREE
    assert hashed("blob", b"").hexdigest() == EMPTY_FILE


def test_identifiers_are_those_of_the_specification(tmp_path, monkeypatch):
    source = tmp_path / "source"
    (source / "lib/inner").mkdir(parents=True)
    (source / "lib/inner/x.py").write_text("x = 1\n")
    (source / "lib.txt").write_text("sorts between lib and its slash")
    (source / "run").write_text("#!/bin/sh\n")
    (source / "run").chmod(0o755)
    (source / "link").symlink_to("lib.txt")
    wanted, inner = directory(source).hexdigest(), directory(source / "lib").hexdigest()
    commit(source)
    monkeypatch.setattr(paths, "ROOT", source)
    monkeypatch.setattr(paths, "packages", lambda: [source / "lib"])
    found = crate.identifiers()
    assert found["source"] == f"swh:1:dir:{wanted}" and found["lib"] == f"swh:1:dir:{inner}"
    assert found["commit"] == f"swh:1:rev:{git(source, 'rev-parse', 'HEAD')}"


@pytest.fixture(scope="module")
def made(executed_in, tmp_path_factory):
    """A companion and its crate."""
    book = executed_in(tmp_path_factory.mktemp("crate"), "power_iteration")
    (book.root / "CITATION.cff").write_text(CITATION)
    (book.root / ".gitignore").write_text("_build/\n__pycache__/\n")
    commit(book.root)
    code, said = book.run("crate")
    assert code == 0, said
    return book, book.root / "_build/crate"


def check(folder, *words):
    """Exit status and output of the crate's own check, with this Python for an environment."""
    env = {name: v for name, v in os.environ.items() if name != "LEDGERBOOK_PROJECT"}
    done = subprocess.run(
        [sys.executable, "check.py", *words],
        cwd=folder,
        env=env | {"PYTHONPATH": str(crate.CHECK.parents[2])},
        capture_output=True,
        text=True,
        timeout=200,
    )
    return done.returncode, done.stdout + done.stderr


def rows(folder):
    """Number of each row by its name."""
    listed = json.loads((folder / "claims.json").read_text(encoding="utf-8"))
    return {one["row"]: one["number"] for one in listed}


def test_the_crate_is_what_was_committed_and_nothing_is_made_up(made):
    book, folder = made
    source = json.loads((folder / "codemeta.json").read_text(encoding="utf-8"))["identifier"]
    assert source == f"swh:1:dir:{git(book.root, 'rev-parse', 'HEAD^{tree}')}"
    assert directory(folder / "source").hexdigest() == source.rpartition(":")[2]
    graph = json.loads((folder / "ro-crate-metadata.json").read_text(encoding="utf-8"))["@graph"]
    runs = [one for one in graph if one["@type"] == "CreateAction"]
    assert {run["@id"] for run in runs} == {
        "#run-textbook.theorem-01",
        "#run-textbook.corollary-01",
    }
    text = (folder / "ARTIFACT.md").read_text(encoding="utf-8")
    assert all(words in text for words in crate.MISSING.values())


def test_claims_are_reproduced_from_the_crate(made):
    _, folder = made
    number = rows(folder)
    code, said = check(folder, number["order"], number["tangent"])
    assert code == 0 and "2 of 2 claims reproduced" in said, said


def test_a_wrong_number_in_the_crate_is_reported_by_name(made):
    _, folder = made
    number, file = rows(folder)["order"], folder / "ledger.json"
    whole = file.read_text(encoding="utf-8")
    ledger = json.loads(whole)
    (row,) = (c for s in ledger["statements"] for c in s["claims"] if c["id"] == "order")
    row["observed"] *= 1 + 1e-4
    file.write_text(json.dumps(ledger), encoding="utf-8")
    try:
        code, said = check(folder, number)
    finally:
        file.write_text(whole, encoding="utf-8")
    assert code == 1 and f"DIFFERS {number} textbook.corollary-01 order" in said, said


def test_a_status_that_the_schema_does_not_know_is_refused(made):
    _, folder = made
    file = folder / "ledger.json"
    whole = file.read_text(encoding="utf-8")
    file.write_text(whole.replace('"status": "holds"', '"status": "probably"'), encoding="utf-8")
    try:
        code, said = check(folder, rows(folder)["order"])
    finally:
        file.write_text(whole, encoding="utf-8")
    assert code != 0 and "probably" in said and "reproduced" not in said, said


def test_uncommitted_changes_and_foreign_folders_are_refused(made, tmp_path):
    book, folder = made
    code, said = book.run("crate", "--out", str(tmp_path))
    assert code == 2 and "an older crate" in said
    book.replace("power/iteration.py", "import numpy", "import  numpy")
    code, said = book.run("crate")
    book.replace("power/iteration.py", "import  numpy", "import numpy")
    assert code == 2 and "power/iteration.py" in said and (folder / "check.py").exists()
