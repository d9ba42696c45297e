"""Previews in a browser: shown and taken away, on hover and focus; a symbol's on a tap, too."""

import pytest
from ledgerbook.chapters import data_scripts
from ledgerbook.project import paths
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.support.ui import WebDriverWait

from tests.tooling.built_pages import NEEDED, requests, visit

DATA = paths.HTML / data_scripts.place("previewed")
pytestmark = [pytest.mark.skipif(not DATA.exists(), reason="no pages yet"), *NEEDED]
THEOREM_4 = paths.HTML / "book/scan-snap/theorem_04.html"


# Brings a thing to the middle; where it is once it has stood still for some frames: what comes near
# the window is laid out, and moves it.
FIND = """
    const [selector, done] = arguments, node = document.querySelector(selector);
    for (let box = node.closest("details"); box; box = box.parentElement.closest("details"))
      box.open = true;
    const find = (before, still) => {
      node.scrollIntoView({block: "center", behavior: "instant"});
      const {left, top, width, height} = node.getClientRects()[0];
      const here = [left + width / 2, top + height / 2];
      if (still === 10) return done(here);
      requestAnimationFrame(() => find(here, `${here}` === `${before}` ? still + 1 : 0));
    };
    find(null, 0);
"""
LOOK = """
    const done = arguments[0];
    const look = (left) => {
      const tip = document.querySelector(".preview:not([hidden])");
      if (!tip && left) return setTimeout(() => look(left - 1), 50);
      if (!tip) return done(null);
      const {left: start, right} = tip.getBoundingClientRect();
      const link = tip.querySelector(":scope > a");
      done({line: tip.querySelector("[role=tooltip]").textContent, target: link.href,
        described: document.querySelector("[aria-describedby=preview-line]") !== null,
        inside: start >= 0 && right <= document.documentElement.clientWidth + 1,
        linked: !link.hidden});
    };
    look(80);
"""


def mouse(browser, x, y):
    event = {"type": "mouseMoved", "x": x, "y": y, "pointerType": "mouse"}
    browser.execute_cdp_cmd("Input.dispatchMouseEvent", event)


def tap(browser, x, y):
    for kind, points in (("touchStart", [{"x": x, "y": y}]), ("touchEnd", [])):
        event = {"type": kind, "touchPoints": points}
        browser.execute_cdp_cmd("Input.dispatchTouchEvent", event)


def point(browser, selector, how):
    """Point at the first such thing; what the box says once it is there."""
    mouse(browser, 1, 1)  # or what is scrolled below an earlier place of it would be hovered over
    x, y = browser.execute_async_script(FIND, selector)
    if how == "hover":
        mouse(browser, x, y)
    elif how == "tap":
        tap(browser, x, y)
    else:
        script = "document.querySelector(arguments[0]).focus({focusVisible: true})"
        browser.execute_script(script, selector)
    return browser.execute_async_script(LOOK)


def press(browser, key):
    ActionChains(browser).send_keys(key).perform()


def gone(browser):
    return browser.execute_script("return !document.querySelector('.preview:not([hidden])')")


@pytest.fixture
def page(browser):
    """A chapter in a browser that can be touched, opened anew where a test has left it."""
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    if browser.current_url != THEOREM_4.as_uri():
        visit(browser, THEOREM_4)
    requests(browser)
    yield browser
    asked, failed = requests(browser)
    assert failed == [] and all(url.startswith(("file:", "data:")) for url in asked)
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


KINDS = {
    "statement": ("article a[href='lemma_06.html']", "Lemma 6"),
    "equation": ("article a.mention[href$='#eq-85']", "Theorem 1"),
    "symbol": (".math.display [data-s]", "Scan and Snap"),
    "hypothesis": ("article a.mention[href='#hypothesis-h1']", "H1"),
    "claim": ("article a.mention[href='#claim-late-limit']", "proved"),
    "row": ("article tr[id^=claim-] a[href*='ledger.html#claim-']", "holds"),
    "word": ("article a.mention[href$='notation.html#word-snapping']", "snapping"),
    "erratum": ("article a[href$='errata.html#e17']", "E17"),
}
WAYS = [
    (kind, how)
    for kind in KINDS
    for how in ("hover", "focus", "tap")
    # A letter of a formula is no stop of the keyboard; a tap on anything else follows it.
    if how != ("focus" if kind == "symbol" else "tap")
]


class TestInBrowser:
    @pytest.mark.parametrize("kind, how", WAYS)
    def test_it_shows_its_line_and_escape_takes_it_away(self, page, kind, how):
        selector, words = KINDS[kind]
        told = point(page, selector, how)
        assert words in told["line"] and told["described"] and told["inside"]
        assert told["target"].startswith("file:") and page.current_url == THEOREM_4.as_uri()
        assert told["linked"] == (kind == "symbol")
        press(page, Keys.ESCAPE)
        assert gone(page)

    def test_one_tap_follows_a_link(self, page):
        tap(page, *page.execute_async_script(FIND, KINDS["statement"][0]))
        WebDriverWait(page, 10).until(lambda there: there.current_url.endswith("lemma_06.html"))

    def test_nothing_moves_where_motion_is_not_wanted(self, page):
        motion = "return getComputedStyle(document.querySelector('.preview')).animationName"
        for wanted, expected in (("reduce", "none"), ("no-preference", "preview-in")):
            features = [{"name": "prefers-reduced-motion", "value": wanted}]
            page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
            page.get(THEOREM_4.as_uri())
            point(page, KINDS["equation"][0], "hover")
            assert page.execute_script(motion) == expected
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
