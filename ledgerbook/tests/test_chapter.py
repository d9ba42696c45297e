"""One chapter alone, with parameters of a reader's own: its rows, and its page."""

import re


def test_the_page_shows_the_run_and_leads_to_the_book(built_once):
    book = built_once("power_iteration")
    stored = (book.root / "book/textbook/theorem_01.ipynb").read_bytes()
    code, said = book.run("chapter", "textbook.theorem-01", "")
    assert code == 0 and "its page: _build/chapters/textbook.theorem-01/html/" in said, said
    page = book.root / re.search(r"its page: (\S+)", said)[1]
    text = page.read_text(encoding="utf-8")
    assert "two-by-two" in text and str(book.root) not in text
    # What is not beside the page is taken from the site, where the site has it.
    links = re.findall(r'\shref="([^":#]+)', text[text.index("<article") :])
    gone = [link for link in links if not (page.parent / link).exists()]
    top = re.search(r"its page: (\S+/html)/", said)[1]
    inside = [(page.parent / link).resolve().relative_to(book.root / top) for link in gone]
    assert [one for one in inside if (book.root / "_build/html" / one).exists()] == []
    assert (book.root / "book/textbook/theorem_01.ipynb").read_bytes() == stored
    assert not list((book.root / "_build/scratch").glob("*/copy"))
