"""The stored book: every chapter executed, every verdict announced, nothing personal inside."""

import json
import re

import jsonschema
import pytest

from tooling import collect, notebooks
from tooling.statements import statements, written

ROW = {
    "type": "object",
    "required": ["id", "claim", "observed", "relation", "bound", "margin", "passed"],
}
SCHEMA = {
    "type": "object",
    "required": ["statements", "errata"],
    "properties": {
        "statements": {
            "type": "array",
            "items": {
                "type": "object",
                "required": [
                    "tag",
                    "paper",
                    "number",
                    "title",
                    "chapter",
                    "uses",
                    "status",
                    "claims",
                    "hypotheses",
                ],
                "properties": {
                    "claims": {
                        "type": "array",
                        "items": {**ROW, "required": [*ROW["required"], "kind", "as_printed"]},
                    },
                    "hypotheses": {
                        "type": "array",
                        "items": {
                            "required": ["id", "text", "control"],
                            "properties": {"control": {"anyOf": [ROW, {"type": "null"}]}},
                            "if": {"properties": {"control": {"type": "null"}}},
                            "then": {"required": ["necessity"]},
                        },
                    },
                },
            },
        },
        "errata": {
            "type": "array",
            "items": {
                "required": ["tag", "location", "printed", "corrected", "evidence", "reach"],
                "properties": {
                    "evidence": {"type": "array", "minItems": 2, "maxItems": 2},
                    "reach": {"enum": ["harmless", "changes a constant", "changes a conclusion"]},
                },
            },
        },
    },
}


@pytest.fixture(scope="module")
def ledger():
    return collect.collect()


def test_ledger_has_the_stated_form(ledger):
    jsonschema.validate(json.loads(json.dumps(ledger)), SCHEMA)
    assert [row["tag"] for row in ledger["statements"]] == list(statements())


def test_nothing_is_red_that_nobody_announced(ledger):
    assert collect.all_surprises(ledger) == []


def test_every_written_chapter_was_checked(ledger):
    tags = {row.tag for row in written()}
    assert [
        row["tag"]
        for row in ledger["statements"]
        if row["tag"] in tags and row["status"] == "not checked"
    ] == []


@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_stored_notebook(row):
    notebook = notebooks.read(row.chapter)
    assert notebooks.execution_problem(notebook) is None
    assert notebooks.parameters(notebook), "no cell tagged parameters"
    assert notebooks.closing_record(notebook)["tag"] == row.tag
    text = row.chapter.read_text(encoding="utf-8")
    assert not re.search(r"/(home|root|tmp|work|Users)/", text), "a path of one machine"
    assert "papermill" not in notebook.metadata
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    for heading in (
        "## Control",
        "## Exercises",
        "## Provenance",
        "{provenance}",
        "{where-it-sits}",
    ):
        assert heading in prose, heading
    assert f":label: {row.tag}" in prose or row.kind == "experiment", "no anchor of the tag"
    assert all(
        output.get("name") != "stderr"
        for cell in notebooks.code_cells(notebook)
        for output in cell.outputs
    ), "something on stderr"
    pictures = [
        output
        for cell in notebooks.code_cells(notebook)
        for output in cell.outputs
        if "image/png" in output.get("data", {})
    ]
    assert pictures and all(
        output.metadata["image/png"].get("alt") and output.metadata["image/png"].get("caption")
        for output in pictures
    )
