"""The search of the built pages, at the reader's door: what is typed, where Return leads."""

import tomllib
from pathlib import Path

import pytest
from ledgerbook.project import paths
from selenium.webdriver.common.keys import Keys

from tests.tooling.built_pages import NEEDED, visit

pytestmark = NEEDED

PAGE = paths.HTML / "genindex.html"  # the lightest
QUERIES = tomllib.loads((Path(__file__).parent / "queries.toml").read_text(encoding="utf-8"))
# Types a query into the dialog and presses Return; the page does not follow, it gives the address
# that Return leads to, then those of the list.
ASK = """
const [query, done] = arguments, form = document.querySelector('#pst-search-dialog form');
addEventListener('click', (event) => {
  event.preventDefault();
  done([event.target.href, ...[...form.querySelectorAll('[role=option]')].map((one) => one.href)]);
}, { capture: true, once: true });
form.elements.q.value = query;
form.elements.q.dispatchEvent(new Event('input', { bubbles: true }));
form.requestSubmit();
"""


def names(addresses):
    """Pages by what statements.toml and the table of queries call them."""
    return [one.partition("/book/")[2].partition(".html")[0] for one in addresses]


@pytest.fixture(scope="module")
def page(browser):
    """A page on which somebody searches."""
    visit(browser, PAGE)
    return browser


@pytest.fixture
def dialog(page):
    """Its dialog, opened anew by a slash."""
    page.execute_script("document.getElementById('pst-search-dialog').close()")
    page.find_element("css selector", "body").send_keys("/")
    field = page.switch_to.active_element
    field.clear()
    return field


def options(page, state=""):
    """The lines of the list."""
    return page.find_elements("css selector", f"#found [role=option]{state}")


@pytest.mark.parametrize("table", QUERIES)
def test_return_opens_the_right_page_and_the_list_has_it_early(page, table):
    first, early, wrong = 0, 0, []
    for query, right in QUERIES[table].items():
        opened, *listed = names(page.execute_async_script(ASK, query))
        first += opened in right
        early += bool({*listed[:3]} & {*right})
        wrong += [] if opened in right else [f"{query} → {opened}"]
    assert first >= 0.85 * len(QUERIES[table]), wrong
    assert early >= 0.95 * len(QUERIES[table]), wrong


@pytest.mark.parametrize(
    ("query", "place"),
    {"eq. 43": "lemma_05.html#eq-43", "E14": "errata.html#e14", "β": "theorem_01.html"}.items(),
)
def test_an_equation_an_erratum_a_letter_lead_to_their_place(page, query, place):
    assert page.execute_async_script(ASK, query)[0].endswith(place)


def test_a_slash_opens_the_dialog_and_is_a_sign_within_it(page, dialog):
    dialog.send_keys("l/l'")
    assert dialog.get_attribute("value") == "l/l'"


def test_arrows_choose_and_return_opens_what_is_chosen(page, dialog):
    dialog.send_keys("token")
    wait(page, "[...document.querySelectorAll('#found [role=option]')].length > 3")
    dialog.send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP)
    (chosen,) = options(page, "[aria-selected=true]")
    assert chosen == options(page)[1]
    assert dialog.get_attribute("aria-activedescendant") == chosen.get_attribute("id")
    dialog.send_keys(Keys.ARROW_UP, Keys.ARROW_UP)  # round to the last
    assert "search.html?q=token" in options(page, "[aria-selected=true]")[0].get_attribute("href")


def test_by_ear_the_dialog_has_a_name_and_says_how_many(page, dialog):
    dialog.send_keys("Lemma 5")
    wait(page, "document.querySelector('#pst-search-dialog output').value === '8 results'")
    assert page.execute_script("return document.querySelector('dialog[open]').ariaLabel")
    assert dialog.get_attribute("role") == "combobox"
    assert dialog.get_attribute("aria-expanded") == "true"


def test_where_nothing_is_found_a_word_says_so_and_return_looks_everywhere(page):
    opened, *listed = page.execute_async_script(ASK, "zqxjkv")
    assert opened.endswith("search.html?q=zqxjkv") and listed == [opened]
    said = page.execute_script("return document.querySelector('output').value")
    assert said.startswith("Nothing found")


def test_the_magnifier_lies_on_no_text(page, dialog):
    for width in (320, 1300):
        page.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 600, "deviceScaleFactor": 1, "mobile": False},
        )
        dialog.send_keys("Lemma 5", Keys.BACKSPACE, "5")
        wait(page, "document.querySelectorAll('#found [role=option]').length > 1")
        lens, field, found = (
            page.find_element("css selector", f"#pst-search-dialog {one}").rect
            for one in ("form > i", "input", "#found")
        )
        assert lens["x"] + lens["width"] <= field["x"]
        assert lens["y"] + lens["height"] <= found["y"]
        assert found["x"] >= 0 and found["x"] + found["width"] <= width
        dialog.clear()
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_nothing_of_the_index_is_asked_for_before_somebody_searches(browser):
    visit(browser, PAGE)
    asked = "return performance.getEntriesByType('resource').map((one) => one.name).join()"
    assert "found.js" not in browser.execute_script(asked)


def wait(page, condition):
    """Until a condition of the page holds."""
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(page, 20).until(lambda one: one.execute_script(f"return {condition}"))
