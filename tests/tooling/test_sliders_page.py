"""The figures with sliders in a real Chromium: by keyboard, by address, without JavaScript."""

import json
import re
import shutil

import numpy as np
import pytest
from ledgerbook.chapters.statements import statement
from ledgerbook.project import paths

from tests.tooling.test_sliders import figure as each_figure
from tooling.sliders.drawing import html

pytestmark = pytest.mark.long

figure = each_figure  # a fixture: one figure after the other
SCRIPTS = paths.BOOK / "_extra/sliders"


@pytest.fixture(scope="module")
def site(tmp_path_factory, figure):
    """The figure on a page of its own, laid out as in the built book."""
    root = tmp_path_factory.mktemp("site")
    shutil.copytree(SCRIPTS, root / "sliders")
    page = root / "book/page.html"
    page.parent.mkdir()
    page.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>page</title>'
        '<meta name="viewport" content="width=device-width"><style>table { width: 100% }</style>'
        f"<body>{html(figure, '../')}</body></html>",
        encoding="utf-8",
    )
    return page


def says(browser):
    return browser.find_element("css selector", ".says").text


def shapes(browser):
    """Everything drawn, as the document has it."""
    return browser.execute_script(
        "return [...document.querySelectorAll('.panels :is(polyline,line,rect,circle,path,g)')]"
        ".map(e => ['points','x1','x2','y','height','cx','cy','d','class','style']"
        ".map(a => e.getAttribute(a) || ''))"
    )


def test_the_script_leaves_the_drawing_as_it_was(chromium, figure, site):
    chromium.get(site.as_uri())
    moved = shapes(chromium)
    assert says(chromium) == figure.sentence(figure.start(), figure.data())
    source = site.read_text(encoding="utf-8")
    still = site.with_name("still.html")
    still.write_text(re.sub(r'<script src="[^"]*"></script>', "", source), encoding="utf-8")
    chromium.get(still.as_uri())
    drawn = shapes(chromium)
    assert len(drawn) == len(moved) and all(map(alike, drawn, moved))


def alike(one, other):
    """Shapes whose numbers differ by a tenth at most: the last digit that is written."""
    for here, there in zip(one, other, strict=True):
        split = [re.split(r"(-?\d+(?:\.\d+)?)", text.replace(";", "")) for text in (here, there)]
        if [part.strip() for part in split[0][::2]] != [part.strip() for part in split[1][::2]]:
            return False
        numbers = [np.array(part[1::2], dtype=float) for part in split]
        if np.abs(numbers[0] - numbers[1]).max(initial=0) > 0.1001:
            return False
    return True


def test_the_keyboard_moves_it_and_the_address_keeps_it(chromium, figure, site):
    from selenium.webdriver.common.keys import Keys

    chromium.get(site.as_uri())
    state = figure.start()
    for control in figure.controls:
        field = chromium.find_element("id", f"{figure.id}-{control.name}")
        assert chromium.find_element("css selector", f'label[for="{field.get_attribute("id")}"]')
        field.send_keys(Keys.SPACE if control.box else Keys.ARROW_RIGHT)
        state[control.name] = control.values[(control.start + 1) % len(control.values)]
    expected = figure.sentence(state, figure.data())
    assert says(chromium) == expected != figure.sentence(figure.start(), figure.data())
    sent = chromium.current_url
    assert sent.endswith(f"#{figure.id}")
    chromium.switch_to.new_window("tab")  # a page of its own, not this one again
    chromium.get(sent)
    assert says(chromium) == expected
    chromium.find_element("css selector", ".sliders button").click()
    assert says(chromium) == figure.sentence(figure.start(), figure.data())
    assert "?" not in chromium.current_url


def test_it_asks_for_nothing_outside_and_fits_a_narrow_window(chromium, figure, site):
    for kind in ("performance", "browser"):
        chromium.get_log(kind)  # what came before
    chromium.get(site.as_uri())
    events = [json.loads(entry["message"])["message"] for entry in chromium.get_log("performance")]
    asked = [e["params"]["request"]["url"] for e in events if "requestWillBeSent" in e["method"]]
    assert asked and all(url.startswith(("file:", "data:")) for url in asked)
    assert [e for e in chromium.get_log("browser") if e["level"] == "SEVERE"] == []
    metrics = {"width": 320, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    wide, small = chromium.execute_script(
        "const page = document.documentElement;"
        "const boxes = [...document.querySelectorAll('.sliders :is(input, button)')]"
        ".map(e => e.getBoundingClientRect());"
        "return [page.scrollWidth - page.clientWidth,"
        " boxes.filter(box => box.width < 24 || box.height < 24).length]"
    )
    chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert (wide, small) == (0, 0)


def test_nothing_glides_under_reduced_motion(chromium, open_chromium, figure, site):
    def durations(of):
        of.get(site.as_uri())
        return of.execute_script(
            "return [...document.querySelectorAll('.sliders .bar, .sliders .node')]"
            ".map(e => parseFloat(getComputedStyle(e).transitionDuration))"
        )

    still = open_chromium("force-prefers-reduced-motion")
    assert sum(durations(still)) == 0
    assert all(durations(chromium))


def test_without_javascript_there_are_the_figure_and_a_table(open_chromium, figure, site):
    browser = open_chromium(javascript=False)
    browser.get(site.as_uri())
    assert not browser.find_element("css selector", ".controls").is_displayed()
    panels = browser.find_elements("css selector", "svg.panel")
    assert len(panels) == len(figure.panels) and all(p.is_displayed() for p in panels)
    assert says(browser) == figure.sentence(figure.start(), figure.data())
    rows = browser.find_elements("css selector", "noscript tr")
    assert len(rows) > 2 and all(row.is_displayed() for row in rows)


@pytest.mark.skipif(not paths.INDEX.exists(), reason="no pages: run make book first")
def test_the_built_page_has_it_between_the_idea_and_the_question(figure):
    page = paths.HTML / f"{statement(figure.tag).docname}.html"
    text = page.read_text(encoding="utf-8")
    places = [text.index(f'id="{name}"') for name in ("the-idea", figure.id, "predict")]
    assert places == sorted(places)
    for source in re.findall(r'<script src="([^"]*sliders/[^"]*)">', text):
        assert (page.parent / source).exists()
