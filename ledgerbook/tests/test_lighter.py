"""Lighter pages: what is said of them is less, what is read is the same."""

from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup
from ledgerbook.lighter import lighter, write

from ledgerbook import bundle

PAGE = """<!-- theme -->
<li><a class="reference internal" href="a.html">A</a>
   <a class="mention reference internal" href="b.html"><span class="std std-ref">B</span></a></li>
<p>A <code class="docutils literal notranslate"><span class="pre">one</span> <span
 class="pre">two</span></code></p>
<table><tr class="row-odd" id="r"><th class="head"><p>h</p></th><td><p>x <b>y</b></p></td>
<td><p>1</p><p>2</p></td></tr></table>
<div class="highlight"><pre><span></span><span class="k">if</span> <span class="k">not</span>  x:

    <span class="c1"># <!-- why --></span></pre></div>
<span class="math"><math display="inline" alttext="x_1 &gt; 0"><mrow><msub><mi>x</mi>\
<mrow><mn>1</mn></mrow></msub><mo>&gt;</mo><mn>0</mn></mrow></math></span>
<img alt="a" src="../_images/b.png" style="width: 520px; height: 460px;" />
<div id="jb-print-docs-body" class="onlyprint"><h1>again</h1></div><div id="searchbox"></div>"""
LIGHT = lighter(PAGE)


def words(page):
    return BeautifulSoup(page, "html.parser").get_text(" ", strip=True).replace("again", "").split()


def test_words_and_code_are_the_same():
    assert words(LIGHT) == words(PAGE)
    assert "<pre><i class=k>if not</i>  x:\n\n    <i class=c1># <!-- why --></i></pre>" in LIGHT


@pytest.mark.parametrize(
    "piece",
    (
        '<a href="a.html">A</a>',
        '<img alt="a" src="../_images/b.webp" width="520" height="460" />',
        '<a class="mention" href="b.html"><span>B</span></a>',
        '<tr id="r"><th>h<td>x <b>y</b><td>',
        "<td><p>1</p><p>2</p></tr>",
        '<math alttext="x_1 &gt; 0"><msub><mi>x</mi><mn>1</mn></msub><mo>&gt;</mo>',
    ),
)
def test_what_no_style_asks_for_is_gone(piece):
    assert piece in LIGHT


def test_another_run_finds_nothing():
    assert lighter(LIGHT) == LIGHT and "again" not in LIGHT and "theme" not in LIGHT


def test_scripts_and_styles_keep_every_sign():
    kept = ["<script>a  <!-- b -->  c</script>", "<style>d  \n  e</style>", "<pre>f  \n</pre>"]
    assert lighter("<p>1</p>  \n".join(kept)) == "<p>1</p>\n".join(kept)


@pytest.mark.parametrize(
    ("builder", "exception", "light"),
    [("html", None, True), ("html", ValueError("no page"), False), ("epub", None, False)],
)
def test_only_pages_of_a_site_that_was_built_become_lighter(tmp_path, builder, exception, light):
    own, foreign = f"<!-- a -->{bundle.STYLE}<p>b", "<!-- a -->another style<p>b"
    for name, text in (("own", own), ("foreign", foreign)):
        (tmp_path / f"{name}.html").write_text(text, encoding="utf-8")
    app = SimpleNamespace(builder=SimpleNamespace(name=builder), outdir=tmp_path)
    write(app, exception)
    assert (tmp_path / "foreign.html").read_text(encoding="utf-8") == foreign
    assert ("<!--" not in (tmp_path / "own.html").read_text(encoding="utf-8")) == light
