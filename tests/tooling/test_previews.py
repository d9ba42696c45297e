"""Previews: what is named leads to its place and shows its line, on hover, focus and tap."""

import html
import json
import os.path
import re
import time
from functools import cache

import pytest
from ledgerbook.statements import written
from selenium.webdriver import ActionChains, Keys

from ledgerbook import data_scripts, paths, places, previews
from tests.tooling import test_pages
from tests.tooling.test_pages import PAGES, browser, requests, visit  # noqa: F401

pytestmark = pytest.mark.long

BUDGET = 200_000  # bytes of the script and its lines together
SCRIPT = previews.__file__.replace("previews.py", "static/previews.js")
CODE = re.compile(r"```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$]*\$", re.DOTALL)
DATA = data_scripts.place("previewed")
built = pytest.mark.skipif(not (paths.HTML / DATA).exists(), reason="no pages yet")
in_browser = [built, *test_pages.pytestmark]
THEOREM_4 = paths.HTML / "book/scan-snap/theorem_04.html"


@cache
def data():
    """What the script loads."""
    text = (paths.HTML / DATA).read_text(encoding="utf-8")
    return json.loads(text.removeprefix("window.previewed = ").rstrip(";\n"))


@cache
def ids(file):
    return set(re.findall(r'\sid="([^"]+)"', file.read_text(encoding="utf-8")))


def mentions(file):
    """(document, place) of each mention on a page."""
    found = re.findall(r'<a class="mention[^"]*" href="([^"]+)"', file.read_text(encoding="utf-8"))
    for target in dict.fromkeys(map(html.unescape, found)):
        page, _, place = target.partition("#")
        page = os.path.normpath(file.parent / page) if page else str(file)
        yield os.path.relpath(page, paths.HTML).removesuffix(".html"), place


@pytest.mark.parametrize("docname", places.documents())
def test_every_equation_number_cited_has_a_place(docname):
    words = CODE.sub(" ", places.source(docname).text)
    cited = set(re.findall(r"(?<![\w)])\((\d{1,3})\)", words)) & places.numbers()
    for number in cited:
        target = places.equation(number, docname)
        shown = places.shown().get(number, {}).get(target.docname)
        assert shown or target.docname == paths.document("equations")
        assert any(place == f"eq-{number}" for _, place, _ in lines_of(target.docname))


@cache
def lines_of(docname):
    class Without:
        domains = {}

    return [one for one in previews.told(Without()) if one[0] == docname]


@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_every_hypothesis_of_a_chapter_is_named_on_its_page(row):
    text = places.source(row.docname).text
    missing = [id for id in places.hypotheses(row.docname) if f"**{id}**" not in text]
    assert missing == []


@built
def test_script_and_lines_are_small():
    assert os.path.getsize(SCRIPT) + os.path.getsize(paths.HTML / DATA) <= BUDGET


@built
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_mention_leads_to_its_place_and_has_a_line(page):
    found = list(mentions(page))
    lost = [one for one in found if one[1] and one[1] not in ids(paths.HTML / f"{one[0]}.html")]
    silent = [(target, place) for target, place in found if place not in data()["pages"][target]]
    assert (lost, silent) == ([], [])


@built
@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_the_columns_of_every_table_of_rows_are_explained(row):
    text = (paths.HTML / f"{row.docname}.html").read_text(encoding="utf-8")
    heads = [
        head for head in re.findall(r"<thead>.*?</thead>", text, re.DOTALL) if "margin" in head
    ]
    assert heads
    for head in heads:
        for word in ("observed", "bound", "margin", "evidence", "verdict"):
            assert re.search(rf'<a class="mention[^>]*#word-column-{word}">{word}</a>', head), word


@built
def test_lines_are_whole_and_no_symbol_is_without_its_row():
    parts = data()["parts"]
    for lines in data()["pages"].values():
        for line in lines.values():
            whole = "".join(parts.get(sign, sign) for sign in line)
            opened = re.findall(r"<([a-z]+)[^>]*>", whole)
            closed = re.findall(r"</([a-z]+)>", whole)
            assert sorted(opened) == sorted(closed) and "$" not in whole, whole
    places_of_symbols = data()["pages"][data()["notation"]]
    assert all(place in places_of_symbols for place in data()["symbols"])


OPEN = """
    const node = document.querySelector(arguments[0]);
    for (let box = node.closest("details"); box; box = box.parentElement.closest("details"))
      box.open = true;
    node.scrollIntoView({block: "center", behavior: "instant"});
    const {left, top, width, height} = node.getClientRects()[0];
    return [left + width / 2, top + height / 2];
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


def mouse(browser, x, y):  # noqa: F811
    event = {"type": "mouseMoved", "x": x, "y": y, "pointerType": "mouse"}
    browser.execute_cdp_cmd("Input.dispatchMouseEvent", event)


def tap(browser, x, y):  # noqa: F811
    for kind, points in (("touchStart", [{"x": x, "y": y}]), ("touchEnd", [])):
        event = {"type": kind, "touchPoints": points}
        browser.execute_cdp_cmd("Input.dispatchTouchEvent", event)


def point(browser, selector, how):  # noqa: F811
    """Point at the first such thing; what the box says once it is there."""
    browser.execute_script(OPEN, selector)
    time.sleep(0.3)  # what comes near the window is laid out, and may move it
    x, y = browser.execute_script(OPEN, selector)
    if how == "hover":
        mouse(browser, 1, 1)
        mouse(browser, x, y)
    elif how == "tap":
        tap(browser, x, y)
    else:
        script = "document.querySelector(arguments[0]).focus({focusVisible: true})"
        browser.execute_script(script, selector)
    return browser.execute_async_script(LOOK)


def press(browser, key):  # noqa: F811
    ActionChains(browser).send_keys(key).perform()


def gone(browser):  # noqa: F811
    return browser.execute_script("return !document.querySelector('.preview:not([hidden])')")


@pytest.fixture
def page(browser):  # noqa: F811
    """A chapter in a browser that can be touched."""
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    visit(browser, THEOREM_4)
    requests(browser)
    yield browser
    asked, failed = requests(browser)
    assert failed == [] and all(url.startswith(("file:", "data:")) for url in asked)
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


KINDS = {
    "statement": ("article a[href='lemma_06.html']", "Lemma 6"),
    "equation": ("article a.mention[href$='#eq-85']", "(85)"),
    "symbol": (".math.display [data-s]", "Scan and Snap"),
    "listed symbol": ("article a.mention[href*='notation.html#symbol-']", "Scan and Snap"),
    "hypothesis": ("article a.mention[href='#hypothesis-h1']", "H1"),
    "claim": ("article a.mention[href='#claim-late-limit']", "proved"),
    "row": ("article tr[id^=claim-] a[href*='ledger.html#claim-']", "holds"),
    "word": ("article a.mention[href*='notation.html#word-']", "token"),
    "erratum": ("article a[href$='errata.html#e17']", "E17"),
}


WAYS = [
    (kind, how)
    for kind in KINDS
    for how in ("hover", "focus", "tap")
    if (kind, how) != ("symbol", "focus")  # a letter of a formula is no stop of the keyboard
]


class TestInBrowser:
    pytestmark = in_browser

    @pytest.mark.parametrize("kind, how", WAYS)
    def test_it_shows_its_line_and_escape_takes_it_away(self, page, kind, how):
        selector, words = KINDS[kind]
        told = point(page, selector, how)
        assert words in told["line"] and told["described"] and told["inside"]
        assert told["target"].startswith("file:") and page.current_url == THEOREM_4.as_uri()
        assert told["linked"] == (how == "tap" or kind == "symbol")
        press(page, Keys.ESCAPE)
        assert gone(page)

    def test_the_pointer_may_move_into_the_box_and_out_of_it(self, page):
        point(page, KINDS["equation"][0], "hover")
        middle = """
            const box = document.querySelector(".preview").getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2];
        """
        mouse(page, *page.execute_script(middle))
        time.sleep(0.6)
        assert not gone(page)
        mouse(page, 1, 1)
        time.sleep(0.6)
        assert gone(page)

    def test_a_second_tap_follows_the_link(self, page):
        selector = KINDS["statement"][0]
        point(page, selector, "tap")
        tap(page, *page.execute_script(OPEN, selector))
        time.sleep(1)
        assert page.current_url.endswith("lemma_06.html")

    def test_formulas_hold_no_stop_of_the_keyboard(self, page):
        stops = "return document.querySelectorAll('math a, math [tabindex], math button').length"
        assert page.execute_script(stops) == 0

    def test_nothing_moves_where_motion_is_not_wanted(self, page):
        motion = "return getComputedStyle(document.querySelector('.preview')).animationName"
        for wanted, expected in (("reduce", "none"), ("no-preference", "preview-in")):
            features = [{"name": "prefers-reduced-motion", "value": wanted}]
            page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
            page.get(THEOREM_4.as_uri())
            point(page, KINDS["equation"][0], "hover")
            assert page.execute_script(motion) == expected
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
