"""The search of the built pages: the right one among the first."""

import pytest
from ledgerbook.project import paths

from tests.tooling.built_pages import NEEDED, visit

pytestmark = NEEDED


QUERIES = {
    "Lemma 5": "lemma_05",
    "theorem 4": "theorem_04",
    "phase transition": "theorem_04",
    "beta": "theorem_01",
    "E prime": "lemma_14",
    "E′": "lemma_14",
    "common token": "setting",
    "(43)": "lemma_05",
    "h*": "lemma_05",
    "snap": "theorem_04",
    "entropy": "figure_06",
    "Graph-SVM": "graph_svm",
    "Adam": "figure_05",
    "frozen": "theorem_04",
    "normalization": "setting",
    "W_fin": "w_fin",
    "strongly connected": "hard_retrieval",
    "frequency bias": "theorem_03",
    "positional": "positional_bias",
    "errata": "errata",
    "t_0": "theorem_04",
    "implicit bias": "global_convergence",
    "explorable": "explorable",
    "notation": "notation",
    "residual": "residual_connection",
    "Figure 7": "figure_07",
}


@pytest.fixture(scope="module")
def searching(browser):
    """A page that has what is searched; a search changes nothing in it."""
    visit(browser, paths.HTML / "book" / "scan-snap" / "lemma_05.html")
    browser.execute_async_script(
        "const script = document.createElement('script');"
        "script.src = '../../_static/found.js';"
        "script.onload = () => arguments[0]();"
        "document.head.append(script);"
    )
    return browser


@pytest.mark.parametrize("query", QUERIES)
def test_search_puts_the_right_page_among_the_first_three(searching, query):
    found = searching.execute_script(
        "return findPages(found, arguments[0], 3).map((one) => one.url)", query
    )
    names = [url.rpartition("/")[2].partition(".")[0] for url in found]
    assert QUERIES[query] in names


def test_what_is_found_appears_below_the_field(browser):
    visit(browser, paths.HTML / "book" / "scan-snap" / "lemma_05.html")
    field = "form.bd-search input[type=search]"
    found = browser.execute_async_script(
        f"const done = arguments[0], input = document.querySelector('{field}');"
        "input.value = 'theorem 1'; input.dispatchEvent(new Event('input', {bubbles: true}));"
        "const look = () => { const a = document.querySelector('.found a');"
        " a ? done(a.href) : setTimeout(look, 50); }; look();"
    )
    assert found.endswith("book/scan-snap/theorem_01.html")
