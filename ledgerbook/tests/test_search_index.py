"""The small index: what it says about a page."""

from types import SimpleNamespace

from docutils import nodes
from ledgerbook.references import search_index, targets

PAGE = "book/textbook/theorem_01"


def test_a_long_first_paragraph_is_cut_between_two_words(monkeypatch):
    text = f"# Title\n\n:::{{a}}\n:::\n\n**word** [word](x.md) {'word ' * 100}\n\nMore.\n"
    monkeypatch.setattr(targets, "source", lambda docname: targets.Source(text, ""))
    about = search_index.about("page")
    assert set(about.removesuffix(" …").split()) == {"word"}
    assert about.endswith("word …") and len(about) <= search_index.EXCERPT + len(" …")
    assert len(about) > search_index.EXCERPT - len("word")  # nothing is lost that fits


def test_a_chapter_is_found_by_number_title_tag_section_and_equation(monkeypatch):
    monkeypatch.setattr(targets, "shown", lambda: {"1": {PAGE: None}, "2": {"book/other": None}})
    links = (("Title", ""), ("The idea", "#the-idea"))
    toc = nodes.container("", *(nodes.reference("", a, anchorname=b) for a, b in links))
    title = nodes.title("", "Each step  shrinks the angle")
    env = SimpleNamespace(tocs={PAGE: toc}, titles={PAGE: title})
    entry = search_index.entry(PAGE, env)
    assert entry["url"] == f"{PAGE}.html" and entry["title"] == "Each step shrinks the angle"
    assert (entry["sections"], entry["shows"]) == ([["The idea", "the-idea"]], ["1"])
    assert entry["names"] == ["Theorem 1"] and entry["about"].startswith("Multiply a vector")
    assert entry["also"] == ["The angle shrinks", "textbook.theorem-01"]


def test_numbers_of_equations_are_listed_with_their_ranges():
    assert [*search_index.listed("(3), (15)–(18), (24a)")] == ["3", "15", "16", "17", "18", "24"]
    assert [*search_index.listed("")] == []
