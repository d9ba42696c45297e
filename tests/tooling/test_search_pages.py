"""The search of the built pages, at the reader's door: what is typed, where Return leads."""

import tomllib
from pathlib import Path

import pytest
from ledgerbook.project.project import current
from selenium.webdriver.common.keys import Keys

from tests.tooling.pages_in_browser import BUILT, visit, wait, window

pytestmark = BUILT

PAGE = current().html / "genindex.html"  # the lightest
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
    """A page on which somebody searches; before that, nothing of the index is asked for."""
    visit(browser, PAGE)
    asked = "return performance.getEntriesByType('resource').map((one) => one.name).join()"
    assert "found.js" not in browser.execute_script(asked)
    return browser


@pytest.fixture
def dialog(page):
    """Its dialog, opened anew by a slash."""
    page.execute_script("document.getElementById('pst-search-dialog').close()")
    page.find_element("css selector", "body").send_keys("/")
    field = page.switch_to.active_element
    field.clear()
    return field


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
    {
        "eq. 43": "lemma_05.html#eq-43",
        "(118)": "theorem_04.html",  # which states it and displays it nowhere
        "E14": "errata.html#e14",
        "β": "theorem_01.html",
        "\\omega_1": "notation.html#symbol-scan-snap-omega-0-omega-1",  # two signs in one row
        "\\tilde c_n": "notation.html#symbol-scan-snap-tilde-c-l-mid-n-c-n-f-n",  # in LaTeX
        r"\dot Y = \eta_Y f_n (e_n - \alpha_n)^\top": "lemma_03.html",  # an equation, as typed
        "C(t) W_svm + W_fin": "conjecture.html",  # and without LaTeX
        "Q12": "weight_decay.html",
        "convexitiy": "convexity.html",  # a letter too many, in an ending that is cut
    }.items(),
)
def test_an_equation_an_erratum_a_letter_a_slip_lead_to_their_place(page, query, place):
    assert page.execute_async_script(ASK, query)[0].endswith(place)


def test_arrows_choose_and_by_ear_the_dialog_says_how_many(page, dialog):
    dialog.send_keys("l/l'")
    assert dialog.get_attribute("value") == "l/l'", "a slash within it is a sign"
    dialog.clear()
    dialog.send_keys("Lemma 5")
    wait(page, "document.querySelector('#pst-search-dialog output').value === '8 results'")
    assert page.execute_script("return document.querySelector('dialog[open]').ariaLabel")
    assert dialog.get_attribute("role") == "combobox"
    assert dialog.get_attribute("aria-expanded") == "true"
    options = page.find_elements("css selector", "#found [role=option]")
    for keys, chosen in ((Keys.DOWN + Keys.DOWN + Keys.UP, 1), (Keys.UP + Keys.UP, -1)):
        dialog.send_keys(keys)
        (found,) = page.find_elements("css selector", "#found [aria-selected=true]")
        assert found == options[chosen]
        assert dialog.get_attribute("aria-activedescendant") == found.get_attribute("id")
    assert "search.html?q=Lemma" in options[-1].get_attribute("href")


def test_where_nothing_is_found_a_word_says_so_and_return_looks_everywhere(page):
    opened, *listed = page.execute_async_script(ASK, "zqxjkv")
    assert opened.endswith("search.html?q=zqxjkv") and listed == [opened]
    said = page.execute_script("return document.querySelector('output').value")
    assert said.startswith("Nothing found")


def test_a_word_that_was_exchanged_is_said(page):
    opened, *_ = page.execute_async_script(ASK, "lmema 5")
    assert opened.endswith("lemma_05.html")
    said = page.execute_script("return document.querySelector('output').value")
    assert "with “lemma…” for “lmema”" in said


@pytest.mark.parametrize("width", [320, 1300])
def test_the_magnifier_lies_on_no_text(page, dialog, width):
    window(page, width, 600)
    dialog.send_keys("Lemma 5", Keys.BACKSPACE, "5")
    wait(page, "document.querySelectorAll('#found [role=option]').length > 1")
    lens, field, found = (
        page.find_element("css selector", f"#pst-search-dialog {one}").rect
        for one in ("form > i", "input", "#found")
    )
    assert lens["x"] + lens["width"] <= field["x"]
    assert lens["y"] + lens["height"] <= found["y"]
    assert found["x"] >= 0 and found["x"] + found["width"] <= width
