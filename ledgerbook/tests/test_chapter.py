"""One chapter with parameters: what the command says, and the page that it makes."""

import re


def test_the_page_shows_the_run_and_leads_to_the_book(built_once):
    book = built_once("power_iteration")
    stored = (book.root / "book/textbook/theorem_01.ipynb").read_bytes()
    code, said = book.run("chapter", "textbook.theorem-01", "matrices=150")
    assert code == 0 and "its page: _build/chapters/textbook.theorem-01/html/" in said, said
    head, *rows = said.splitlines()
    assert head == "parameters: seed=0 matrices=150" and rows[0].startswith("[ok] two-by-two: ")
    assert [line[:7] for line in rows[1:5]] == ["[FAILS]", *["[ok] ta", "[ok] ti", "[ok] or"]]
    assert rows[5] == "no surprise" and rows[6].endswith("(the stored chapter is untouched)")
    page = book.root / re.search(r"its page: (\S+)", said)[1]
    text = page.read_text(encoding="utf-8")
    assert "two-by-two" in text and str(book.root) not in text
    banner = re.sub("<[^>]+>", "", text)
    assert "A run of your own, with matrices=150 (the book: 200)" in banner
    assert "This run: Theorem 1 ✎ holds as corrected." in banner
    # What is not beside the page is taken from the site, where the site has it.
    links = re.findall(r'\shref="([^":#]+)', text[text.index("<article") :])
    gone = [link for link in links if not (page.parent / link).exists()]
    top = re.search(r"its page: (\S+/html)/", said)[1]
    inside = [(page.parent / link).resolve().relative_to(book.root / top) for link in gone]
    assert [one for one in inside if (book.root / "_build/html" / one).exists()] == []
    assert (book.root / "book/textbook/theorem_01.ipynb").read_bytes() == stored


def test_a_value_that_the_chapter_refuses_is_one_line_and_no_notebook(companion_in, tmp_path):
    book = companion_in(tmp_path, "power_iteration")
    code, said = book.run("chapter", "textbook.theorem-01", "matrices=0")
    assert code == 1
    assert "FAILED textbook.theorem-01: " in said and "matrices = 0, allowed: " in said
    assert "Traceback" not in said and not list(book.root.glob("_build/chapters/**/*.ipynb"))


def test_a_surprise_is_named_is_status_one_and_has_its_page(executed_in, tmp_path):
    book = executed_in(tmp_path, "power_iteration")
    book.replace("power/iteration.py", "x @ matrix @ x))", "x @ matrix @ q))")
    code, said = book.run("chapter", "textbook.corollary-01")
    assert code == 1 and "SURPRISE textbook.corollary-01: " in said and "no surprise" not in said
    assert "its page: _build/chapters/textbook.corollary-01/html/" in said
    assert "did not come out" in next(book.root.glob("_build/chapters/**/*_01.html")).read_text()
