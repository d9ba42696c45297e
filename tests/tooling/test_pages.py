"""The built pages in a real browser, from the disk, with the network cut off.

Skipped with a word where Chromium or the pages are missing; ``.ci/run`` provides both.
"""

import re

import pytest
from ledgerbook.chapters.statements import statements
from ledgerbook.project import paths

from tests.tooling.built_pages import NEEDED, PAGES, asks_only_for_files, overflow, visit
from tests.tooling.headless import offline

pytestmark = NEEDED
BAR = 25_000_000  # bytes of the site


@pytest.fixture(scope="module")
def browser(open_chromium):
    """One that draws little: every page is opened, and none is looked at."""
    return offline(open_chromium, 150)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(browser, page):
    source = page.read_text(encoding="utf-8")
    article = source[source.index("<article") : source.index("</article>")]
    asks_only_for_files(browser, lambda: visit(browser, page))
    unseen = browser.execute_script(
        "return [...document.querySelectorAll('article math')].filter(m => !m.closest('details:not("
        "[open]), [hidden]') && !m.getBoundingClientRect().width)"
        ".map(m => m.getAttribute('alttext'))"
    )
    assert unseen == []
    if "<math" in article:
        faces = browser.execute_async_script(  # on a busy machine its load may not have begun yet
            "document.fonts.load(arguments[0]).then(found => arguments[1](found.length))",
            "16px 'STIX Two Math'",
        )
        assert faces > 0
    ids = re.findall(r'\sid="([^"]+)"', article)
    assert sorted(ids) == sorted(set(ids))
    assert (
        browser.execute_script(
            "return [...document.querySelectorAll('article img')].filter(i => !i.alt ||"
            " i.alt.length < 20 || !i.naturalWidth).map(i => i.src)"
        )
        == []
    )
    # First as the window is: 1300. Wider, a chapter's column only grows: the others are asked.
    chapter = page.parent != paths.HTML / "book"
    for width in (None, *([] if chapter else [1600]), 768, 360):
        assert overflow(browser, width) <= 0, f"sideways scrolling at {width or 1300} px"
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_graph_holds_every_statement_and_links_every_chapter():
    text = (paths.HTML / "book/graph.html").read_text(encoding="utf-8")
    figures = re.findall(r'<svg class="statement-graph".*?</svg>', text, flags=re.S)
    titles = re.findall(r"<title>(.*?)</title>", " ".join(figures))
    assert len(titles) == len(statements())
    linked = set(re.findall(r'<a href="([^"]+)">\s*<rect', " ".join(figures)))
    assert linked == {
        row.docname.removeprefix("book/") + ".html" for row in statements().values() if row.written
    }


def test_dark_theme_keeps_words_readable(browser):
    visit(browser, paths.HTML / "book/graph.html")
    browser.execute_script("document.documentElement.dataset.theme = 'dark'")
    colour = (
        "return"
        " getComputedStyle(document.querySelector(arguments[0])).getPropertyValue(arguments[1])"
    )
    page, words = (
        browser.execute_script(colour, *query)
        for query in (("body", "background-color"), ("article p", "color"))
    )
    box, label = (
        browser.execute_script(colour, *query)
        for query in ((".statement-graph rect", "fill"), (".statement-graph text", "fill"))
    )
    assert contrast(page, words) >= 4.5 and contrast(box, label) >= 4.5


def contrast(one, other):
    """Contrast ratio of two CSS colours (WCAG 2)."""

    def luminance(colour):
        channels = [int(c) / 255 for c in re.findall(r"\d+", colour)[:3]]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def test_the_site_is_below_its_bar():
    """How much a reader, or who publishes the pages, has to load."""
    sizes = {file: file.stat().st_size for file in paths.HTML.rglob("*") if file.is_file()}
    heaviest = sorted(sizes, key=sizes.__getitem__, reverse=True)[:5]
    assert sum(sizes.values()) < BAR, [(paths.relative(file), sizes[file]) for file in heaviest]
