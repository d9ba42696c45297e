"""The PDF of the main path: what stands on it, where links lead, what is said without Chromium."""

import pytest
from ledgerbook.commands import book
from ledgerbook.site import paper

PAGE = """<html><body><article class="bd-article"><section id="{own}">
<h1>{title}<a class="headerlink" href="#{own}">#</a></h1>
<p><a href="#{own}">here</a> <a href="{other}.html#there">beyond</a> <a href="{other}.html">page</a>
<a href="elsewhere.html#x">off</a> <a href="https://example.org/">out</a></p>
<img class="by-day" src="../_images/a.png"><img class="by-night" src="../_images/b.png">
<details class="evidence" id="gone"><summary>42 rows</summary></details>
<details class="sd-dropdown"><summary>Answer</summary>yes</details>
<figure class="moving"><link rel="stylesheet" href="../lab/lab.css">
<script defer src="../lab/draw.js"></script></figure>
</section></article></body></html>"""


@pytest.fixture
def html(tmp_path, monkeypatch, varied):
    """The page of a book of two pages, as text."""
    varied(build=tmp_path)
    monkeypatch.setattr(paper, "documents", lambda: ["book/one", "book/two"])
    (tmp_path / "html/book").mkdir(parents=True)
    for name, own, other in (("one", "here", "two"), ("two", "there", "one")):
        text = PAGE.format(own=own, other=other, title=f"Page {name}")
        (tmp_path / f"html/book/{name}.html").write_text(text)
    return paper.write_html().read_text()


def test_a_link_leads_within_the_paper_or_is_plain_words(html):
    for place in ("book-one--here", "book-two--there", "book-two--", "book-one--"):
        assert f'href="#{place}"' in html and f'id="{place}"' in html
    assert html.count("<a>off</a>") == 2
    assert html.count('<a href="https://example.org/">out</a>') == 2


def test_folds_of_evidence_stay_on_the_site(html):
    for gone in ("42 rows", "b.png", "headerlink"):
        assert gone not in html.partition("<body>")[2]
    assert html.count('<details class="sd-dropdown" open="">') == 2
    assert html.count('src="../html/_images/a.png"') == 2
    assert html.count("lab.css") == html.count("draw.js") == 1


def test_sheets_counts_pages_and_not_their_lists():
    assert paper.sheets(b"/Type /Pages\n/Type /Page\n<< /Type /Page /X /Type /Pages >>") == 2


def test_without_chromium_one_line_says_so(monkeypatch, capsys):
    monkeypatch.setattr(paper, "NAMES", ("no-such-program",))
    assert book.pdf() == 0
    assert capsys.readouterr().out == (
        "no PDF: it needs Chromium (Debian: apt-get install chromium)\n"
    )


def test_a_chromium_that_prints_nothing_is_told(tmp_path):
    with pytest.raises(ValueError, match="printed no PDF"):
        paper.print_pdf("true", tmp_path / "page.html")
