"""The figures that move in a real Chromium: by keyboard, by address, without JavaScript."""

import shutil

import pytest
from ledgerbook.project import paths

from tests.tooling.built_pages import asks_only_for_files, overflow
from tooling import moving

pytestmark = pytest.mark.long


@pytest.fixture(scope="module", params=moving.figures())
def about(request):
    return moving.figures()[request.param]


@pytest.fixture(scope="module")
def site(tmp_path_factory, about):
    """The figure on a page of its own, laid out as in the built book."""
    root = tmp_path_factory.mktemp("site")
    shutil.copytree(paths.BOOK / "_extra/lab", root / "lab")
    page = root / "book/page.html"
    page.parent.mkdir()
    page.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>page</title>'
        '<meta name="viewport" content="width=device-width">'
        f"<body>{moving.html(about['name'], '../')}</body></html>",
        encoding="utf-8",
    )
    return page


@pytest.fixture(scope="module")
def still(open_chromium):
    """A browser in which nothing moves by itself."""
    return open_chromium("force-prefers-reduced-motion")


def says(browser):
    return browser.find_element("css selector", ".says").text


def test_the_keyboard_moves_it_and_the_address_keeps_it(still, about, site):
    from selenium.webdriver.common.keys import Keys

    still.get(site.as_uri())
    state = moving.start(about)
    assert says(still) == moving.sentence(about, state)
    for one in about["controls"]:
        field = still.find_element("id", f"moving-{about['name'].replace('_', '-')}-{one['name']}")
        assert still.find_element("css selector", f'label[for="{field.get_attribute("id")}"]').text
        step = 1 if one["start"] + 1 < len(one["values"]) else -1
        key = Keys.ARROW_RIGHT if step == 1 else Keys.ARROW_LEFT
        field.send_keys(Keys.SPACE if one.get("box") else key)
        state[one["name"]] = one["values"][one["start"] + step]
        if not one.get("box"):
            shown = one["texts"][one["start"] + step]
            assert field.get_attribute("aria-valuetext") == shown
    expected = moving.sentence(about, state)
    assert says(still) == expected != moving.sentence(about, moving.start(about))
    sent = still.current_url
    still.switch_to.new_window("tab")  # a page of its own, not this one again
    still.get(sent)
    assert says(still) == expected
    back = "//button[text()='Back to the start']"
    still.find_element("xpath", back).click()
    assert says(still) == moving.sentence(about, moving.start(about))
    assert "?" not in still.current_url


def test_it_asks_for_nothing_outside_and_fits_a_narrow_window(still, site):
    asks_only_for_files(still, lambda: still.get(site.as_uri()))
    wide = overflow(still, 320)
    small = still.execute_script(
        "return [...document.querySelectorAll('.moving :is(input, button)')]"
        ".map(e => e.getBoundingClientRect())"
        ".filter(box => box.width < 24 || box.height < 24).length"
    )
    still.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert (wide, small) == (0, 0)


def test_nothing_glides_or_plays_under_reduced_motion(chromium, still, about, site):
    def durations(of):
        of.get(site.as_uri())
        return of.execute_script(
            "return [...document.querySelectorAll('.moving .bar, .moving .node')]"
            ".map(e => parseFloat(getComputedStyle(e).transitionDuration))"
        )

    assert sum(durations(still)) == 0 and all(durations(chromium))
    plays = chromium.find_elements("xpath", "//button[text()='Pause']")
    assert bool(plays) == about.get("once", False)
    assert not still.find_elements("xpath", "//button[text()='Pause']")


def test_every_panel_is_drawn_within_its_frame(still, about, site):
    still.get(site.as_uri())
    panels = still.find_elements("css selector", "svg.panel")
    assert len(panels) == len(about["panels"])
    outside, shapes = still.execute_script(
        "const off = [...document.querySelectorAll('svg.panel')].flatMap((panel) => {"
        "const frame = panel.getBoundingClientRect(); return [...panel.querySelectorAll('text')]"
        ".filter((e) => { const box = e.getBoundingClientRect();"
        "return box.left < frame.left - 2 || box.right > frame.right + 2; })"
        ".map((e) => e.textContent); });"
        "return [off, document.querySelectorAll("
        "'svg.panel :is(.bar, .curve, .node)').length]"
    )
    assert outside == [] and shapes >= len(panels)


def test_without_javascript_there_are_the_sentence_and_a_table(open_chromium, about, site):
    browser = open_chromium(javascript=False)
    browser.get(site.as_uri())
    assert not browser.find_element("css selector", ".controls").is_displayed()
    assert says(browser) == moving.sentence(about, moving.start(about))
    rows = browser.find_elements("css selector", "noscript tr")
    assert len(rows) > 1 and all(row.is_displayed() for row in rows)
