"""What the site gives to programs: packed data, and tables of rows and errata."""

import csv
import json

import pytest
from ledgerbook.chapters import data_scripts
from ledgerbook.pages import downloads


def test_data_are_packed_into_a_script_that_says_their_name(tmp_path):
    value = {"words": "h*(γ) ≤ 1", "numbers": [1, 2]}
    data_scripts.write(tmp_path, "found", value)
    text = (tmp_path / data_scripts.place("found")).read_text(encoding="utf-8")
    assert text == 'window.found = {"words":"h*(γ) ≤ 1","numbers":[1,2]};\n'
    assert json.loads(data_scripts.packed(value, sort_keys=True)) == value


LEDGER = {
    "errata": [
        {"id": "E1", "tag": "a.b", "misprint": False, "evidence": ["as-printed", "as-it-is"]}
    ],
    "equations": [],
}


@pytest.fixture
def written(tmp_path):
    downloads.write(tmp_path, LEDGER)
    return tmp_path


def test_an_erratum_names_the_claim_that_fails_and_the_one_that_holds(written):
    with open(written / "errata.csv", encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["id"], row["fails"], row["holds"]) == ("E1", "as-printed", "as-it-is")
    assert row["proof"] == "" and "evidence" not in row


def test_the_same_rows_are_there_as_json(written):
    for name, rows in LEDGER.items():
        assert json.loads((written / f"{name}.json").read_text(encoding="utf-8")) == rows
