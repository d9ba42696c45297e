"""What a reader of a built chapter sees before scrolling, and how long its lines are."""

import pytest
from ledgerbook.project import paths

from tests.tooling.built_pages import NEEDED, visit

pytestmark = NEEDED
CHAPTERS = ("scan-snap/theorem_04", "scan-snap/lemma_05", "mechanics/graph_svm")
WIDEST = 85  # characters of a line; about 75 are meant, and letters differ from font to font


@pytest.fixture(params=[(1440, 900), (390, 844)], ids=["desk", "phone"])
def window(browser, request):
    """A browser whose window has the size of a desk's or of a phone's."""
    width, height = request.param
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    yield browser
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("page", CHAPTERS)
def test_status_sentence_and_picture_are_on_the_first_screen(window, page):
    visit(window, paths.HTML / "book" / f"{page}.html")
    low, chip, code = window.execute_script(
        "const at = (one) => document.querySelector(one).getBoundingClientRect();"
        "return [at('article figure img').bottom - innerHeight, at('.standing .chip').top,"
        " at('article details').top - at('article figure').bottom]"
    )
    assert low < 0 and 0 < chip and code >= 0


def test_a_line_has_no_more_characters_than_the_eye_can_follow(window):
    visit(window, paths.HTML / "book" / f"{CHAPTERS[0]}.html")
    longest = window.execute_script(
        "const lines = [];"
        "for (const p of document.querySelectorAll('article section > p:not(:has(math))')) {"
        " const range = document.createRange(); range.selectNodeContents(p);"
        " const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top / 8)));"
        " if (tops.size > 5) lines.push(p.textContent.length / (tops.size - 0.5)); }"
        "return Math.max(...lines)"
    )
    assert 0 < longest <= WIDEST


def test_a_plot_is_dark_in_the_dark(window):
    visit(window, paths.HTML / "book" / f"{CHAPTERS[0]}.html")
    filters = window.execute_script(
        "return ['light', 'dark'].map((theme) => { document.documentElement.dataset.theme = theme;"
        " return getComputedStyle(document.querySelector('article figure img')).filter; })"
    )
    assert filters[0] == "none" and filters[1].startswith("invert(")
