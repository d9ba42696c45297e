"""One chapter with parameters: what the command says, and the page that it makes."""

import re


def test_the_page_shows_what_the_run_gave(executed_in, tmp_path):
    book = executed_in(tmp_path, "power_iteration")
    stored = (book.root / "book/textbook/theorem_01.ipynb").read_bytes()
    code, said = book.run("chapter", "textbook.theorem-01", "matrices=150")
    assert code == 0, said
    head, *rows = said.splitlines()
    assert head == "parameters: seed=0 matrices=150" and rows[0].startswith("[ok] two-by-two: ")
    assert [line[:7] for line in rows[1:5]] == ["[FAILS]", *["[ok] ta", "[ok] ti", "[ok] or"]]
    assert rows[5] == "no surprise" and rows[6].endswith("(the stored chapter is untouched)")
    text = (book.root / re.search(r"its page: (\S+)", said)[1]).read_text(encoding="utf-8")
    assert "A run of your own, with seed=0 matrices=150" in text
    assert "Theorem 1: ✎ holds as corrected" in text and "<code>two-by-two</code>" in text
    assert "<math" in text and "base64," in text and "$" not in re.sub("<math.*?</math>", "", text)
    assert (book.root / "book/textbook/theorem_01.ipynb").read_bytes() == stored


def test_a_value_that_the_chapter_refuses_starts_no_kernel(companion_in, tmp_path):
    book = companion_in(tmp_path, "power_iteration")
    code, said = book.run("chapter", "textbook.theorem-01", "matrices=0")
    assert code == 2 and said.startswith("error: matrices = 0, allowed: a whole number from ")
    assert len(said.splitlines()) == 1 and not list(book.root.glob("_build/chapters"))


def test_a_surprise_is_named_is_status_one_and_stands_on_the_page(executed_in, tmp_path):
    book = executed_in(tmp_path, "power_iteration")
    book.replace("power/iteration.py", "x @ matrix @ x))", "x @ matrix @ q))")
    code, said = book.run("chapter", "textbook.corollary-01")
    assert code == 1 and "SURPRISE textbook.corollary-01: " in said and "no surprise" not in said
    assert "SURPRISE" in next(book.root.glob("_build/chapters/**/*_01.html")).read_text()


def test_beyond_what_the_rows_are_claimed_for_the_page_is_made_and_says_so(executed_in, tmp_path):
    book = executed_in(tmp_path, "power_iteration")
    book.replace(
        "checks/textbook/theorem_01.py",
        "whole(200, 10, 1000)",
        "whole(200, 10, 1000, holds=(100, 1000))",
    )
    book.replace("power/iteration.py", "return np.divide", "return 0.5 * np.divide")
    code, said = book.run("chapter", "textbook.theorem-01", "matrices=50")
    told = "matrices = 50: the rows are claimed from 100 to 1000; beyond, "
    assert code == 0 and told in said and "SURPRISE" not in said and "[FAILS] tangent" in said
    text = (book.root / re.search(r"its page: (\S+)", said)[1]).read_text(encoding="utf-8")
    assert told in text[: text.index("<h1")] and "holds as corrected" not in text
    assert book.run("chapter", "textbook.theorem-01", "matrices=150")[0] == 1
