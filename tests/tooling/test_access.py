"""Built pages for every reader: WCAG 2.2 A and AA by axe-core, printing, the narrow phone.

axe-core is a script of npm: ``npm install axe-core``, or ``AXE_CORE`` names its ``axe.min.js``.
"""

import os
import re
from pathlib import Path

import pytest
from ledgerbook.project import paths

from tests.tooling.built_pages import NEEDED, overflow, visit

AXE = Path(os.environ.get("AXE_CORE", paths.ROOT / "node_modules/axe-core/axe.min.js"))
TYPICAL = ("intro", "graph", "errata", "scan-snap/lemma_05", "bibliography")
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
pytestmark = NEEDED


@pytest.mark.skipif(not AXE.is_file(), reason="no axe-core: npm install axe-core, or AXE_CORE")
@pytest.mark.parametrize("theme", ("light", "dark"))
@pytest.mark.parametrize("page", TYPICAL)
def test_no_violation_of_wcag(browser, page, theme):
    visit(browser, paths.HTML / "book" / f"{page}.html")
    browser.execute_script(AXE.read_text(encoding="utf-8"))
    found = browser.execute_async_script(
        "const [theme, values, done] = arguments;"
        "document.documentElement.dataset.theme = theme;"
        # a section that is not laid out yet has no size of its own, and seems to lie under others
        "const near = document.createElement('style');"
        "near.textContent = '* { content-visibility: visible !important; }';"
        "document.head.append(near);"
        "document.querySelectorAll('article details').forEach((box) => { box.open = true; });"
        "const rules = {'label-content-name-mismatch': {enabled: true}};"
        "setTimeout(() => axe.run(document, {runOnly: {type: 'tag', values}, rules,"
        " resultTypes: ['violations']}).then(({violations}) => done(violations.flatMap((rule) =>"
        " rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 120)}`)))), 1200);",
        theme,
        TAGS,
    )
    assert found == []


def test_nothing_is_cut_on_a_narrow_phone(browser):
    """At 320 px what is wider than its box can be scrolled: nothing is hidden."""
    visit(browser, paths.HTML / "book/scan-snap/theorem_04.html")
    assert overflow(browser, 320) <= 0
    cut = browser.execute_script(
        "document.querySelectorAll('article details').forEach((box) => { box.open = true; });"
        "return [...document.querySelectorAll('article .math, article pre, article .output')]"
        ".filter((box) => box.scrollWidth > box.clientWidth + 1 && box.clientWidth"
        " && getComputedStyle(box).overflowX === 'hidden').map((box) => box.textContent)"
    )
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert cut == []


def test_what_scrolls_takes_the_keyboard_and_no_other_formula_does(browser):
    visit(browser, paths.HTML / "book/scan-snap/theorem_04.html")
    wrong = browser.execute_async_script(
        "const done = arguments[0], near = document.createElement('style');"  # as if come near
        "near.textContent = 'article * { content-visibility: visible !important; }';"
        "document.head.append(near);"
        "document.querySelectorAll('article details').forEach((box) => { box.open = true; });"
        "setTimeout(() => done([...document.querySelectorAll('article .math')].filter((box) =>"
        " (box.tabIndex === 0) !== (box.scrollWidth > box.clientWidth + 1"
        " && getComputedStyle(box).overflowX !== 'visible')).map((box) => box.textContent)), 1500)"
    )
    assert wrong == []


def test_on_paper_no_formula_is_wider_than_the_page(browser):
    visit(browser, paths.HTML / "book/scan-snap/theorem_04.html")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    overflow(browser, 680)
    wide = browser.execute_script(
        "dispatchEvent(new Event('beforeprint'));"
        "const left = document.querySelector('article').getBoundingClientRect().left;"
        "return [...document.querySelectorAll('article math')].filter((formula) =>"
        " [...formula.querySelectorAll('*')].map((sign) => sign.getBoundingClientRect())"
        ".some((sign) => sign.width && (sign.left < left - 1 || sign.right > left + 680)))"
        ".map((formula) => formula.getAttribute('alttext'))"
    )
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert wide == []


def test_every_link_has_words_and_none_stands_within_another():
    """What a writer in plain HTML and one that links names by themselves make together."""
    hollow = re.compile(r'<a [^>]*href="[^"]*">\s*</a>|<a [^>]*>\s*<a ')
    pages = sorted(paths.HTML.glob("**/*.html"))
    assert len(pages) > 70
    wrong = [str(p.relative_to(paths.HTML)) for p in pages if hollow.search(p.read_text("utf-8"))]
    assert wrong == []
