"""What a row of a control says on a page."""

from docutils import nodes
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
