"""The list of statements: its parts, its chapters, who uses whom, and what a row may say."""

import pytest
from ledgerbook.chapters import statements, toc
from ledgerbook.project.project import current

LISTED = """
[[part]]
name = "first"
caption = "The first part"
pages = ["guide"]

[[part]]
name = "second"
caption = "The second part"
pages = []
closing = ["index"]

[[statement]]
tag = "textbook.lemma-01"
number = "Lemma 1"
title = "It is small"
uses = []
part = "first"

[[statement]]
tag = "textbook.theorem-01"
number = "Theorem 1"
title = "It is large"
uses = ["textbook.lemma-01"]
part = "second"

[[statement]]
tag = "textbook.remark-01"
number = "Remark 1"
title = "It is both"
uses = ["textbook.lemma-01", "textbook.theorem-01"]
home = "textbook.theorem-01"
"""
PART = '[[part]]\nname = "own"\ncaption = "Own"\n'
ROW = 'tag = "textbook.a"\nnumber = "1"\ntitle = "A"\nuses = []\n'


@pytest.fixture
def listed(project, varied):
    """The function that stores a list of statements in a book of two pages, one chapter written."""
    varied(statements=current().book / "statements.toml")
    for name in ("intro", "words", "guide", "index"):
        (current().book / f"{name}.md").touch()
    (current().book / "textbook").mkdir()
    (current().book / "textbook" / "theorem_01.ipynb").touch()

    def store(text):
        current().statements.write_text(text, encoding="utf-8")
        varied()

    return store


def test_a_list_says_whose_chapter_judges(listed):
    listed(LISTED)
    lemma, theorem, remark = statements.statements().values()
    assert statements.judged_in(theorem) == [theorem, remark]
    assert statements.judged_in(lemma) == [lemma]
    assert statements.written() == [theorem] and remark.chapter == theorem.chapter
    assert statements.of_docname(theorem.docname) == theorem
    assert theorem.docname.endswith("book/textbook/theorem_01")
    assert statements.of_docname("book/intro") is None
    assert statements.part_of(lemma.tag) == "The first part"
    assert statements.part_of(remark.tag) == statements.part_of(theorem.tag) == "The second part"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"[[statement]]\n{ROW}[[statement]]\n{ROW}", "textbook.a stands twice"),
        (f"[[statement]]\n{ROW}".replace("textbook.a", "textbook.A"), "tag = 'textbook.A'"),
        (f"[[statement]]\n{ROW}".replace("textbook.a", "novel.a"), "paper = 'novel', allowed"),
        (f"[[statement]]\n{ROW}kind = 'joke'", "kind = 'joke', allowed: one of 'statement'"),
        (f"[[statement]]\n{ROW}standing = 'heard'", "standing = 'heard', allowed: one of 'read'"),
        (f"[[statement]]\n{ROW}part = 'none'", "part = 'none', allowed: one of 'book'"),
        (f"[[statement]]\n{ROW}home = 'textbook.b'", "home = 'textbook.b', allowed: another tag"),
        (
            f"[[statement]]\n{ROW}".replace("[]", "['textbook.a', 'textbook.b']"),
            r"uses = \['textbook.b'\], allowed: tags of this list",
        ),
        (f"[[statement]]\n{ROW}colour = 'red'", "textbook.a: key = 'colour', allowed: one of tag"),
        (f"[[statement]]\n{ROW}".replace('number = "1"', ""), "textbook.a: it has no number"),
        (f"[[statement]]\n{ROW}home = 'textbook.a'", "home = 'textbook.a', allowed: another tag"),
        (f"[[statement]]\n{ROW}".replace("[]", "['textbook.a']"), "a circle: textbook.a uses text"),
        ("[[part]]\nname = 'a'\npages = []", "a: it has no caption"),
        ("[[statment]]\ntag = 'a.b'", "table = 'statment', allowed: one of 'part', 'statement'"),
        ("[[statement]\n", r"statements.toml: .*line 1"),
        (f"[[statement]]\n{ROW}".replace('"A"', '""'), "textbook.a: title = '', .*not blank"),
        (f"[[statement]]\n{ROW}".replace('"1"', "1"), "textbook.a: number = 1, allowed: text"),
        (f"[[statement]]\n{ROW}".replace('"1"', r'"1\u0000"'), "number = .*control characters"),
        (f"[[statement]]\n{ROW}".replace("[]", "'b'"), "uses = 'b', allowed: a list, each entry"),
        (f"[[statement]]\n{ROW}".replace("[]", "[1]"), r"uses = \[1\], allowed: a list, each"),
        (f"{PART}path = 'yes'", "own: path = 'yes', allowed: true or false"),
        (f"{PART}closing = ['']", r"own: closing = \[''\], allowed: a list, each entry text"),
        (f"{PART}{PART}[[statement]]\n{ROW}part = 'own'", "statements.toml: own stands twice"),
        ("statement = 1", "statement = 1, allowed: tables"),
        ("[statement]\ntag = 'a.b'", r"statement = .*, allowed: tables \[\[statement\]\]"),
    ],
)
def test_a_row_that_the_list_cannot_hold_is_refused_in_words(listed, text, words):
    listed(text)
    with pytest.raises(ValueError, match=words):
        statements.statements()


def test_an_unknown_tag_names_its_nearest_neighbours_if_it_has_any(listed):
    listed(LISTED)
    with pytest.raises(ValueError, match="such as textbook.lemma-01"):
        statements.statement("textbook.lemma-02")
    with pytest.raises(ValueError, match="such as textbook.lemma-01"):
        statements.statement("TEXTBOOK.Lemma-01")
    with pytest.raises(ValueError, match=r"statements.toml$"):
        statements.statement("zzz")


def test_a_page_that_is_not_there_is_named_and_no_contents_are_written(listed, varied):
    varied(toc=current().book / "_toc.yml")
    listed(f"{PART}pages = ['guide', 'first_hourr']")
    with pytest.raises(ValueError, match="own: page = 'first_hourr', allowed: one of .*book/"):
        toc.main()
    assert not current().toc.exists()
    listed(f"{PART}pages = ['guide']")
    toc.main()
    assert current().toc.read_text(encoding="utf-8").count("file:") == 1
    (current().book / "intro.md").unlink()
    with pytest.raises(ValueError, match="first page = 'intro', allowed: one of .*book/"):
        toc.main()


def test_a_folder_without_a_book_has_no_list(listed, varied):
    listed(LISTED)
    varied(book=current().book / "none")
    with pytest.raises(ValueError, match=r"book = 'book', allowed: a folder of the project"):
        statements.statements()
