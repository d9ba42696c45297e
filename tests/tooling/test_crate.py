"""The crate's numbers and identifiers, and what it refuses: nothing made up, nothing half done."""

import csv
import io
import subprocess

import pytest

from ledgerbook import collect, crate, paths, recheck, runs

IS_REPOSITORY = subprocess.run(["git", "rev-parse"], cwd=paths.ROOT, capture_output=True)


@pytest.fixture(scope="module")
def ledger():
    return collect.collect()


def test_every_row_has_one_number_and_one_line(ledger):
    rows = recheck.numbered(ledger)
    assert [one.number for one in rows] == [f"C{k}" for k in range(1, len(rows) + 1)]
    listed = list(csv.DictReader(io.StringIO(recheck.table(ledger))))
    assert [(one["statement"], one["row"]) for one in listed] == [
        (one.statement["tag"], one.row["id"]) for one in rows
    ]
    assert len(rows) > sum(len(record["claims"]) for record in ledger["statements"])  # controls


def test_a_row_that_moved_or_is_gone_differs(ledger):
    one = next(
        one
        for one in recheck.numbered(ledger)
        if isinstance(value := one.row["observed"], float) and abs(value) > 3 * one.row["atol"]
    )
    found = {one.statement["tag"]: {one.row["id"]: dict(one.row)}}
    assert recheck._differences(one, found) == []
    found[one.statement["tag"]][one.row["id"]]["observed"] *= 1.5
    assert recheck._differences(one, found)
    assert recheck._differences(one, {}) == ["no such row any more"]


@pytest.mark.skipif(IS_REPOSITORY.returncode != 0, reason="not a git repository")
def test_identifiers_are_git_s_own():
    found = crate.identifiers()
    tree = subprocess.run(
        ["git", "rev-parse", "HEAD^{tree}"], cwd=paths.ROOT, capture_output=True, text=True
    ).stdout.strip()
    assert found["source"] == f"swh:1:dir:{tree}" and found["lib"] != found["source"]


def test_a_crate_is_made_from_a_commit_of_a_book_that_ran_here(monkeypatch, tmp_path):
    monkeypatch.setattr(crate, "git", lambda *command: " M book/intro.md")
    with pytest.raises(ValueError, match="intro.md"):
        crate.write(tmp_path / "crate")
    monkeypatch.setattr(crate, "git", lambda *command: "")
    monkeypatch.setattr(runs, "is_fresh", lambda row: False)
    with pytest.raises(ValueError, match="make book"):
        crate.write(tmp_path / "crate")
    (tmp_path / "mine").mkdir()
    with pytest.raises(ValueError, match="OUT"):
        crate.write(tmp_path / "mine")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine"]
