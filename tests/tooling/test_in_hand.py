"""Built pages in the hand and on paper: formulas to their last sign, pages of a print, spelling."""

import base64
import re

import pytest
from ledgerbook.project import paths

from tests.tooling.built_pages import NEEDED, PAGES, overflow, visit
from tests.tooling.headless import offline

pytestmark = NEEDED
WIDTHS = 320, 1440  # between them the same rules hold: 390 and 768 were measured once
A4 = {"paperWidth": 8.27, "paperHeight": 11.69}  # inches
# Signs of displayed formulas that no scrolling brings into their box, folds open.
OUT_OF_REACH = """
    document.querySelectorAll("article details").forEach((box) => { box.open = true; });
    return [...document.querySelectorAll("article div.math > math")].filter((formula) => {
      const box = formula.parentElement, {left, right, width} = box.getBoundingClientRect();
      const sides = (side) => [...formula.querySelectorAll("mi, mn, mo, mtext")]
        .map((sign) => sign.getBoundingClientRect()).filter((sign) => sign.width)
        .map((sign) => sign[side]);
      const first = Math.min(...sides("left"));
      box.scrollLeft = 1e5;
      const last = Math.max(...sides("right"));
      box.scrollLeft = 0;
      return width && (first < left - 1 || last > right + 1);
    }).map((formula) => formula.textContent.trim())
"""
AMERICAN = r"colors?\b|favor|neighbor|behavior|centers?\b|centered|gray|labeled|modeling"
# With -ize, as at Oxford and in the papers: what -ise would make of it is the other spelling.
NOT_OXFORD = "maximis|optimis|normalis|regularis|generalis|initialis|recognis|summaris"


@pytest.fixture(scope="module")
def browser(open_chromium):
    return offline(open_chromium, 150)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_last_sign_of_every_formula_can_be_reached(browser, page):
    if '<div class="math' not in page.read_text(encoding="utf-8"):
        return
    visit(browser, page)
    near = "article * { content-visibility: visible !important; }"
    style = (
        "const style = document.createElement('style'); style.textContent = arguments[0];"
        " document.head.append(style)"
    )
    browser.execute_script(style, near)
    out = {}
    for width in WIDTHS:
        overflow(browser, width)
        out[width] = browser.execute_script(OUT_OF_REACH)
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert out == {width: [] for width in WIDTHS}


def test_paper_shows_what_is_open_and_all_of_it_when_asked(browser):
    visit(browser, paths.HTML / "book/scan-snap/theorem_04.html")
    printed = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", A4)["data"])
    assert 1 < len(re.findall(rb"/Type\s*/Page\b", printed)) <= 12
    closed = "return document.querySelectorAll('article details:not([open])').length"
    before = browser.execute_script(closed)
    while_printing = browser.execute_script(
        f"let seen; window.print = () => {{ seen = (() => {{ {closed} }})(); }};"
        "document.querySelector('[onclick=\"printWhole()\"]').click(); return seen"
    )
    browser.execute_script("dispatchEvent(new Event('afterprint'))")
    assert before > while_printing == 0 and browser.execute_script(closed) == before


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_one_spelling(page):
    text = page.read_text(encoding="utf-8")
    article = text[text.index("<article") : text.index("</article>")]
    no_words = r"<(pre|script|style|code|math)\b.*?</\1>|<[^>]+>"
    words = re.sub(no_words, " ", article, flags=re.DOTALL)
    other = rf"\b[^\W_]*(?:{AMERICAN}|{NOT_OXFORD})[^\W_]*\b(?!_)"  # with _ it is a file's name
    assert re.findall(other, words, re.IGNORECASE) == []
