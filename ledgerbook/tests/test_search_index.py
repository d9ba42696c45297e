"""The small index: what it says about a page, and which places it knows."""

from types import SimpleNamespace

from docutils import nodes
from ledgerbook.references import search_index, targets

PAGE = "book/textbook/theorem_01"
BOOK = SimpleNamespace(
    found_docs={PAGE, *(f"book/page_{k}" for k in range(9))},
    titles={PAGE: nodes.title("", "Theorem 1 —  the angle shrinks")}
    | {f"book/page_{k}": nodes.title("", f"Page {k}") for k in range(9)},
)


def written(monkeypatch, text, elsewhere="Nothing.\n"):
    """A book whose chapter is left as it is and whose other pages say something else."""
    real = targets.source
    pages = {f"book/page_{k}": targets.Source(elsewhere, "") for k in range(1, 9)}
    pages["book/page_0"] = targets.Source(text, "")
    monkeypatch.setattr(targets, "source", lambda name: pages.get(name) or real(name))


def test_a_long_first_paragraph_is_cut_between_two_words(monkeypatch):
    text = f"# Title\n\n:::{{a}}\n:::\n\n**word** [word](x.md) {'word ' * 100}\n\nMore.\n"
    written(monkeypatch, text)
    about = search_index.about("book/page_0")
    assert set(about.removesuffix(" …").split()) == {"word"}
    assert about.endswith("word …") and len(about) <= search_index.EXCERPT + len(" …")
    assert len(about) > search_index.EXCERPT - len("word")  # nothing is lost that fits


def test_a_formula_is_said_in_letters():
    assert search_index.said(r"**length** of $\beta_n$, see [there](x.md)") == (
        "length of βn, see there"
    )


def test_a_chapter_is_found_by_its_number_its_titles_and_the_words_of_its_sentence(monkeypatch):
    written(monkeypatch, "Nothing.")
    (page,) = (one for one in search_index.pages(BOOK) if one["url"] == f"{PAGE}.html")
    assert page["title"] == "Theorem 1 — the angle shrinks"
    assert page["names"] == ["Theorem 1", "The angle shrinks"]
    assert page["about"].startswith("Multiply a vector")


def test_of_the_words_of_a_page_those_are_kept_that_few_others_say(monkeypatch):
    text = "Nothing here is common but [Eigenvalues](common.md), `code`, $formula$ and eigenvalues."
    written(monkeypatch, text, "Nothing is common.\n")
    (page,) = (one for one in search_index.pages(BOOK) if one["url"] == "book/page_0.html")
    words = page["text"].split()
    assert words == sorted({"here", "but", "eigenvalues", "code", "and"})


def test_an_equation_is_found_by_its_number_where_it_stands_best_first(monkeypatch):
    here, there = (targets.Shown(one, "x") for one in ("book/page_1", "book/page_2"))
    monkeypatch.setattr(
        targets, "shown", lambda: {"7": {"book/page_1": here, "book/page_2": there}}
    )
    monkeypatch.setattr(targets, "numbers", lambda: frozenset())
    first, second = search_index.of_equations(BOOK)
    assert (first["url"], second["url"]) == ("book/page_1.html#eq-7", "book/page_2.html#eq-7")
    assert first["names"] == ["7", "(7)"] and first["rank"] > second["rank"]
