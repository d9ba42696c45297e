"""The built pages in a real browser, from the disk, with the network cut off: each opened once.

Skipped with a word where Chromium or the pages are missing; ``.ci/run`` provides both.  For WCAG
2.2 A and AA ``AXE_CORE`` names the ``axe.min.js`` of ``npm install axe-core``.
"""

import base64
import os
import re
import subprocess
import unicodedata
from collections import Counter

import pytest
from ledgerbook.project.project import current

from tests.tooling.pages_in_browser import (
    BUILT,
    PAGES,
    media,
    overflow,
    visit,
    window,
    wrong_requests,
)

pytestmark = BUILT
BOOK = current().html / "book"
THEOREM_4 = BOOK / "scan-snap/theorem_04.html"
NARROW, WIDER, DESKTOP = 320, (768, 1440), 1280  # pixels
FULLEST = sorted(PAGES, key=lambda page: -page.read_text("utf-8").count('<div class="math'))[:12]
KINDS = [BOOK / f"{name}.html" for name in ("intro", "ledger", "errata", "trust", "graph", "lab")]
CHAPTERS = [THEOREM_4, BOOK / "scan-snap/lemma_05.html", BOOK / "mechanics/graph_svm.html"]
WIDEST = 85  # characters of a line; about 75 are meant, and letters differ from font to font
PRINTED = [*CHAPTERS, *(BOOK / f"{name}.html" for name in ("notation", "scan-snap/lemma_01"))]
A4 = {"paperWidth": 8.27, "paperHeight": 11.69}  # inches
# Letters of open formulas that are drawn in italics, which no other text has: how many there are
# of each; and how large each formula is, as a share of its size in the text.
LETTERS = """
  const seen = {}, open = (one) => !one.closest("details:not([open]), [hidden]");
  for (const { textContent: letter } of
    [...document.querySelectorAll("article math mi:not([mathvariant])")].filter(open)) {
    if (/^[a-gi-zA-Z]$/.test(letter)) seen[letter] = 1 + (seen[letter] ?? 0);
  }
  return seen;
"""
SIZES = """
  return [...document.querySelectorAll("article math")].map((one) =>
    Number(one.style.getPropertyValue("--fit") || 1));
"""
# What does not stand though its page is read: formulas, their font, pictures.
ABSENT = """
  const done = arguments[0], all = (one) => [...document.querySelectorAll(`article ${one}`)];
  const lost = all("math").filter((one) => !one.closest("details:not([open]), [hidden]") &&
    !one.getBoundingClientRect().width).map((one) => one.getAttribute("alttext"));
  const pictures = all("img");  // the form of the other theme waits until it is asked for
  pictures.forEach((one) => { one.loading = "eager"; });
  const font = "STIX Two Math";  // on a busy machine its load may not have begun yet
  Promise.all(pictures.map((one) => one.decode().catch(() => lost.push(one.src)))).then(() => {
    if (!all("math").length) return done(lost);
    document.fonts.load(`16px '${font}'`).then((found) => done(found.length ? lost : [font]));
  });
"""
# Every fold opened, and laid out as if it had come near.
OPEN = """
  const near = document.createElement("style");
  near.textContent = "article * { content-visibility: visible !important; }";
  document.head.append(near);
  document.querySelectorAll("article details").forEach((box) => { box.open = true; });
"""
# Displayed formulas with a sign that no scrolling brings into their box; boxes that hide a part.
OUT_OF_REACH = """
  const out = [...document.querySelectorAll("article div.math > math")].filter((formula) => {
    const box = formula.parentElement, {left, right, width} = box.getBoundingClientRect();
    const sides = (side) => [...formula.querySelectorAll("mi, mn, mo, mtext")]
      .map((sign) => sign.getBoundingClientRect()).filter((sign) => sign.width)
      .map((sign) => sign[side]);
    const first = Math.min(...sides("left"));
    box.scrollLeft = 1e5;
    const last = Math.max(...sides("right"));
    box.scrollLeft = 0;
    return width && (first < left - 1 || last > right + 1);
  });
  const cut = [...document.querySelectorAll("article .math, article pre, article .output")]
    .filter((box) => box.scrollWidth > box.clientWidth + 1 && box.clientWidth
      && getComputedStyle(box).overflowX === "hidden");
  return [...out, ...cut].map((one) => one.textContent.trim());
"""
# Formulas outside of folds that a wide window does not show whole: they have the margin, too.
SCROLLS = """
  return [...document.querySelectorAll("article div.math")]
    .filter((box) => box.scrollWidth > box.clientWidth + 1)
    .map((box) => box.textContent.trim());
"""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_asks_for_nothing_outside_and_all_of_it_can_be_reached(browser, page):
    visit(browser, page, width=NARROW, height=150)  # every page is opened, and none is looked at
    assert wrong_requests(browser) == []
    assert browser.execute_async_script(ABSENT) == []
    assert overflow(browser) <= 0, "sideways scrolling"
    if page in FULLEST:
        browser.execute_script(OPEN)
        assert overflow(browser) <= 0, "sideways scrolling where a fold is open"
        assert browser.execute_script(OUT_OF_REACH) == []
    for width in WIDER if page in (*KINDS, *CHAPTERS) else ():  # one of each kind: room to spare
        window(browser, width, 150)
        assert overflow(browser) <= 0, f"sideways scrolling at {width} px"
    window(browser, DESKTOP, 150)
    browser.execute_script(OPEN)
    assert browser.execute_script(SCROLLS) == []


def test_what_scrolls_takes_the_keyboard_and_no_other_formula_does(browser):
    visit(browser, THEOREM_4, height=150)
    wrong = browser.execute_async_script(
        f"{OPEN} const done = arguments[0];"
        "setTimeout(() => done([...document.querySelectorAll('article .math')].filter((box) =>"
        " (box.tabIndex === 0) !== (box.scrollWidth > box.clientWidth + 1"
        " && getComputedStyle(box).overflowX !== 'visible')).map((box) => box.textContent)), 1500)"
    )
    assert wrong == []


def test_paper_shows_what_is_open_all_of_it_when_asked_and_no_formula_is_too_wide(browser):
    visit(browser, THEOREM_4, height=150)
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
    browser.execute_script("dispatchEvent(new Event('beforeprint'))")  # measured on the screen
    media(browser, "print")
    window(browser, 680, 150)
    wide = browser.execute_script(
        "const left = document.querySelector('article').getBoundingClientRect().left;"
        "return [...document.querySelectorAll('article math')].filter((formula) =>"
        " [...formula.querySelectorAll('*')].map((sign) => sign.getBoundingClientRect())"
        ".some((sign) => sign.width && (sign.left < left - 1 || sign.right > left + 680)))"
        ".map((formula) => formula.getAttribute('alttext'))"
    )
    assert wide == []


@pytest.mark.needs("pdftotext")
@pytest.mark.parametrize("page", PRINTED, ids=lambda page: page.stem)
def test_paper_has_every_letter_of_every_formula_and_none_is_small(browser, page):
    visit(browser, page, width=1440)
    letters = browser.execute_script(LETTERS)
    pdf = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", A4)["data"])
    told = subprocess.run(["pdftotext", "-", "-"], input=pdf, capture_output=True, check=True)
    italic = (one for one in told.stdout.decode() if "\U0001d434" <= one <= "\U0001d467")
    found = Counter(unicodedata.normalize("NFKC", one) for one in italic)
    assert letters and {one: found[one] for one in letters} == letters
    sizes = browser.execute_script(SIZES)
    assert min(sizes) >= 0.8, f"{len([s for s in sizes if s < 0.8])} formulas are set small"


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_status_sentence_and_picture_are_on_the_first_screen_of_desk_and_phone(browser, page):
    visit(browser, page)
    for size in ((1440, 900), (390, 844)):
        window(browser, *size)
        low, chip, code = browser.execute_script(
            "const at = (one) => document.querySelector(one).getBoundingClientRect();"
            "return [at('article figure img').bottom - innerHeight, at('.standing .chip').top,"
            " at('article details').top - at('article figure').bottom]"
        )
        assert low < 0 < chip and code >= 0, size
        longest = browser.execute_script(
            "const lines = [];"
            "for (const p of document.querySelectorAll('article section > p:not(:has(math))')) {"
            " const range = document.createRange(); range.selectNodeContents(p);"
            " const tops = new Set([...range.getClientRects()].map((r) => Math.round(r.top / 8)));"
            " if (tops.size > 5) lines.push(p.textContent.length / (tops.size - 0.5)); }"
            "return Math.max(0, ...lines)"
        )
        assert longest <= WIDEST and (longest or page != THEOREM_4), size


def test_dark_theme_keeps_words_readable_and_plots_dark(browser):
    def colours(*asked):
        return browser.execute_script(
            "return arguments[0].map(([one, name]) =>"
            " getComputedStyle(document.querySelector(one)).getPropertyValue(name))",
            asked,
        )

    dark = "document.documentElement.dataset.theme = 'dark'"
    visit(browser, BOOK / "graph.html")
    browser.execute_script(dark)
    page, words = ("body", "background-color"), ("article p", "color")
    box, label = (".statement-graph rect", "fill"), (".statement-graph text", "fill")
    assert contrast(*colours(page, words)) >= 4.5 and contrast(*colours(box, label)) >= 4.5
    visit(browser, CHAPTERS[1])
    day, night = (
        ("article figure img.by-day", "display"),
        ("article figure img.by-night", "display"),
    )
    assert colours(night) == ["none"] != colours(day)
    browser.execute_script(dark)
    assert colours(day) == ["none"] != colours(night)


def contrast(one, other):
    """Contrast ratio of two CSS colours (WCAG 2)."""

    def luminance(colour):
        channels = [int(c) / 255 for c in re.findall(r"\d+", colour)[:3]]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.skipif("AXE_CORE" not in os.environ, reason="no axe-core: AXE_CORE names axe.min.js")
def test_no_violation_of_wcag(browser):
    with open(os.environ["AXE_CORE"], encoding="utf-8") as file:
        axe = file.read()
    for page in (BOOK / "intro.html", BOOK / "graph.html", BOOK / "errata.html", CHAPTERS[1]):
        for theme in ("light", "dark"):
            visit(browser, page)
            browser.execute_script(f"document.documentElement.dataset.theme = '{theme}'; {OPEN}")
            browser.execute_script(axe)
            found = browser.execute_async_script(
                "const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];"
                "const rules = {'label-content-name-mismatch': {enabled: true}};"
                "setTimeout(() => axe.run(document, {runOnly: {type: 'tag', values}, rules})"
                ".then((found) => arguments[0](found.violations.map((one) => one.id))), 1200)"
            )
            assert found == [], (page, theme)
