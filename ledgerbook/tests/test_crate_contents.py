"""What a crate of a made-up book holds, file by file and run by run."""

import hashlib
import json
import os
import subprocess
from types import SimpleNamespace

import pytest
from ledgerbook.statements import Statement

from ledgerbook import crate, paths, runs

pytest.importorskip("rocrate")
CITATION = """title: Ein Buch über η
version: 1.0.0
license: MIT
authors:
- {family-names: Mises, given-names: Richard von, affiliation: Berlin}
- {name: A group}
references: [{title: One paper}, {title: Another}]
"""
ROWS = [Statement("a.one", "Lemma 1", "one"), Statement("a.two", "Lemma 2", "two")]
SECONDS = {"a.one": 90, "a.two": 30.5}


def git(folder, *command):
    name = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
    subprocess.run(["git", *name, *command], cwd=folder, check=True, capture_output=True)


def claim(id, **more):
    return {"id": id, "claim": "words", "observed": 1.0, "passed": True, **more}


@pytest.fixture
def book(project, monkeypatch):
    """A repository of two chapters that ran here; returns its folder."""
    root = project / "root"
    monkeypatch.setattr(paths, "ROOT", root)
    monkeypatch.setattr(paths, "BOOK", root / "book")
    monkeypatch.setattr(paths, "BUILD", root / "_build")
    monkeypatch.setattr(paths, "LOCKS", (root / "one.lock",))
    monkeypatch.setattr(paths, "packages", lambda: [root / "lib"])
    for row in ROWS:
        row.chapter.parent.mkdir(parents=True, exist_ok=True)
        row.chapter.write_text(f"chapter {row.tag}", encoding="utf-8")
    for name, text in (
        ("CITATION.cff", CITATION),
        ("lib/x.py", "x = 1\n"),
        (".gitignore", "_build\n"),
    ):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "all", "--date=2024-05-01T00:00:00+00:00")
    statements = [
        {"tag": row.tag, "chapter": crate._place(row), "hypotheses": [], "claims": claims}
        for row, claims in zip(ROWS, ([claim("first"), claim("second")], [claim("third")]))
    ]
    ledger = {"statements": statements, "errata": []}
    monkeypatch.setattr(crate, "written", lambda: ROWS)
    monkeypatch.setattr(crate.collect, "collect", lambda: ledger)
    monkeypatch.setattr(crate.collect, "validate", lambda ledger: None)
    settings = SimpleNamespace(title="η", command="python -m x", install=["i"], python="3")
    monkeypatch.setattr(crate.project, "settings", lambda: settings)
    monkeypatch.setattr(runs, "is_fresh", lambda row: True)
    for row in ROWS:
        record = {"error": None, "seconds": SECONDS[row.tag], "time": "2024-05-01 00:01 UTC"}
        runs.save(row.tag, record | {"environment": "Python 3 on η", "inputs": "abc"})
    return root


def read(file):
    return json.loads(file.read_text(encoding="utf-8"))


def test_the_folder_holds_the_source_the_evidence_and_what_checks_it(book, capsys):
    assert crate.main() == 0
    assert capsys.readouterr().out == "_build/crate: start with ARTIFACT.md\n"
    made = book / "_build/crate"
    files = {file.relative_to(made).as_posix() for file in made.rglob("*") if file.is_file()}
    evidence = {"ledger.json", "ledger.schema.json", "claims.json", "claims.csv", "ARTIFACT.md"}
    evidence |= {"install.json", "codemeta.json", "check.py", "ro-crate-metadata.json"}
    assert {name for name in files if "/" not in name} - {"ro-crate-preview.html"} == evidence
    source = {name for name in files if name.startswith("source/")}
    chapters = {f"source/{crate._place(row)}" for row in ROWS}
    assert source == chapters | {"source/CITATION.cff", "source/lib/x.py", "source/.gitignore"}
    assert {name for name in files if name.startswith("runs/")} == {
        f"runs/{row.tag}.json" for row in ROWS
    }
    assert read(made / "runs/a.one.json") == runs.load("a.one")
    assert read(made / "install.json") == {"command": ["i"], "python": "3"}
    assert [(one["row"], one["seconds"]) for one in read(made / "claims.json")] == [
        *(("first", 90), ("second", 90), ("third", 30.5))
    ]
    assert (made / "check.py").read_bytes() == crate.CHECK.read_bytes()
    assert (made / "ledger.schema.json").read_bytes() == paths.SCHEMA.read_bytes()
    appendix = (made / "ARTIFACT.md").read_text(encoding="utf-8")
    assert "# Artifact appendix: η\n" in appendix and "took 120 s" in appendix
    assert "| E1 | Lemma 1 — one | `python -m x chapter a.one` | 90.0 | C1 to C2 |" in appendix
    assert "| E2 | Lemma 2 — two | `python -m x chapter a.two` | 30.5 | C3 to C3 |" in appendix


def test_each_run_says_when_it_was_what_it_read_and_what_it_stored(book):
    target = book / "_build/deep/crate"
    crate.write(target)
    crate.write(target)  # an older crate is replaced
    graph = {one["@id"]: one for one in read(target / "ro-crate-metadata.json")["@graph"]}
    run, notebook = graph["#run-a.one"], graph[f"source/{crate._place(ROWS[0])}"]
    assert (run["startTime"], run["endTime"]) == ("2024-04-30T23:59:30Z", "2024-05-01T00:01:00Z")
    assert run["instrument"] == run["object"] == {"@id": notebook["@id"]}
    assert run["result"] == {"@id": "runs/a.one.json"}
    assert notebook["sha256"] == hashlib.sha256(b"chapter a.one").hexdigest()
    assert graph["./"]["mentions"] == [{"@id": f"#run-{row.tag}"} for row in ROWS]
    formats = {name: graph[name]["encodingFormat"] for name in ("check.py", "claims.csv")}
    assert formats == {"check.py": "text/x-python", "claims.csv": "text/csv"}
    assert graph["ARTIFACT.md"]["encodingFormat"] == "text/markdown"
    assert graph["source/"]["identifier"] == crate.identifiers()["source"]
    assert [path.name for path in target.parent.iterdir()] == ["crate"]


def test_the_metadata_are_those_of_the_citation_and_of_git(book):
    found = crate.codemeta()
    assert found["author"] == [
        {"@type": "Person", "familyName": "Mises", "givenName": "Richard von"},
        {"@type": "Person", "name": "A group"},
    ]
    assert found["name"] == "Ein Buch über η" and found["license"].endswith("/MIT")
    assert found["referencePublication"] == ["One paper", "Another"]
    assert found["softwareRequirements"] == ["one.lock"]


def test_a_record_is_readable_text_with_a_line_a_field(tmp_path):
    crate._json(tmp_path / "in" / "it.json", {"η": [1]})
    crate._json(tmp_path / "in" / "it.json", {"η": 1})
    assert (tmp_path / "in/it.json").read_text(encoding="utf-8") == '{\n "η": 1\n}\n'


@pytest.mark.parametrize(("said", "why"), [("no repository\n", "no repository"), ("", "failed")])
def test_what_git_says_of_its_failure_is_told(monkeypatch, said, why):
    failed = SimpleNamespace(returncode=128, stderr=said, stdout="")
    monkeypatch.setattr(crate.subprocess, "run", lambda *given, **options: failed)
    with pytest.raises(ValueError, match=f"^git rev-parse: {why}$"):
        crate.git("rev-parse", "HEAD")


@pytest.mark.parametrize("tool", ["git", "tar"])
def test_a_source_that_is_not_whole_is_no_source(book, tmp_path, monkeypatch, tool):
    broken = tmp_path / "bin" / tool
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{broken.parent}:{os.environ['PATH']}")
    with pytest.raises(subprocess.CalledProcessError, match=f"'{tool}'"):
        crate._write_files(tmp_path / "files")
