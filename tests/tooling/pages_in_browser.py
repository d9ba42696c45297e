"""Pages in a real browser: one headless Chromium for each process of tests, without a network."""

import json
import os

import pytest
from ledgerbook.project.project import current

from tests import needed

BUILT = [
    pytest.mark.long,
    pytest.mark.skipif(not current().index.exists(), reason="no pages: make book first"),
]
PAGES = sorted(current().html.glob("book/**/*.html"))
FLAGS = (
    *("headless", "no-sandbox", "disable-gpu", "no-first-run", "disable-dev-shm-usage"),
    *("disable-background-networking", "disable-quic", "disable-component-update", "disable-sync"),
    *("allow-file-access-from-files", "host-resolver-rules=MAP * ~NOTFOUND"),
)
# Animations would blur a measurement.
STILL = """
  const style = document.createElement("style"), done = arguments[0];
  style.textContent = "* { transition: none !important; animation: none !important }";
  document.head.append(style);
  document.fonts.ready.then(() => done());
"""


def led_to(href, docname):
    """The document that a link of a document leads to."""
    path = os.path.splitext(href.partition("#")[0])[0]
    return os.path.normpath(os.path.join(os.path.dirname(docname), path)) if path else docname


@pytest.fixture(scope="session")
def browser():
    """The browser; each visit says how its window is.  Who asks for it is skipped without one."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = needed.chromium()
    for flag in FLAGS:
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    found = webdriver.Chrome(options, webdriver.ChromeService(needed.driver()))
    found.set_script_timeout(120)
    yield found
    found.quit()


def window(browser, width=1300, height=900):
    """Give the window a size; what is out of sight of a low one is not drawn."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def media(browser, kind="", motion=""):
    """What the page is shown on, "print" or the screen, and which motion its reader prefers."""
    wanted = {"media": kind, "features": [{"name": "prefers-reduced-motion", "value": motion}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", wanted)


def scripts(browser, allowed):
    """Whether pages that are opened from now on may run scripts of their own."""
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not allowed})


def visit(browser, page, asked="", width=1300, height=900, still=True, motion=""):
    """Open a page anew, at what is ``asked`` of it, and wait until it is read to its end, which a
    busy machine's driver does not, and its formulas stand.
    """
    from selenium.webdriver.support.ui import WebDriverWait

    for kind in ("performance", "browser"):
        browser.get_log(kind)  # what came before
    window(browser, width, height)
    media(browser, motion=motion)
    browser.get("about:blank")  # a place on the page that is open already would not be read anew
    browser.get(page.as_uri() + asked)
    read = "return location.protocol === 'file:' && document.readyState === 'complete'"
    WebDriverWait(browser, 60).until(lambda one: one.execute_script(read))
    if still:
        browser.execute_async_script(STILL)


def wait(browser, condition, *given):
    """Until a condition of the page holds."""
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 20).until(lambda one: one.execute_script(f"return {condition}", *given))


def wrong_requests(browser):
    """What was asked for since the visit and lies not on the disk, or failed, or went wrong."""
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = {
        e["params"]["requestId"]: e["params"]["request"]["url"]
        for e in events
        if e["method"] == "Network.requestWillBeSent"
    }
    assert asked, "no log"
    failed = [e["params"]["requestId"] for e in events if e["method"] == "Network.loadingFailed"]
    here = ("file:", "data:", "blob:", "about:")
    wrong = [url for url in asked.values() if not url.startswith(here)]
    wrong += [asked.get(one, "?") for one in failed]
    return wrong + [e["message"] for e in browser.get_log("browser") if e["level"] == "SEVERE"]


def overflow(browser):
    """By how many pixels the page can be scrolled sideways."""
    return browser.execute_script(
        "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
