"""Previews in a browser: shown and taken away, on hover and focus; a symbol's on a tap, too."""

import pytest
from ledgerbook.project.project import current
from selenium.webdriver import ActionChains, Keys

from tests.tooling.pages_in_browser import BUILT, media, visit, wait, wrong_requests

pytestmark = BUILT
THEOREM_4 = current().html / "book/scan-snap/theorem_04.html"
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
SHOWN = "!!document.querySelector('.preview:not([hidden])')"
LOOK = """
    const tip = document.querySelector(".preview:not([hidden])"), link = tip.querySelector("a");
    const {left, right} = tip.getBoundingClientRect();
    return {line: tip.querySelector("[role=tooltip]").textContent, target: link.href,
      described: document.querySelector("[aria-describedby=preview-line]") !== null,
      inside: left >= 0 && right <= document.documentElement.clientWidth + 1,
      linked: !link.hidden, motion: getComputedStyle(tip).animationName};
"""
KINDS = {
    "statement": ("article a[href='lemma_06.html']", "Lemma 6"),
    "equation": ("article a.mention[href$='#eq-45']", "Lemma 6"),
    "symbol": (".math.display [data-s]", "Scan and Snap"),
    "hypothesis": ("article a.mention[href='#hypothesis-h1']", "H1"),
    "claim": ("article a.mention[href='#claim-late-limit']", "proved"),
    "row": ("article tr[id^=claim-] a[href*='ledger.html#claim-']", "holds"),
    "word": ("article a.mention[href$='notation.html#word-snapping']", "snapping"),
    "erratum": ("article a[href$='errata.html#e17']", "E17"),
}


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
    wait(browser, SHOWN)
    return browser.execute_script(LOOK)


@pytest.fixture(scope="module")
def page(browser):
    """A chapter in a browser that can be touched."""
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    visit(browser, THEOREM_4, still=False)
    yield browser
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


WAYS = [*((kind, "hover") for kind in KINDS), ("equation", "focus"), ("symbol", "tap")]


@pytest.mark.parametrize(("kind", "how"), WAYS)
def test_it_shows_its_line_and_escape_takes_it_away(page, kind, how):
    selector, words = KINDS[kind]
    told = point(page, selector, how)
    assert words in told["line"] and told["described"] and told["inside"]
    assert told["target"].startswith("file:") and page.current_url == THEOREM_4.as_uri()
    assert told["linked"] == (kind == "symbol")
    ActionChains(page).send_keys(Keys.ESCAPE).perform()
    assert not page.execute_script(f"return {SHOWN}")


def test_nothing_moves_where_motion_is_not_wanted_and_one_tap_follows_a_link(page):
    for wanted, expected in (("reduce", "none"), ("no-preference", "preview-in")):
        media(page, motion=wanted)
        assert point(page, KINDS["hypothesis"][0], "hover")["motion"] == expected
    tap(page, *page.execute_async_script(FIND, KINDS["statement"][0]))
    wait(page, "location.href.endsWith('lemma_06.html')")
    assert wrong_requests(page) == []
