"""What a row of a control says on a page."""

from docutils import nodes

from ledgerbook import row_tables


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
