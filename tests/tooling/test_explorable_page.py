"""The explorable page in a real Chromium, without a network."""

import re
import shutil

import pytest

from checks import figures
from tests.tooling.test_explorable import PAGE, ROOT, SCRIPT, made_up
from tooling import explorable

BUILT = ROOT / "_build/html/book/scan-snap/explorable.html"

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def grid():
    return made_up()


@pytest.fixture(scope="module")
def site(tmp_path_factory, grid):
    """The page's own HTML and its files, laid out as in the built book: the page's path."""
    root = tmp_path_factory.mktemp("site")
    explorable.write(root / "explorable", grid)
    shutil.copy(SCRIPT, root / "explorable")
    body = re.search(r"```\{raw\} html\n(.*?)```", PAGE.read_text(), re.S).group(1)
    page = root / "book/scan-snap/explorable.html"
    page.parent.mkdir(parents=True)
    page.write_text(
        '<!doctype html><html lang="en"><meta'
        f' charset="utf-8"><title>page</title><body>{body}</body></html>'
    )
    return page


@pytest.fixture
def open_page(open_chromium):
    """A function that opens a page in a narrow window, with extra flags."""

    def start(page, *flags, javascript=True):
        browser = open_chromium("window-size=360,900", *flags, javascript=javascript)
        browser.get(page.as_uri())
        return browser

    return start


def readout(browser):
    """(iteration, common in %, favourite, its %, entropy) as the page says them."""
    text = browser.find_element("css selector", ".explorable-readout").text
    return tuple(map(float, re.findall(r"\d+(?:\.\d+)?", text)))


def expected(cell):
    top = 1 + int(cell[1:].argmax())
    return 100 * cell[0], top, 100 * cell[top], float(explorable.entropy_at(cell))


@pytest.mark.parametrize("where", ["alone", "built"])
def test_sliders_answer_to_the_keyboard_and_show_the_grid(open_page, site, grid, where):
    from selenium.webdriver.common.keys import Keys

    page, values = (site, grid) if where == "alone" else (BUILT, None)
    if not page.exists():
        pytest.skip("the book is not built: run make book first")
    values = explorable.compute() if values is None else values
    browser = open_page(page)
    start = list(explorable.START.values())
    assert readout(browser) == pytest.approx((0, *expected(values[tuple(start)][0])), abs=0.06)
    browser.find_element("id", "explorable-frame").send_keys(Keys.END)
    assert readout(browser) == pytest.approx((400, *expected(values[tuple(start)][-1])), abs=0.06)
    browser.find_element("id", "explorable-eta_y").send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    browser.find_element("id", "explorable-common").send_keys(Keys.ARROW_LEFT)
    browser.find_element("id", "explorable-classes").send_keys(Keys.ARROW_RIGHT)
    cell = values[start[0] + 2, start[1], start[2] - 1, start[3] + 1, -1]
    assert readout(browser) == pytest.approx((400, *expected(cell)), abs=0.06)
    assert browser.find_element("id", "explorable-eta_y").get_attribute("aria-valuetext") == "5"
    severe = [
        entry
        for entry in browser.get_log("browser")
        if entry["level"] == "SEVERE" and "explorable" in entry["message"]
    ]
    assert not severe
    assert browser.execute_script(
        "return document.documentElement.scrollWidth <= window.innerWidth"
    ), "the page scrolls sideways"


def test_its_colours_are_the_book_s(open_page, site):
    asked = (
        "return getComputedStyle(document.querySelector(`#explorable rect.${arguments[0]}`)).fill"
    )
    for role in ("common", "distinct"):
        rgb = ", ".join(str(int(figures.COLORS[role][at : at + 2], 16)) for at in (1, 3, 5))
        assert open_page(site).execute_script(asked, role) == f"rgb({rgb})"


def test_play_moves_and_reduced_motion_does_not(open_page, site):
    from selenium.webdriver.support.ui import WebDriverWait

    moving = open_page(site)
    moving.find_element("css selector", "#explorable button").click()
    WebDriverWait(moving, 10, poll_frequency=0.1).until(lambda page: readout(page)[0] > 0)
    assert readout(moving)[0] < 400
    still = open_page(site, "force-prefers-reduced-motion")
    still.find_element("css selector", "#explorable button").click()
    assert readout(still)[0] == 400, "with reduced motion the end shows at once"


def test_without_javascript_there_is_a_figure_and_a_table(open_page, site):
    browser = open_page(site, javascript=False)
    assert not browser.find_element("id", "explorable").is_displayed()
    frame = browser.find_element("tag name", "iframe")
    browser.switch_to.frame(frame)
    assert len(browser.find_elements("css selector", "tr")) == 1 + len(explorable.TIMES)
    assert browser.find_element("tag name", "img").size["width"] > 100
