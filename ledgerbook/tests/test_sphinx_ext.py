"""What the directives of generated pages say, in a book that nothing has been executed of."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import directives
from ledgerbook.chapters import collect
from ledgerbook.chapters.statements import statement
from ledgerbook.execution import run_records
from ledgerbook.project import paths
from ledgerbook.site import reader_ext, sphinx_ext

PAGES = {
    sphinx_ext.LedgerPage: "|  | measured | certified | proved | kernel-checked |",
    sphinx_ext.StatusPage: "| chapter | status | this machine's run |",
    sphinx_ext.ErrataPage: "No slip recorded so far.",
    sphinx_ext.LetterPage: "There is nothing to write about.",
    sphinx_ext.EquationsPage: "| equation | part | chapter | claims | evidence |",
    sphinx_ext.SharperPage: "No sharper constant recorded so far.",
    sphinx_ext.WhatBecame: "**○ not checked**",
    sphinx_ext.Counts: "At the last build **0** of 2 statements",
    sphinx_ext.Graph: "## A textbook theorem",
    sphinx_ext.WhereItSits: "- **Uses:** nothing in this book",
    sphinx_ext.Provenance: "- **Tag:** `textbook.theorem-01`",
    reader_ext.SelfTest: "",  # nobody asks a question
    reader_ext.HuntPage: "",
}


@pytest.fixture
def place(monkeypatch):
    """A chapter in which a directive stands; what it makes stays Markdown."""
    ledger = collect.collect()
    monkeypatch.setattr(collect, "load", lambda: ledger)
    monkeypatch.setattr(collect, "statuses", dict)
    row = statement("textbook.theorem-01")
    env = SimpleNamespace(docname=row.docname)
    return SimpleNamespace(env=env, row=row, arguments=[], parse_markdown=str)


@pytest.mark.parametrize("directive", PAGES, ids=lambda one: one.__name__)
def test_a_generated_page_opens_with_its_own_words(place, directive):
    if hasattr(directive, "markdown"):
        said = directive.markdown(place, collect.load())
    else:
        said = directive.content_nodes(place)
    assert said.startswith(PAGES[directive]) and bool(said) == bool(PAGES[directive])


@pytest.fixture
def put(place):
    """The function that puts a directive into that chapter, with its files and what it parses."""

    def made(directive, **own):
        one = object.__new__(directive)
        place.env.note_dependency = place.__dict__.setdefault("files", set()).add
        vars(one).update(arguments=[], error=ValueError)
        vars(one)["state"] = SimpleNamespace(document=SimpleNamespace(), **own)
        one.state.document.settings = SimpleNamespace(env=place.env)
        return one

    return made


@pytest.mark.parametrize(
    ("text", "before", "left"),
    [
        ("Words alone.", "", "Words alone."),
        ("## One\n\nwords", "", "## One\n\nwords"),
        ("(one)=\n## One\n", "", "(one)=\n## One\n"),  # a label stands at its section
        ("Words.\n\n(one)=\n## One\n", "Words.\n\n(one)=\n", "## One\n"),
        ("Words.\n\n## One\n\n## Two\n", "Words.\n\n", "## One\n\n## Two\n"),
    ],
)
def test_what_stands_before_the_first_heading_stays_before_it(put, text, before, left):
    renderer = SimpleNamespace(current_node=[])
    one = put(sphinx_ext.Generated, _renderer=renderer)
    one.parse_text_to_nodes = lambda text, allow_section_headings=False: (
        [text] if allow_section_headings else [f"flat {text}"]
    )
    assert one.parse_markdown(text) == [left]
    assert renderer.current_node == ([f"flat {before}"] if before else [])


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("ledger", "Words.\n\n:::{row-tools} ledger\n:::\n\n## One\nrows"),
        ("errata", ":::{row-tools} errata\n:::\n\nWords.\n\n## One\nrows"),
        ("equations", ":::{row-tools} equations\n:::\n\nWords.\n\n## One\nrows"),
    ],
)
def test_the_tools_of_the_ledger_stand_below_its_words_and_others_above(put, page, text):
    one = put(sphinx_ext.Rows)
    one.page, one.markdown = page, lambda ledger: "Words.\n\n## One\nrows"
    one.parse_markdown = str
    assert one.content_nodes() == text
    one.markdown = lambda ledger: "No row."
    assert one.content_nodes() == f":::{{row-tools}} {page}\n:::\n\nNo row."


def test_a_page_is_made_again_when_the_ledger_the_list_or_a_run_changes(put, place):
    for directive in (sphinx_ext.SharperPage, sphinx_ext.StatusPage):
        one = put(directive)
        one.parse_markdown = str
        assert one.run() == one.content_nodes() == one.markdown(collect.load())
    assert {str(paths.LEDGER), str(paths.STATEMENTS)} <= place.files
    assert str(run_records.path(place.row.tag)) in place.files
    assert str(paths.PROOFS / "record.json") in map(str, sphinx_ext.Kernel.depends)


def test_a_directive_knows_the_statement_of_its_chapter_and_refuses_another_page(put, place):
    one = put(sphinx_ext.YouNeed)
    assert one.row == place.row
    place.env.docname = "book/intro"
    with pytest.raises(ValueError, match="book/intro is not the chapter of any statement"):
        _ = one.row


def test_what_a_chapter_needs_is_one_line_of_its_own_class(put):
    one = put(sphinx_ext.YouNeed)
    one.parse_markdown = lambda text: [nodes.paragraph("", text), nodes.target()]
    line, other = one.content_nodes()
    assert line.astext().startswith("*You need:*") and line["classes"] == ["you-need"]
    assert "you-need" not in other["classes"]


@pytest.mark.parametrize("named", ["textbook.corollary-01", None])
def test_a_directive_is_about_the_statement_that_it_names_or_its_chapters(
    put, place, monkeypatch, named
):
    monkeypatch.setattr(sphinx_ext.pages, "what_became", lambda record, row: record["tag"])
    monkeypatch.setattr(sphinx_ext.kernel_page, "section", str)
    for directive in (sphinx_ext.WhatBecame, sphinx_ext.Kernel):
        one = put(directive)
        one.arguments, one.parse_markdown = [named] if named else [], str
        assert one.content_nodes() == (named or place.row.tag)


@pytest.mark.parametrize("directive", [sphinx_ext.WhatBecame, sphinx_ext.Kernel])
def test_a_directive_names_one_statement_at_most(directive):
    directives.register_directive("about-one", directive)
    said = publish_doctree(".. about-one:: a b\n", settings_overrides={"report_level": 5}).astext()
    assert "maximum 1 argument(s) allowed, 2 supplied" in said


def test_other_pages_can_refer_to_a_node_of_the_graph(put, place):
    known = SimpleNamespace(labels={}, anonlabels={})
    place.env.get_domain = {"std": known}.__getitem__
    place.env.docname = "book/graph"
    one = put(sphinx_ext.Graph)
    one.parse_markdown = str
    assert one.content_nodes().startswith("## A textbook theorem")
    name = sphinx_ext.pages.address("node", place.row.tag)
    assert known.labels[name] == ("book/graph", name, place.row.number)
    assert known.anonlabels[name] == ("book/graph", name)


def test_the_map_of_the_code_is_made_again_when_a_module_changes(put, place, monkeypatch):
    monkeypatch.setattr(sphinx_ext.codemap, "modules", lambda: ["lib/one.py"])
    monkeypatch.setattr(sphinx_ext.codemap, "page", lambda docname: f"map on {docname}")
    one = put(sphinx_ext.CodeMap)
    one.parse_markdown = str
    assert one.content_nodes() == f"map on {place.row.docname}" and "lib/one.py" in place.files


def test_pages_may_be_read_and_written_side_by_side(monkeypatch):
    monkeypatch.setattr(sphinx_ext, "PARTS", ())
    added = {}
    app = SimpleNamespace(add_config_value=lambda *_: None, add_directive=added.__setitem__)
    told = sphinx_ext.setup(app)
    assert told["parallel_read_safe"] and told["parallel_write_safe"]
    assert added["you-need"] is sphinx_ext.YouNeed
