"""The reader's pages: a part as a map, questions whose links still lead, a chapter's picture."""

import base64
import os
from types import SimpleNamespace

import nbformat
import pytest
from docutils import nodes
from ledgerbook.chapters import notebooks
from ledgerbook.chapters.statements import Part, statement
from ledgerbook.project import paths
from ledgerbook.site import reader_ext
from ledgerbook.site.reader_ext import ChapterPicture, PartMap, SelfTest

THEOREM = statement("textbook.theorem-01")
PREDICT = """## Predict

Which [bound](corollary_01.ipynb)? See [us](https://a.b), [below](#here) and [all](../intro.md).

- **(a)** this
- **(b)** that

:::{dropdown} Answer
**(b)** as [there](corollary_01.ipynb).
:::"""
PNG = base64.b64encode(b"a picture").decode()


def test_a_part_is_a_map_of_what_how_long_how_sure():
    records = [
        {"tag": "textbook.theorem-01", "status": "holds", "strength": "proved"},
        {"tag": "textbook.corollary-01", "status": "not checked", "strength": None},
    ]
    place = SimpleNamespace(arguments=["textbook"], env=SimpleNamespace(docname="book/guide"))
    lines = PartMap.markdown(place, {"statements": records}).splitlines()
    assert lines[0] == "| chapter | what it says | minutes | how sure |"
    sentence = (
        "Multiply a vector by a matrix again and again: what is largest wins, at a known rate."
    )
    row = f"| [Theorem 1](textbook/theorem_01.ipynb) | {sentence} | 1 |"
    assert lines[2] == f"{row} {{status}}`holds` proved |"
    assert lines[3].endswith(" | {status}`not checked` no evidence |")
    assert len(lines) == 4
    assert reader_ext.part_map("another", "book/guide", {"statements": records}).count("\n") == 1


def notebook(*cells):
    return nbformat.v4.new_notebook(cells=list(cells))


def test_questions_stand_by_part_with_their_links_as_seen_from_the_page(monkeypatch):
    asked = notebook(nbformat.v4.new_markdown_cell(f"# Title\n\n{PREDICT}"))
    read = {THEOREM.chapter: asked}
    monkeypatch.setattr(notebooks, "read", lambda path: read.get(path, notebook()))
    monkeypatch.setattr(
        reader_ext.statements, "parts", lambda: [Part("a", "A"), Part("textbook", "B")]
    )
    page = SimpleNamespace(env=SimpleNamespace(docname="book/questions"), arguments=[])
    said = SelfTest.markdown(page, {})
    assert said.startswith("## B\n\n") and "## A" not in said
    for link in (
        "[bound](textbook/corollary_01.ipynb)",
        "[us](https://a.b)",
        "[below](#here)",
        "[all](intro.md)",
        "**[Theorem 1](textbook/theorem_01.ipynb)**",
        "[there](textbook/corollary_01.ipynb)",
    ):
        assert link in said
    assert ":name: question-textbook-theorem-01" in said
    page.arguments = ["B"]
    assert f"## B\n\n{SelfTest.markdown(page, {})}" == said


@pytest.fixture
def drawn(monkeypatch):
    """The theorem's chapter with two outputs that are shown as pictures, one of them described."""
    shown = nbformat.v4.new_output("display_data", {"image/png": "plain"})
    details = {"alt": "a line", "caption": "It falls."}
    told = nbformat.v4.new_output(
        "display_data", {"image/png": PNG}, metadata={"image/png": details}
    )
    cell = nbformat.v4.new_code_cell("draw", outputs=[shown, told])
    monkeypatch.setattr(notebooks, "read", lambda path: notebook(cell))
    return details


def test_the_first_picture_is_the_first_that_is_described(drawn, monkeypatch):
    assert reader_ext.first_picture(THEOREM) == (PNG, drawn)
    monkeypatch.setattr(notebooks, "read", lambda path: notebook())
    with pytest.raises(ValueError, match=r"book/textbook/theorem_01.ipynb: no picture"):
        reader_ext.first_picture(THEOREM)


def test_a_picture_on_another_page_is_stored_once_and_says_where_it_is_from(
    drawn, tmp_path, monkeypatch
):
    monkeypatch.setattr(paths, "BUILD", tmp_path / "deep" / "_build")
    directive = SimpleNamespace(
        arguments=[THEOREM.tag],
        env=SimpleNamespace(docname="book/intro", srcdir=str(tmp_path)),
        parse_markdown=lambda text: [nodes.paragraph("", text)],
    )
    (box,) = ChapterPicture.content_nodes(directive)
    image, caption = box.children
    assert box["classes"] == ["chapter-picture"] and image["alt"] == "a line"
    assert caption.astext() == "It falls. (From [Theorem 1](textbook/theorem_01.ipynb).)"
    (file,) = (tmp_path / "deep/_build/jupyter_execute").iterdir()
    assert file.read_bytes() == b"a picture" and file.suffix == ".png"
    assert image["uri"] == f"/{file.relative_to(tmp_path)}"
    os.utime(file, (1, 1))
    assert ChapterPicture.content_nodes(directive)[0][0]["uri"] == image["uri"]
    assert file.stat().st_mtime == 1
    file.unlink()
    assert reader_ext.stored(PNG, directive.env) == image["uri"] and file.exists()
