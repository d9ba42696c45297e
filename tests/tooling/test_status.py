"""The status page: outcome, time and environment; what an exception said is shown, not run."""

import pytest
from ledgerbook.chapters.statements import statements
from ledgerbook.execution import run_records
from ledgerbook.pages import status
from markdown_it import MarkdownIt


@pytest.mark.parametrize(
    "text",
    ["<script>alert(2)</script>", "[x](nowhere.md)", "{ref}`zzz`", "$x$ | **b** _i_ # 1. a\\b"],
)
def test_an_exception_is_shown_as_it_is(text):
    html = MarkdownIt("commonmark").enable("table").render(f"a {status.literal(text)}")
    assert "<script" not in html and "<a " not in html and "<code" not in html
    escaped = text.replace("<", "&lt;").replace(">", "&gt;")
    assert html == f"<p>a {escaped}</p>\n"
    assert not any(mark in status.literal(text).replace(f"\\{mark}", "") for mark in "$|{`<")


def test_the_page_has_a_row_for_every_statement(project):
    run_records.save("scan-snap.lemma-05", {"error": None, "seconds": 1, "cpu_seconds": 2.0})
    records = [{"tag": tag, "status": "holds"} for tag in statements()]
    page = status.page({"statements": records})
    assert page.count("| ✓ holds |") == len(records) and "Environment of the last build" in page
