"""What the site gives to programs: packed data, and a table of rows."""

import csv
import json

from ledgerbook.chapters import data_scripts
from ledgerbook.pages import downloads


def test_data_are_packed_into_a_script_that_says_their_name(tmp_path):
    value = {"words": "h*(γ) ≤ 1", "numbers": [1, 2]}
    data_scripts.write(tmp_path, "found", value)
    text = (tmp_path / data_scripts.place("found")).read_text(encoding="utf-8")
    assert text == 'window.found = {"words":"h*(γ) ≤ 1","numbers":[1,2]};\n'
    assert json.loads(data_scripts.packed(value, sort_keys=True)) == value


def test_every_row_stands_in_the_table_under_its_number():
    control = {"id": "none", "claim": "a, b"}
    one = {"tag": "a.b", "claims": [{"id": "first", "passed": True}], "hypotheses": [{}]}
    one["hypotheses"] = [{"control": control, "further_controls": []}]
    rows = list(csv.DictReader(downloads.table({"statements": [one]}).splitlines()))
    assert [(r["number"], r["statement"], r["row"]) for r in rows] == [
        ("C1", "a.b", "first"),
        ("C2", "a.b", "none"),
    ]
    assert (rows[0]["passed"], rows[0]["claim"], rows[1]["claim"]) == ("True", "", "a, b")
