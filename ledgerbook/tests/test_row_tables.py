"""What a row of a control says on a page."""

from docutils import nodes
from docutils.core import publish_doctree
from ledgerbook.pages import row_tables


def row(*cells):
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", cell)) for cell in cells))


def test_a_control_is_as_expected_where_a_claim_holds():
    rows = [
        row("control of H1 a", "c", "✓ holds"),
        row("claim b", "c", "✓ holds"),
        row("control of H2 d", "c", "✗ fails"),
        row("control of H3", "c", "○ necessity unknown: e"),
    ]
    row_tables.say_of_controls(None, nodes.document(None, None, "", *rows))
    said = [one[-1].astext() for one in rows]
    assert said == ["✓ as expected", "✓ holds", "✗ not as expected", "○ necessity unknown: e"]


def test_of_a_page_with_tools_only_the_tables_of_rows_are_the_scripts():
    table = "=====  ===\n{}  b\n=====  ===\nx      y\n=====  ===\n"
    page = publish_doctree(f"{table.format('reach')}\nWords.\n\n{table.format('other')}")
    row_tables.defer(None, page)
    assert not list(page.findall(row_tables.deferred))
    page += row_tables.tools("errata", "book/errata")
    row_tables.defer(None, page)
    (box,) = page.findall(row_tables.deferred)
    assert "reach" in box.astext() and len(list(page.findall(nodes.table))) == 2


def test_a_control_is_told_by_the_start_of_its_row():
    rows = [row("a control of H1", "✓ holds"), row("control of H1", "✓ holds", "✗ fails")]
    row_tables.say_of_controls(None, nodes.document(None, None, "", *rows))
    assert [one.astext().split("\n\n")[1:] for one in rows] == [
        ["✓ holds"],
        ["✓ holds", "✗ not as expected"],
    ]


def test_a_table_is_one_text_for_a_browser_that_runs_scripts():
    class Writer:
        body: list[str] = []

        def starttag(self, node, name, suffix, **attributes):
            return f"<{name} {attributes}>{suffix}"

    writer = Writer()
    node = row_tables.deferred("", part="one")
    row_tables.open_deferred(writer, node)
    row_tables.close_deferred(writer, node)
    assert writer.body == ["<noscript {'CLASS': 'rows', 'data-part': 'one'}>", "</noscript>\n"]
