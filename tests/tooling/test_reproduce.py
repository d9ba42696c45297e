"""This machine's run beside the stored outputs: the same, drift, altered, stored anew."""

import copy
import json
import subprocess

import nbformat
import pytest
from ledgerbook.chapters import fingerprint, notebooks
from ledgerbook.chapters.notebooks import ledger_outputs
from ledgerbook.chapters.statements import statement, written
from ledgerbook.execution import environment, run_records, snapshot
from ledgerbook.ledger import coq_record
from ledgerbook.project import seals
from ledgerbook.project.project import current
from ledgerbook.regression import reproduce
from ledgerbook.regression.reproduce import (
    ALTERED,
    DRIFT,
    ELSEWHERE,
    FROM_HERE,
    MEANWHILE,
    REPRODUCED,
    STORED,
    TURNED,
)

ROW = statement("scan-snap.lemma-05")


def lock(notebook):
    """Let the record say what the outputs are, as a thorough hand would."""
    notebook.metadata["book"]["outputs"] = notebooks.outputs_digest(notebook)


def write(notebook):
    """Store the chapter; returns its bytes."""
    ROW.chapter.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")
    return ROW.chapter.read_bytes()


def verdict(force=False):
    """Compare the chapter with its last run, and store what is to be stored."""
    return reproduce.store(ROW, reproduce.verdict(ROW, run_records.last(ROW), force))


@pytest.fixture
def run(project, executed):
    """The project after this machine has executed the chapter."""
    notebooks.store(executed, run_records.executed(ROW))
    record = {"error": None, "environment": environment.described(), "seconds": 1.0}
    run_records.save(ROW.tag, record | {"inputs": executed.metadata["book"]["inputs"]})


def test_the_same_is_reproduced_and_nothing_is_written(run, executed):
    before = write(executed)
    assert run_records.is_fresh(ROW)
    assert verdict().outcome == REPRODUCED
    assert ROW.chapter.read_bytes() == before
    assert run_records.load(ROW.tag)["verdict"]["outcome"] == REPRODUCED
    assert verdict().outcome == REPRODUCED


def test_drift_names_the_row_and_leaves_the_file(run, executed, change):
    make, words = change
    make(executed)
    lock(executed)
    before = write(executed)
    for _ in range(2):  # computed, then from the record
        found = verdict()
        assert found.outcome in (DRIFT, ALTERED, TURNED)
        assert words in "\n".join(found.lines) and "git checkout" in found.lines[-1]
    assert ROW.chapter.read_bytes() == before


def test_altered_outputs_are_named_and_left(run, executed, change):
    make, words = change
    make(executed)
    before = write(executed)
    found = verdict()
    assert found.outcome in (ALTERED, TURNED) and words in "\n".join(found.lines)
    assert ROW.chapter.read_bytes() == before


def test_stripped_outputs_are_named_and_a_commit_without_them_is_not_advised(run, executed):
    """As ``nbstripout`` leaves them, in the folder and in the last commit."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", ROW.chapter.parent]
    subprocess.run([*git, "init", "--quiet"], check=True)
    whole = write(executed)
    for cell in notebooks.code_cells(executed):
        cell.outputs, cell.execution_count = [], None
    stripped = write(executed)
    for committed, advised in ((whole, True), (stripped, False)):
        ROW.chapter.write_bytes(committed)
        subprocess.run([*git, "add", ROW.chapter], check=True)
        subprocess.run([*git, "commit", "--quiet", "--message", "one"], check=True)
        ROW.chapter.write_bytes(stripped)
        found = verdict()
        assert found.outcome == ALTERED and found.lines[0].startswith("its outputs were stripped")
        assert ("git checkout" in found.lines[-1]) == advised
        assert ("the last commit has no better" in found.lines[-1]) != advised
    assert ROW.chapter.read_bytes() == stripped


def test_altered_within_tolerance_is_named_too(run, executed):
    for output in notebooks.ledger_outputs(executed):
        for row in output.get("rows", ()) or output["closed"]["claims"]:
            row["observed"] *= 1 + 1e-9 if row["id"] == "first" else 1
    write(executed)
    found = verdict()
    assert found.outcome == ALTERED and "altered by hand" in found.lines[0]


def test_force_stores_what_was_computed(run, executed):
    good = copy.deepcopy(executed)
    notebooks.code_cells(executed)[1].outputs[0]["text"] = "anything 12.5"
    write(executed)
    found = verdict(force=True)
    assert found.outcome == STORED and "-> 'size 7" in found.lines[0]
    assert notebooks.read(ROW.chapter).cells == good.cells
    assert verdict().outcome == FROM_HERE  # later runs have nothing to tell
    assert run_records.is_fresh(ROW)


def test_an_edit_is_stored_anew_with_what_moved(run, executed):
    executed.metadata["book"]["inputs"] = "of another lib"
    executed.cells[0].source = "new prose"
    notebooks.ledger_outputs(executed)[0]["rows"][0]["observed"] = 0.2
    notebooks.ledger_outputs(executed)[1]["closed"]["claims"][0]["observed"] = 0.2
    write(executed)
    found = verdict()
    assert found.outcome == STORED and found.lines == (
        "first: observed: 0.2 -> 0.25 (rtol 1e-06, atol 0)",
    )
    after = notebooks.read(ROW.chapter)
    assert after.cells[0].source == "new prose"
    assert notebooks.ledger_outputs(after)[0]["rows"][0]["observed"] == 0.25


def test_comparing_writes_nothing_and_a_chapter_saved_meanwhile_is_left(run, executed):
    executed.metadata["book"]["inputs"] = "of another lib"
    before = write(executed)
    record = run_records.path(ROW.tag).read_bytes()
    found = reproduce.verdict(ROW, run_records.last(ROW))
    assert found.outcome == STORED and ROW.chapter.read_bytes() == found.was == before
    executed.cells[0].source = "saved meanwhile"
    after = write(executed)
    assert reproduce.store(ROW, found).outcome == MEANWHILE
    assert ROW.chapter.read_bytes() == after
    assert run_records.path(ROW.tag).read_bytes() == record


def test_a_verdict_that_an_edit_turned_is_not_stored_without_a_word(run, executed):
    executed.metadata["book"]["inputs"] = "of another lib"
    closed = notebooks.ledger_outputs(executed)[1]["closed"]
    for rows in (notebooks.ledger_outputs(executed)[0]["rows"], closed["claims"]):
        rows[0]["passed"] = False
    before = write(executed)
    found = verdict()
    assert found.outcome == TURNED and found.lines[0] == "first: passed: False -> True"
    assert ROW.chapter.read_bytes() == before and "--force" in found.lines[-1]
    assert verdict(force=True).outcome == STORED


def test_a_row_that_vanishes_by_an_edit_is_told(run, executed):
    executed.metadata["book"]["inputs"] = "of another chapter"
    extra = dict(ledger_outputs(executed)[0]["rows"][0], id="extra")
    ledger_outputs(executed)[0]["rows"].append(extra)
    write(executed)
    found = verdict()
    assert found.outcome == STORED
    assert found.lines[0] == "a row that is gone: extra, holds, observed 0.25"


def test_what_a_chapter_reads_and_a_hand_has_changed_is_never_taken_for_new(
    run, executed, monkeypatch, tmp_path
):
    table = tmp_path / "table.json"
    table.write_text('{"runs": [{"loss": 4.5}]}')
    seals.seal(table)
    monkeypatch.setattr(fingerprint, "tables", lambda notebook: [table])
    executed.metadata["book"]["inputs"] = "of the sealed table"
    before = write(executed)
    table.write_text('{"runs": [{"loss": 6.75}]}')
    for force in (False, True):
        found = verdict(force)
        assert found.outcome == ALTERED and "runs[0]: not as it was stored" in found.lines[0]
    assert ROW.chapter.read_bytes() == before


def test_all_that_is_dear_to_make_again_is_sealed_and_as_it_was_stored(monkeypatch, tmp_path):
    assert list(reproduce.stored()) == []
    dear = [coq_record.file(), *current().data.glob("*_*.json")]
    assert len(dear) == 8
    for file in dear:
        assert file.name in json.loads((file.parent / seals.NAME).read_text(encoding="utf-8"))


def test_every_chapter_was_stored_with_the_tables_that_are_there():
    for row in written():
        notebook = notebooks.read(row.chapter)
        known = snapshot.record(notebook).get("reads", {})
        assert [*reproduce.other_tables(known, fingerprint.reads(notebook))] == [], row.tag


def test_a_table_that_was_changed_with_its_seal_is_told(run, executed, monkeypatch, tmp_path):
    table = tmp_path / "table.json"
    monkeypatch.setattr(fingerprint, "reads", lambda _: {table.name: fingerprint.digest([table])})
    write(executed)
    for content in ('{"runs": [{"loss": 4.5}]}', '{"runs": [{"loss": 6.75}]}'):
        table.write_text(content)
        seals.seal(table)
        found = verdict()
        assert found.outcome == STORED and found.lines[0].startswith("reads table.json: ")
        assert verdict().outcome == FROM_HERE


def test_another_python_text_is_said_and_no_failure(run, executed, monkeypatch):
    monkeypatch.setattr(reproduce, "not_comparable", lambda notebook: "another text")
    write(executed)
    assert verdict().outcome == REPRODUCED
    notebooks.code_cells(executed)[1].outputs[0]["text"] = "anything 12.5"
    lock(executed)
    before = write(executed)
    found = verdict()
    assert found.outcome == ELSEWHERE and ELSEWHERE not in reproduce.BAD
    assert found.lines == ("another text",)
    assert ROW.chapter.read_bytes() == before
