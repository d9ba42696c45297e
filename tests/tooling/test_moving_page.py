"""The figures that move in a real Chromium: by keyboard, by address, without JavaScript."""

import shutil

import pytest
from bs4 import BeautifulSoup
from ledgerbook.project.project import current

from tests.tooling.pages_in_browser import (
    overflow,
    scripts,
    visit,
    wait,
    window,
    wrong_requests,
)
from tooling import moving

pytestmark = pytest.mark.long
FIGURES = moving.figures()
# Words that leave their panel; how many shapes are drawn; controls too small for a finger.
DRAWN = """
  const off = [...document.querySelectorAll('svg.panel')].flatMap((panel) => {
    const frame = panel.getBoundingClientRect();
    return [...panel.querySelectorAll('text')].filter((e) => {
      const box = e.getBoundingClientRect();
      return box.left < frame.left - 2 || box.right > frame.right + 2;
    }).map((e) => e.textContent);
  });
  const small = [...document.querySelectorAll('.moving :is(input, button)')]
    .map((e) => e.getBoundingClientRect()).filter((box) => box.width < 24 || box.height < 24);
  return [off, document.querySelectorAll('svg.panel :is(.bar, .curve, .node)').length, small];
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The function that gives a figure on a page of its own, laid out as in the built book."""
    root = tmp_path_factory.mktemp("site")
    shutil.copytree(current().book / "_extra/lab", root / "lab")
    (root / "book").mkdir()

    def page(name):
        file = root / f"book/{name}.html"
        file.write_text(
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>page</title>'
            '<meta name="viewport" content="width=device-width">'
            f"<body>{moving.html(name, '../')}</body></html>",
            encoding="utf-8",
        )
        return file

    return page


def says(browser):
    wait(browser, "document.querySelector('.says')?.textContent")
    return browser.find_element("css selector", ".says").text


@pytest.mark.parametrize("name", FIGURES)
def test_the_keyboard_moves_it_and_the_address_keeps_it(browser, name, site):
    from selenium.webdriver.common.keys import Keys

    about, page = FIGURES[name], site(name)
    visit(browser, page, motion="reduce")
    assert wrong_requests(browser) == []
    state = moving.start(about)
    first = moving.sentence(about, state)
    assert says(browser) == first
    for one in about["controls"]:
        field = browser.find_element("id", f"moving-{name.replace('_', '-')}-{one['name']}")
        label = f'label[for="{field.get_attribute("id")}"]'
        assert browser.find_element("css selector", label).text
        step = 1 if one["start"] + 1 < len(one["values"]) else -1
        key = Keys.ARROW_RIGHT if step == 1 else Keys.ARROW_LEFT
        field.send_keys(Keys.SPACE if one.get("box") else key)
        state[one["name"]] = one["values"][one["start"] + step]
        if not one.get("box"):
            shown = one["texts"][one["start"] + step]
            assert field.get_attribute("aria-valuetext") == shown
    expected = moving.sentence(about, state)
    assert says(browser) == expected != first
    window(browser, 320)
    outside, shapes, small = browser.execute_script(DRAWN)
    assert outside == small == [] and overflow(browser) == 0
    panels = browser.find_elements("css selector", "svg.panel")
    assert len(panels) == len(about["panels"]) <= shapes
    asked = browser.current_url.removeprefix(page.as_uri())
    visit(browser, page, asked, motion="reduce")
    assert says(browser) == expected
    browser.find_element("xpath", "//button[text()='Back to the start']").click()
    assert says(browser) == first and "?" not in browser.current_url


@pytest.mark.parametrize("name", ["overview", "theorem_02"])
def test_nothing_glides_or_plays_under_reduced_motion(browser, name, site):
    for motion, still in (("reduce", True), ("no-preference", False)):
        visit(browser, site(name), still=False, motion=motion)
        glides = browser.execute_script(
            "return [...document.querySelectorAll('.moving .bar, .moving .node')]"
            ".map(e => parseFloat(getComputedStyle(e).transitionDuration) > 0)"
        )
        assert glides and set(glides) == {not still}
        plays = browser.find_elements("xpath", "//button[text()='Pause']")
        assert bool(plays) == (not still and FIGURES[name].get("once", False))


def test_without_javascript_there_are_the_sentence_and_a_table(browser, site):
    for name, about in FIGURES.items():
        page = BeautifulSoup(site(name).read_text(encoding="utf-8"), "html.parser")
        assert page.select_one(".says").get_text().strip() == moving.sentence(
            about, moving.start(about)
        )
        assert len(page.select("noscript tr")) > 1
    scripts(browser, False)
    visit(browser, site("overview"), still=False)
    shown = [browser.find_element("css selector", one) for one in (".controls", "noscript tr")]
    seen = [one.is_displayed() for one in shown]
    scripts(browser, True)
    assert seen == [False, True]


def test_what_a_panel_is_said_to_show_moves_with_it(site, browser):
    visit(browser, site("global_convergence"))
    says(browser)
    panel = browser.find_element("css selector", "svg.panel")
    begun = panel.get_attribute("aria-label")
    browser.execute_script(
        "const slider = document.querySelector('input[type=range]'); slider.value = 0;"
        "slider.dispatchEvent(new Event('input'))"
    )
    moved = panel.get_attribute("aria-label")
    assert moved != begun and moved.endswith(says(browser))


@pytest.mark.parametrize("name", FIGURES)
def test_on_a_phone_the_picture_and_what_moves_it_are_on_one_screen(browser, name, site):
    visit(browser, site(name), width=390, height=780, motion="reduce")
    says(browser)
    outside = browser.execute_script(
        "document.querySelector('svg.panel').scrollIntoView();"
        "return [...document.querySelectorAll('.moving input')].map((e) => "
        "e.getBoundingClientRect()).filter((box) => box.top < 0 || box.bottom > innerHeight)"
    )
    assert outside == []


@pytest.mark.parametrize("name", FIGURES)
def test_each_axis_has_a_name_and_each_kind_of_line_is_told(name):
    """A bar's labels name themselves; a line has its name in place, in the legend or the title."""
    for panel in FIGURES[name]["panels"]:
        told = {role for role, _ in panel.get("legend", ())}
        if panel["kind"] == "lines":
            assert panel["x"]["name"]
            curves = panel["curves"]
            nameless = [one for one in curves if "label" not in one]
            drawn = {
                f"curve {one['role']}{' dashed' * one.get('dashed', False)}" for one in nameless
            }
            assert len(drawn - told) <= 1  # which the title names
            assert not panel.get("ghosts") or "ghost" in told or len(nameless) < len(curves)
        elif "outlines" in panel:
            assert "ghost" in told or name == "overview"
