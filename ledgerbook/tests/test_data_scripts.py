"""Data of pages: short, in the letters they are written in, fetched by a name."""

import json

from ledgerbook.chapters import data_scripts


def test_data_are_packed_into_a_script_that_says_their_name(tmp_path):
    value = {"words": "h*(γ) ≤ 1", "numbers": [1, 2]}
    data_scripts.write(tmp_path, "found", value)
    text = (tmp_path / data_scripts.place("found")).read_text(encoding="utf-8")
    assert text == 'window.found = {"words":"h*(γ) ≤ 1","numbers":[1,2]};\n'
    assert json.loads(data_scripts.packed(value, sort_keys=True)) == value
