"""A chapter run alone as a reader runs it: the page beside its run, and a value that it refuses."""

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


def test_a_value_that_the_chapter_refuses_is_one_line_and_no_notebook(companion_in, tmp_path):
    book = companion_in(tmp_path, "power_iteration")
    code, said = book.run("chapter", "textbook.theorem-01", "matrices=0")
    assert code == 1
    assert "FAILED textbook.theorem-01: " in said and "matrices = 0, allowed: " in said
    assert "Traceback" not in said and not list(book.root.glob("_build/chapters/**/*.ipynb"))
