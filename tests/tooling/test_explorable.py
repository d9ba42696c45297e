"""The explorable page: its grid is what lib computes, and it works in a real Chromium without a
network.
"""

import re
import shutil
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from lib.scan_snap.engine.train import train
from lib.scan_snap.sparsity import distinct_entropy
from tooling import explorable

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "book/scan-snap/explorable.md"
SCRIPT = ROOT / "book/_extra/explorable/explorable.js"
BUILT = ROOT / "_build/html/book/scan-snap/explorable.html"


@pytest.fixture(scope="module")
def values():
    return explorable.compute()


@pytest.fixture(scope="module")
def site(tmp_path_factory, values):
    """The page's own HTML and its files, laid out as in the built book: the page's path."""
    root = tmp_path_factory.mktemp("site")
    explorable.write(root / "explorable", values)
    shutil.copy(SCRIPT, root / "explorable")
    body = re.search(r"```\{raw\} html\n(.*?)```", PAGE.read_text(), re.S).group(1)
    page = root / "book/scan-snap/explorable.html"
    page.parent.mkdir(parents=True)
    page.write_text(
        '<!doctype html><html lang="en"><meta'
        f' charset="utf-8"><title>page</title><body>{body}</body></html>'
    )
    return page


def test_grid_is_training_without_sampling(values):
    """One cell computed again, alone, through the whole library."""
    classes = explorable.classes_of(5, 0.3)
    run = train(
        classes,
        10.0,
        0.5,
        steps=100,
        keep=(16, 100),
        T=float("inf"),
        batch_size=float("inf"),
    )
    cell = values[4, 1, 1, 1]
    for k, t in enumerate((16, 100)):
        c, got = run.attention[0, 0, k, 0], cell[explorable.TIMES.index(t)]
        np.testing.assert_allclose(
            got, [c[classes.common_tokens].sum(), *c[classes.distinct_tokens(0)]], atol=1e-12
        )
    assert explorable.entropy_at(cell)[-4] == pytest.approx(
        distinct_entropy(run.attention, classes)[0, 0, -1],
        abs=1e-6,  # float32: classes are nearly alike
    )


def test_iterations_of_the_grid_lie_evenly_on_a_logarithmic_axis():
    """Each is a tenth power of ten to two digits, and none is left out below ten or twice there."""
    tenths = [int(float(f"{round(10 ** (k / 10)):.2g}")) for k in range(27)]
    assert sorted({0, *explorable.TIMES}) == [*explorable.TIMES]
    assert {*explorable.TIMES} <= {0, *tenths}
    assert all(high <= 1.6 * low for low, high in pairwise(explorable.TIMES[2:]))


def test_grid_starts_at_the_probabilities_and_stays_a_distribution(values):
    np.testing.assert_allclose(values.sum(-1), 1, atol=1e-12)
    for i, share in enumerate(explorable.SLIDERS["common"][1]):
        np.testing.assert_allclose(values[:, :, i, :, 0, 0], share, atol=1e-12)


def test_encoding_is_exact_to_its_promise(values):
    assert np.abs(explorable.decode(explorable.encode(values), values.shape) - values).max() < 1e-5


def test_rates_and_numbers_of_classes_go_in_steps_of_one_two_and_five():
    for name in ("eta_y", "eta_z", "classes"):
        values = explorable.SLIDERS[name][1]
        assert {high / low for low, high in pairwise(values)} <= {2, 2.5}, name


def test_files_are_written_anew_where_they_are_wanted(tmp_path, values, monkeypatch):
    monkeypatch.setattr(explorable, "compute", lambda: values)
    folder = tmp_path / "not/there"
    for _ in range(2):
        assert explorable.write(folder) == folder
        assert {path.name for path in folder.iterdir()} == {"grid.js", "table.html"}


def test_the_figure_has_a_curve_for_each_token_and_two_names(values):
    here = values[tuple(explorable.START.values())]
    (ax,) = explorable._drawing(here).axes
    drawn = [line.get_ydata() for line in ax.lines]
    assert len(drawn) == here.shape[1] and (np.array(drawn).T == here).all()
    assert all(0 < line.get_xdata()[0] < 1 for line in ax.lines)  # 0 has no place on the axis
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "common tokens together",
        "distinct tokens",
    ]


def test_entropy_is_of_the_distinct_tokens_in_every_cell(values):
    found = explorable.entropy_at(values)
    assert found.shape == values.shape[:-1]
    assert found[1, 2, 3, 0, 5] == explorable.entropy_at(values[1, 2, 3, 0, 5])


def test_a_faster_decoder_freezes_attention_from_the_start_setting_but_not_everywhere(values):
    flat = explorable.entropy_at(values)[..., -1]  # (eta_y, eta_z, common, classes)
    _, *start = explorable.START.values()
    assert (np.diff(flat[(slice(None), *start)]) > 0).all()
    assert (np.diff(flat[:, 4, 3, 2]) < 0).all()  # eta_Z = 4, share 0.8, K = 10


def test_weight(site):
    files = [path for path in (site.parents[2] / "explorable").iterdir() if path.suffix == ".js"]
    assert len(files) == 2 and sum(path.stat().st_size for path in files) < 300_000


def test_table_for_readers_without_script(site, values):
    text = (site.parents[2] / "explorable/table.html").read_text()
    assert text.count("<tr>") == 1 + len(explorable.TIMES) and 'alt="' in text
    last = values[tuple(explorable.START.values())][-1]
    assert f"<td>400</td><td>{last[0]:.1%}</td>" in text
    first, *rows = text.split("<tr>")[1:]
    assert first.count("</th>") == 1 + len(last) == rows[0].count("</td>")
    assert "<noscript>" in site.read_text() and "table.html" in site.read_text()


@pytest.fixture
def open_page():
    """A function that opens a page in a headless Chromium with extra flags; skips where there is
    none.
    """
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not binary or not driver:
        pytest.skip("no chromium with chromedriver on this machine")
    browsers = []

    def start(page, *flags, javascript=True):
        options = webdriver.ChromeOptions()
        options.binary_location = binary
        for flag in (
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--window-size=360,900",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={tempfile.mkdtemp()}",
            *flags,
        ):
            options.add_argument(flag)
        if not javascript:
            options.add_experimental_option(
                "prefs", {"profile.managed_default_content_settings.javascript": 2}
            )
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        browsers.append(browser)
        browser.get(page.as_uri())
        return browser

    yield start
    for browser in browsers:
        browser.quit()


def readout(browser):
    """(iteration, common in %, favourite, its %, entropy) as the page says them."""
    text = browser.find_element("css selector", ".explorable-readout").text
    return tuple(map(float, re.findall(r"\d+(?:\.\d+)?", text)))


def expected(cell):
    top = 1 + int(cell[1:].argmax())
    return 100 * cell[0], top, 100 * cell[top], float(explorable.entropy_at(cell))


@pytest.mark.parametrize("where", ["alone", "built"])
def test_sliders_answer_to_the_keyboard_and_show_the_grid(open_page, site, values, where):
    from selenium.webdriver.common.keys import Keys

    page = site if where == "alone" else BUILT
    if not page.exists():
        pytest.skip("the book is not built: run make book first")
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


def test_play_moves_and_reduced_motion_does_not(open_page, site):
    import time

    moving = open_page(site)
    moving.find_element("css selector", "#explorable button").click()
    time.sleep(1.5)
    assert 0 < readout(moving)[0] < 400
    still = open_page(site, "--force-prefers-reduced-motion")
    still.find_element("css selector", "#explorable button").click()
    assert readout(still)[0] == 400, "with reduced motion the end shows at once"


def test_without_javascript_there_is_a_figure_and_a_table(open_page, site):
    browser = open_page(site, javascript=False)
    assert not browser.find_element("id", "explorable").is_displayed()
    frame = browser.find_element("tag name", "iframe")
    browser.switch_to.frame(frame)
    assert len(browser.find_elements("css selector", "tr")) == 1 + len(explorable.TIMES)
    assert browser.find_element("tag name", "img").size["width"] > 100
