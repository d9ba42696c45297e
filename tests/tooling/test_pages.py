"""The built pages in a real browser, from the disk, with the network cut off.

Skipped with a word where Chromium or the pages are missing; ``.ci/run`` provides both.
"""

import html
import json
import re
import shutil

import pytest
from ledgerbook.statements import statements

from ledgerbook import paths

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
DRIVER = shutil.which("chromedriver")
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        not (CHROMIUM and DRIVER),
        reason="no Chromium with its driver (Debian: apt-get install chromium chromium-driver)",
    ),
    pytest.mark.skipif(not paths.INDEX.exists(), reason="no pages: run make book first"),
]
PAGES = sorted(paths.HTML.glob("book/**/*.html"))


@pytest.fixture(scope="module")
def browser():
    """Headless Chromium that can resolve no host name, with its request log."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in (
        "headless",
        "no-sandbox",
        "disable-gpu",
        "disable-quic",
        "no-first-run",
        "disable-background-networking",
        "disable-component-update",
        "disable-sync",
        "disable-dev-shm-usage",
        "allow-file-access-from-files",
        "host-resolver-rules=MAP * ~NOTFOUND",
        "window-size=1300,900",
    ):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    driver.set_script_timeout(60)
    driver.implicitly_wait(10)  # a busy machine's driver may come back early
    yield driver
    driver.quit()


def visit(browser, page):
    """Open a page, wait until its formulas stand, and stop animations, which would blur a
    measurement.
    """
    browser.get(page.as_uri())
    browser.execute_script(
        "const style = document.createElement('style'); style.textContent = '* { transition: none"
        " !important; animation: none !important }'; document.head.append(style)"
    )
    browser.execute_async_script("document.fonts.ready.then(() => arguments[0]())")


def requests(browser):
    """Addresses asked for since the last call, and those that failed."""
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = {
        e["params"]["requestId"]: e["params"]["request"]["url"]
        for e in events
        if e["method"] == "Network.requestWillBeSent"
    }
    failed = [
        asked.get(e["params"]["requestId"], "?")
        for e in events
        if e["method"] == "Network.loadingFailed"
    ]
    return list(asked.values()), failed


def overflow(browser, width):
    """By how many pixels the page can be scrolled sideways at a window width."""
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False},
    )
    return browser.execute_script(
        "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(browser, page):
    source = page.read_text(encoding="utf-8")
    article = source[source.index("<article") : source.index("</article>")]
    visit(browser, page)
    asked, failed = requests(browser)
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert failed == []
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
    unseen = browser.execute_script(
        "return [...document.querySelectorAll('article math')].filter(m => !m.closest('details:not("
        "[open])') && !m.getBoundingClientRect().width).map(m => m.getAttribute('alttext'))"
    )
    assert unseen == []
    if "<math" in article:
        faces = browser.execute_async_script(  # on a busy machine its load may not have begun yet
            "document.fonts.load(arguments[0]).then(found => arguments[1](found.length))",
            "16px 'STIX Two Math'",
        )
        assert faces > 0
    ids = re.findall(r'\sid="([^"]+)"', article)
    assert sorted(ids) == sorted(set(ids))
    assert (
        browser.execute_script(
            "return [...document.querySelectorAll('article img')].filter(i => !i.alt ||"
            " i.alt.length < 20 || !i.naturalWidth).map(i => i.src)"
        )
        == []
    )
    for width in (360, 768, 1300, 1600):
        assert overflow(browser, width) <= 0, f"sideways scrolling at {width} px"
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_links_between_pages_resolve():
    broken = []
    for page in PAGES:
        for href in re.findall(
            r'href="([^"#:]+\.html)(?:#[^"]*)?"', page.read_text(encoding="utf-8")
        ):
            if not (page.parent / html.unescape(href)).exists():
                broken.append((page.name, href))
    assert broken == []


def test_graph_holds_every_statement_and_links_every_chapter():
    text = (paths.HTML / "book/graph.html").read_text(encoding="utf-8")
    figures = re.findall(r'<svg class="statement-graph".*?</svg>', text, flags=re.S)
    titles = re.findall(r"<title>(.*?)</title>", " ".join(figures))
    assert len(titles) == len(statements())
    linked = set(re.findall(r'<a href="([^"]+)">\s*<rect', " ".join(figures)))
    assert linked == {
        row.docname.removeprefix("book/") + ".html" for row in statements().values() if row.written
    }


def test_search_finds_the_phase_transition(browser):
    browser.get((paths.HTML / "search.html").as_uri() + "?q=phase+transition")
    browser.execute_async_script(
        "const done = arguments[0]; const poll = n => document.querySelectorAll('#search-results"
        " li').length || !n ? done() : setTimeout(() => poll(n - 1), 100); poll(80);"
    )
    found = browser.execute_script(
        "return [...document.querySelectorAll('#search-results li a')].map(a => a.textContent)"
    )
    assert found, "the search for 'phase transition' finds nothing"


def test_dark_theme_keeps_words_readable(browser):
    visit(browser, paths.HTML / "book/graph.html")
    browser.execute_script("document.documentElement.dataset.theme = 'dark'")
    colour = (
        "return"
        " getComputedStyle(document.querySelector(arguments[0])).getPropertyValue(arguments[1])"
    )
    page, words = (
        browser.execute_script(colour, *query)
        for query in (("body", "background-color"), ("article p", "color"))
    )
    box, label = (
        browser.execute_script(colour, *query)
        for query in ((".statement-graph rect", "fill"), (".statement-graph text", "fill"))
    )
    assert contrast(page, words) >= 4.5 and contrast(box, label) >= 4.5


def contrast(one, other):
    """Contrast ratio of two CSS colours (WCAG 2)."""

    def luminance(colour):
        channels = [int(c) / 255 for c in re.findall(r"\d+", colour)[:3]]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


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


@pytest.mark.parametrize("query", QUERIES)
def test_search_puts_the_right_page_among_the_first_three(browser, query):
    visit(browser, paths.HTML / "book" / "scan-snap" / "lemma_05.html")
    found = browser.execute_async_script(
        "const [query, done] = arguments, script = document.createElement('script');"
        "script.src = '../../_static/found.js';"
        "script.onload = () => done(findPages(found, query, 3).map((one) => one.url));"
        "document.head.append(script);",
        query,
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


def test_rows_of_the_ledger_and_of_chapters_lead_to_each_other():
    """Every link to a row finds that row, both ways, and most rows have one."""
    ids = {
        page.resolve(): set(re.findall(r'\sid="([^"]+)"', page.read_text(encoding="utf-8")))
        for page in PAGES
    }
    links = [
        (page, html.unescape(target), place)
        for page in PAGES
        for target, place in re.findall(
            r'href="([^"#:]+\.html)#(claim-[^"]+)"', page.read_text(encoding="utf-8")
        )
    ]
    lost = [
        (page.stem, target, place)
        for page, target, place in links
        if place not in ids[(page.parent / target).resolve()]
    ]
    assert lost == []
    assert len(links) > 1000
