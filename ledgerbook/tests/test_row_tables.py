"""What a row of a control says on a page."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import directives
from ledgerbook.chapters.statements import part_of, statements
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


@pytest.fixture
def directive():
    """The function that makes a page of reStructuredText with the directive of the tools."""
    directives.register_directive("row-tools", row_tables.RowTools)

    def made(text, docname="book/errata"):
        env = SimpleNamespace(docname=docname)
        return publish_doctree(text, settings_overrides={"env": env, "report_level": 5})

    return made


@pytest.mark.parametrize("page", row_tables.PAGES)
def test_a_page_asks_for_its_tools_by_name_alone(directive, page):
    (raw,) = directive(f".. row-tools:: {page}\n").findall(nodes.raw)
    assert raw["rows"] == row_tables.PAGES[page]["heading"]
    for file in row_tables.PAGES[page]["files"]:
        assert f'href="../_data/{file}"' in raw.astext()


def test_a_control_is_told_by_the_start_of_its_row():
    rows = [row("a control of H1", "✓ holds"), row("control of H1", "✓ holds", "✗ fails")]
    row_tables.say_of_controls(None, nodes.document(None, None, "", *rows))
    assert [one.astext().split("\n\n")[1:] for one in rows] == [
        ["✓ holds"],
        ["✓ holds", "✗ not as expected"],
    ]


def test_a_script_knows_the_statement_that_all_rows_of_a_table_are_about():
    tag = next(iter(statements()))
    for word, part in ((tag, part_of(tag)), ("no tag", "")):
        table = nodes.table("", nodes.entry("", nodes.paragraph("", "row")))
        section = nodes.section("", nodes.paragraph("", "", nodes.literal("", word)), table)
        page = nodes.document(None, None, "", section, row_tables.tools("ledger", "ledger"))
        row_tables.defer(None, page)
        (box,) = page.findall(row_tables.deferred)
        assert box["part"] == part and box[0] is table


def test_a_table_without_a_section_is_about_no_part():
    assert row_tables._shared_part(nodes.table()) == ""


def test_a_book_without_scripts_has_no_tools_and_keeps_its_other_markup():
    for name, left in (("html", 2), ("epub", 1)):
        other = nodes.raw("", "<b>bold</b>", format="html")
        tools = row_tables.tools("errata", "errata")
        page = nodes.document(None, None, "", other, tools)
        row_tables.whole(SimpleNamespace(builder=SimpleNamespace(name=name)), page, "errata")
        assert len(page) == left and page[0] is other


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
