"""The status page: what a chapter's run here cost, and with which packages."""

import pytest
from ledgerbook.chapters.statements import Statement
from ledgerbook.execution import run_records
from ledgerbook.pages import status

COST = {"seconds": 61.25, "cpu_seconds": 7.0, "peak_bytes": 3 * 2**20}
RUN = {"error": None, "time": "2026-01-02 03:04 UTC", "environment": "Python 3.11"}
ROWS = {
    "textbook.lemma-01": Statement("textbook.lemma-01", "Lemma 1", "It is small"),
    "textbook.remark-01": Statement(
        "textbook.remark-01", "Remark 1", "So", home="textbook.lemma-01"
    ),
}


@pytest.mark.parametrize(
    ("run", "cells"),
    [
        ({}, ["not run here", "", "", ""]),
        (RUN, ["executed, not yet compared, 2026-01-02 03:04 UTC, Python 3.11", "", "", ""]),
        (
            RUN | COST | {"error": "a `b`\nc"},
            [
                r"**failed**: a \`b\` c, 2026-01-02 03:04 UTC, Python 3.11",
                "61.2 s",
                "7.0 s",
                "3 MiB",
            ],
        ),
        (
            COST | {"error": None, "verdict": {"outcome": "drift"}},
            ["**drift**", "61.2 s", "7.0 s", "3 MiB"],
        ),
    ],
)
def test_a_row_says_how_a_chapter_s_run_went_and_what_it_cost(monkeypatch, run, cells):
    monkeypatch.setattr(status, "statement", ROWS.__getitem__)
    monkeypatch.setattr(run_records, "load", lambda tag: run)
    name, held, *said = status._row({"tag": "textbook.lemma-01", "status": "holds"})
    assert name.startswith("Lemma 1 — It is small") and held == "✓ holds" and said == cells
