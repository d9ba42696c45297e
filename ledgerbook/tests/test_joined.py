"""All pages as one document: addresses are unique, links stay inside, headings nest."""

import json
import re

import pytest

from ledgerbook import joined, paths

HEAD = '<html><head><link rel="stylesheet" type="text/css" href="../_static/a.css" /></head><body>'
PAGES = {
    "book/intro": '<h1>The book<a class="headerlink" href="#x">#</a></h1><p id="x">'
    '<a href="paper/one.html#x">there</a> <a href="../_data/ledger.json">data</a>'
    '<a href="https://example.org/a?b=1&amp;c=2">out</a></p><script>if (1 < 2) {}</script>',
    "book/paper/one": "<style>#x b { color: #d00 }</style><h1>One &amp; only</h1>"
    '<h2 id="x">Check</h2>'
    '<a href="../intro.html">back</a><a href="#x">here</a><img src="../../_images/a.png" alt="a">'
    '<details><summary>s</summary><div class="highlight"><pre><span class="n">x</span>'
    '<span class="c1"># why</span></pre></div></details><math alttext="a &lt; b"><mi>a</mi></math>'
    '<svg><path marker-end="url(#x)"/></svg>'
    '<noscript class="rows" data-part=""><p>without</p></noscript>',
}


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Two built pages in two folders, and their table of contents."""
    for name, body in PAGES.items():
        file = tmp_path / "html" / f"{name}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        article = f'<article class="bd-article">{body}</article>'
        file.write_text(f"{HEAD}{article}</body></html>", encoding="utf-8")
    part = "  - caption: A part\n    chapters:\n      - file: book/paper/one\n"
    (tmp_path / "_toc.yml").write_text(f"root: book/intro\nparts:\n{part}", encoding="utf-8")
    monkeypatch.setattr(paths, "HTML", tmp_path / "html")
    monkeypatch.setattr(paths, "TOC", tmp_path / "_toc.yml")
    return tmp_path


def test_every_link_leads_within_the_document_or_to_the_web(site):
    text = joined.document(site / "joined")
    ids = re.findall(r'\sid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    links = re.findall(r'<a[^>]* href="([^"]+)"', text)
    assert {link for link in links if link[:1] != "#"} == {"https://example.org/a?b=1&amp;c=2"}
    assert {link[1:] for link in links if link[:1] == "#"} <= set(ids)
    assert '<a href="#book-paper-one--x">there</a>' in text and "<a>data</a>" in text
    assert 'marker-end="url(#book-paper-one--x)"' in text
    assert "<style>#book-paper-one--x b { color: #d00 }</style>" in text  # a colour is no address


def test_files_are_found_from_where_the_document_lies(site):
    text = joined.document(site / "joined")
    assert 'src="../html/_images/a.png"' in text and 'href="../html/_static/a.css"' in text


def test_parts_chapters_and_sections_nest_in_reading_order(site):
    text = joined.document(site / "joined")
    headings = re.findall(r"<h(\d)[^>]*>(.*?)</h", text)
    assert headings == [
        ("1", "The book"),
        ("1", "Contents"),
        ("1", "A part"),
        ("2", "One &amp; only"),
        ("3", "Check"),
    ]


def test_on_paper_folds_are_open_and_nothing_waits_for_a_script(site):
    text = joined.document(site / "joined")
    body = text[text.index("<body") :]
    assert "<script" not in body and "noscript" not in body and "<p>without</p>" in body
    assert "<details open>" in body
    assert '<pre>x<span class="c1"># why</span></pre>' in body
    assert 'role="img" aria-label="a &lt; b"' in body


def test_a_page_that_is_not_built_is_named(site):
    (site / "html/book/paper/one.html").unlink()
    with pytest.raises(ValueError, match=r"one\.html = 'missing', allowed: a built page"):
        joined.document(site / "joined")


DEEP = {
    "root": "intro",
    "parts": [
        {"caption": "One", "chapters": [{"file": "a", "sections": [{"file": "b"}]}]},
        {"caption": "Two", "chapters": [{"file": "c"}, {"caption": "Within", "file": "d"}]},
    ],
}


def test_a_part_stands_at_the_top_and_a_section_below_its_chapter():
    assert [tuple(place) for place in joined.places(DEEP)] == [
        (0, "intro", ""),
        (0, "", "One"),
        (1, "a", ""),
        (2, "b", ""),
        (0, "", "Two"),
        (1, "c", ""),
        (1, "", "Within"),
        (1, "d", ""),
    ]


def test_a_volume_is_a_part_and_what_stands_before_the_first_goes_with_it(site):
    (site / "_toc.yml").write_text(json.dumps(DEEP), encoding="utf-8")
    found = [[line.docname or line.caption for line in lines] for lines in joined.volumes()]
    assert found == [["intro", "One", "a", "b"], ["Two", "c", "Within", "d"]]


def test_a_part_of_its_own_leads_to_the_others_and_counts_its_pages_from_where_they_end(site):
    text = joined.document(site / "joined", [joined.Place(1, "book/paper/one")], 12)
    assert f'<a href="{joined.ELSEWHERE}book-intro">back</a>' in text
    assert "counter-reset: page 12;" in text
    assert "counter-reset: page 0;" in joined.document(site / "joined")


def test_the_contents_say_the_title_of_each_page_and_lead_there(site):
    text = joined.document(site / "joined")
    contents = text[text.index("<ul>") : text.index("</ul>")]
    assert re.findall(r'href="([^"]+)">([^<]+)<', contents) == [
        ("#book-intro", "The book"),
        ("#A-part", "A part"),
        ("#book-paper-one", "One &amp; only"),
    ]
    wanted = text[text.index("<p hidden>") :]
    linked = ["book-intro", "book-paper-one--x"]
    assert re.findall(r'href="#([^"]+)"', wanted) == linked
    assert joined.title("<article><p>no heading</p></article>") == ""


def test_no_heading_is_deeper_than_html_has_them():
    article = '<article class="bd-article"><h2>a</h2><h5>b</h5></article>'
    page = joined.Page(article, joined.Place(2, "deep"), {"deep"}, frozenset({"deep"}), "..")
    assert "<h4>a</h4><h6>b</h6>" in page.joined()
