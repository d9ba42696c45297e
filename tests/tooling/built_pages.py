"""The built pages in a real browser: where they are, what their tests need, how they are opened."""

import json

import pytest
from ledgerbook.project import paths

from tests.tooling.headless import CHROMIUM, DRIVER

NEEDED = [
    pytest.mark.long,
    pytest.mark.skipif(
        not (CHROMIUM and DRIVER),
        reason="no Chromium with its driver (Debian: apt-get install chromium chromium-driver)",
    ),
    pytest.mark.skipif(not paths.INDEX.exists(), reason="no pages: run make book first"),
]
PAGES = sorted(paths.HTML.glob("book/**/*.html"))


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


def asks_only_for_files(browser, visit):
    """What a browser asks for while a page is visited lies on the disk, and nothing goes wrong."""
    for kind in ("performance", "browser"):
        browser.get_log(kind)  # what came before
    visit()
    asked, failed = requests(browser)
    assert asked and all(url.startswith(("file:", "data:", "blob:")) for url in asked)
    assert failed == []
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []


def overflow(browser, width):
    """By how many pixels the page can be scrolled sideways at a width, or as the window is."""
    if width:
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 100, "deviceScaleFactor": 1, "mobile": False},
        )
    return browser.execute_script(
        "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
