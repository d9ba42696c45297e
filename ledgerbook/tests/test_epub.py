"""Pages of a book for e-readers: XML, without what needs a script, listed with what they hold."""

from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from ledgerbook.joined import Place
from sphinx.builders.epub3 import Epub3Builder
from sphinx.extension import Extension

from ledgerbook import epub, paths

KNOWN = {"book/a.xhtml": {"here"}, "book/b.xhtml": {"x"}, "top.xhtml": set()}


@pytest.mark.parametrize(
    ("link", "written"),
    [
        ("https://example.org/b.html#x", "https://example.org/b.html#x"),
        ("mailto:nobody@example.org", "mailto:nobody@example.org"),
        ("b.html#x", "b.xhtml#x"),
        ("b.html#gone", "b.xhtml"),
        ("b.html", "b.xhtml"),
        ("../top.html", "../top.xhtml"),
        ("#here", "#here"),
        ("#gone", "a.xhtml"),
        ("gone.html#x", ""),
        ("../data.csv", ""),
    ],
)
def test_a_link_leads_to_what_the_book_holds_or_out_of_it_or_nowhere(link, written):
    assert epub.target(link, "book/a.xhtml", KNOWN) == written


@pytest.mark.parametrize(
    ("tag", "written"),
    [
        (
            """<i title='say "no"' lang=en hidden>""",
            '<i title="say &quot;no&quot;" lang="en" hidden="hidden">',
        ),
        ('<a id="x">', '<a id="x">'),
        ('<a href="b.html?a&amp;b">', "<a>"),
        ('<a class="c" href="b.html">', '<a class="c" href="b.xhtml">'),
        ('<link href="b.css">', '<link href="b.css"/>'),
        ('<path d="M0 0"/>', '<path d="M0 0"/>'),
        ("<hr>", "<hr/>"),
        ("</hr>", "</hr>"),
        ("<svg>", '<svg xmlns="http://www.w3.org/2000/svg">'),
        ('<html lang="en" xmlns:a="b">', '<html lang="en" xmlns:a="b">'),
        ('<body class="c">', '<body class="c" id="top">'),
    ],
)
def test_a_tag_becomes_xml(tag, written):
    found = epub.joined.TAG.fullmatch(tag)
    assert epub._tag(found, "book/a.xhtml", KNOWN) == written


PAGE = """<html><head><link rel="stylesheet" href="../_static/here.css"/>\
<link rel="stylesheet" href="../_static/gone.css"/></head>\
<body><script>run()</script><style>p {}</style><details><summary><p>Words</p>\
<p class="expanded">Less</p></summary><p>Inside</p></details>\
<iframe src="a"></iframe><label>size<input type="range"></label><output>7</output>\
<a href="b.html#x">b</a><style>i {}</style></body></html>"""
PLAIN = """<html><head><link rel="stylesheet" href="../_static/here.css"/>\
<style>p {}</style><style>i {}</style></head>\
<body id="top"><details><summary><span>Words</span></summary><p>Inside</p></details>\
<label>size</label><a href="b.xhtml#x">b</a></body></html>"""


def test_pages_of_a_folder_lose_what_needs_a_script_and_find_each_other(tmp_path):
    for name, text in (("a", PAGE), ("b", '<html><body><p id="x">b</p></body></html>')):
        file = tmp_path / "book" / f"{name}.xhtml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (tmp_path / "_static").mkdir()
    (tmp_path / "_static/here.css").touch()
    epub.mend(tmp_path)
    assert (tmp_path / "book/a.xhtml").read_text(encoding="utf-8") == PLAIN


@pytest.fixture
def builder(tmp_path):
    """The builder with an empty book of pages whose titles are their names."""
    made = epub.Book.__new__(epub.Book)
    titles = {name: SimpleNamespace(astext=lambda name=name: f"<{name}>") for name in "abcd"}
    made.env, made.outdir = SimpleNamespace(titles=titles), str(tmp_path)
    return made


def line(level, target, text):
    return {"level": level, "refuri": target, "text": text}


def test_a_part_s_title_leads_to_its_first_page_whose_own_line_leads_to_the_top(builder):
    lines = [Place(0, "a"), Place(0, "", "One & two"), Place(1, "b"), Place(2, "c")]
    assert list(builder._lines([*lines, Place(0, "", "Empty")])) == [
        line(1, "a.xhtml", "&lt;a&gt;"),
        line(1, "b.xhtml", "One &amp; two"),
        line(2, "b.xhtml#top", "&lt;b&gt;"),
        line(3, "c.xhtml", "&lt;c&gt;"),
    ]


def test_without_parts_all_pages_are_on_one_level(builder):
    found = builder._lines([Place(0, "a"), Place(1, "b"), Place(2, "c")])
    assert [one["level"] for one in found] == [1, 1, 1]


def test_the_contents_are_those_of_the_site_and_pages_are_mended(builder, tmp_path, monkeypatch):
    monkeypatch.setattr(Epub3Builder, "get_toc", lambda self: None)
    monkeypatch.setattr(paths, "TOC", tmp_path / "toc.yml")
    paths.TOC.write_text("root: a\nparts:\n- caption: P\n  chapters:\n  - file: b\n", "utf-8")
    (tmp_path / "a.xhtml").write_text("<html><body><br></body></html>", encoding="utf-8")
    builder.get_toc()
    assert [(one["level"], one["refuri"]) for one in builder.refnodes] == [
        *((1, "a.xhtml"), (1, "b.xhtml"), (2, "b.xhtml#top"))
    ]
    assert "<br/>" in (tmp_path / "a.xhtml").read_text(encoding="utf-8")


def test_the_package_says_what_a_page_holds(builder, tmp_path, monkeypatch):
    monkeypatch.setattr(Epub3Builder, "build_content", lambda self: None)
    pages = {"a": "<math>x</math><svg></svg>", "b": "<svg></svg>", "c": "words", "gone": None}
    for name, text in pages.items():
        if text is not None:
            (tmp_path / f"{name}.xhtml").write_text(text, encoding="utf-8")
    items = [
        f'<item id="{k}" href="{name}.xhtml" media-type="x" />' for k, name in enumerate(pages)
    ]
    (tmp_path / "content.opf").write_text("\n".join(items), encoding="utf-8")
    builder.build_content()
    *_, third, fourth = found = (tmp_path / "content.opf").read_text("utf-8").splitlines()
    assert found[0] == '<item id="0" href="a.xhtml" media-type="x" properties="mathml svg" />'
    assert found[1] == '<item id="1" href="b.xhtml" media-type="x" properties="svg" />'
    assert [third, fourth] == items[2:]


def test_the_book_is_put_in_its_place_when_it_is_whole(project, monkeypatch, capsys):
    size, left = 3 * 2**19, paths.BUILD / "epub"  # of a run that was killed
    left.mkdir(parents=True)

    @contextmanager
    def held():
        yield

    def sphinx(builder, folder):
        assert builder == "epub" and folder == left
        folder.mkdir()  # nothing of before is packed
        (folder / "some.epub").write_bytes(bytes(size))

    monkeypatch.setattr(epub.scratch, "only_run", held)
    monkeypatch.setattr(epub.collect, "collect", dict)
    monkeypatch.setattr(epub.collect, "write", lambda ledger: None)
    for step in ("write_extra", "write_conf"):
        monkeypatch.setattr(epub.site, step, lambda: None)
    monkeypatch.setattr(epub.site, "sphinx", sphinx)
    monkeypatch.setattr(epub.time, "monotonic", iter([100.0, 107.0]).__next__)
    monkeypatch.setattr(paths, "EPUB", project / "book.epub")
    assert epub.main() == 0
    assert paths.EPUB.stat().st_size == size and not left.exists()
    assert capsys.readouterr().out.splitlines()[-1].endswith("book.epub: 1.5 MiB, 7 s")


def test_a_page_for_browsers_becomes_xml():
    known = {"book/a.xhtml": set(), "book/b.xhtml": {"x"}}
    text = (
        '<html><body><p hidden>1 &nbsp; & 2<br><img src="i.png" alt="i"></p>'
        '<a href="b.html#x">b</a><a href="b.html#y">b</a><a download href="../data.csv">d</a>'
        "<math><mi>x</mi></math></body></html>"
    )
    assert epub.page(text, "book/a.xhtml", known) == (
        '<html><body id="top"><p hidden="hidden">1 \u00a0 &amp; 2<br/>'
        '<img src="i.png" alt="i"/></p>'
        '<a href="b.xhtml#x">b</a><a href="b.xhtml">b</a><a>d</a>'
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>x</mi></math></body></html>'
    )


def test_a_page_that_is_no_xml_is_named():
    with pytest.raises(ValueError, match=r"a\.xhtml: mismatched tag"):
        epub.page("<html><body><p></body></html>", "a.xhtml", {})


def test_the_epub_builder_takes_the_place_of_sphinx_own_and_lets_pages_be_made_in_parallel():
    """Of an extension that does not say so, Sphinx warns, and a warning fails the build."""
    given = []
    app = SimpleNamespace(add_builder=lambda builder, override: given.append((builder, override)))
    said = Extension("ledgerbook.epub", epub, **epub.setup(app))
    assert given == [(epub.Book, True)] and epub.Book.name == "epub"
    assert said.parallel_read_safe and said.parallel_write_safe
