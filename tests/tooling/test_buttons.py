"""What the buttons of a built page do, by our own script: the theme's are not loaded."""

import gzip
import re

import pytest
from ledgerbook.project.project import current
from selenium.webdriver.common.keys import Keys

from tests.tooling.pages_in_browser import BUILT, visit, window

pytestmark = BUILT
PAGE = current().html / "book/scan-snap/lemma_05.html"


@pytest.fixture(scope="module")
def page(browser):
    """A chapter."""
    visit(browser, PAGE)
    yield browser
    browser.execute_script("localStorage.clear()")


def press(page, name):
    page.find_element("css selector", name).click()


def test_a_page_has_one_style_and_no_script_of_the_theme():
    head = PAGE.read_text(encoding="utf-8").partition("<body")[0]
    (style,) = re.findall(r'rel="stylesheet" href="([^"?]*)', head)
    assert len(gzip.compress((PAGE.parent / style).resolve().read_bytes())) < 25_000
    scripts = re.findall(r"<script [^>]*src=[^>]*>", head)
    assert 0 < len(scripts) < 9 and all(" defer" in one for one in scripts)


def test_the_menu_of_downloads_opens_and_closes(page):
    shown = ".dropdown-download-buttons .dropdown-menu"
    for name, seen in ((".dropdown-toggle", True), ("article h1", False)):
        press(page, name)
        assert page.find_element("css selector", shown).is_displayed() == seen


def test_control_and_k_opens_the_search_and_escape_closes_it(page):
    opened = "return document.getElementById('pst-search-dialog').open"
    for key, seen in ((Keys.CONTROL + "k", True), (Keys.ESCAPE, False)):
        page.switch_to.active_element.send_keys(key)
        assert page.execute_script(opened) == seen


def test_code_in_view_can_be_copied(page):
    copied = page.execute_async_script(
        "const done = arguments[0]; navigator.clipboard.writeText = async (text) => done(text);"
        "const pre = [...document.querySelectorAll('article .highlight > pre')].find((one) =>"
        " !one.closest('details'));"
        "const look = () => pre.nextElementSibling?.click() ?? setTimeout(look, 50);"
        "pre.scrollIntoView(); look();"
    )
    assert "\n" in copied and "Copy" not in copied


def test_on_a_desk_the_contents_can_be_put_away_and_on_a_phone_they_open_over_the_page(page):
    for seen in (False, True):
        press(page, ".primary-toggle")
        bar = page.find_element("css selector", "#pst-primary-sidebar")
        assert bar.is_displayed() == seen
    window(page, 400)
    for side in ("primary", "secondary"):
        press(page, f".{side}-toggle")
        over = page.find_element("css selector", f"#pst-{side}-sidebar-modal")
        link = over.find_element("css selector", "a[href^='#'], details[open] a")
        assert over.is_displayed() and link.is_displayed()
        page.execute_script("arguments[0].href = '#statement'; arguments[0].click()", link)
        assert not over.is_displayed()
        assert page.find_elements("css selector", f"#pst-{side}-sidebar a")


def test_a_colour_that_was_chosen_stays(page):
    mode = "return document.documentElement.dataset.theme"
    visit(page, PAGE)
    for wanted in ("dark", "light"):
        press(page, ".theme-switch-button")
        assert page.execute_script(mode) == wanted
    press(page, ".theme-switch-button")
    press(page, ".theme-switch-button")
    visit(page, PAGE)
    assert page.execute_script(mode) == "dark"
