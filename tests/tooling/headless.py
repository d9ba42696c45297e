"""Headless Chromium for the tests of pages that move: no network, its logs at hand."""

import shutil

import pytest

NAMES = "chromium", "chromium-browser", "google-chrome"
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
DRIVER = shutil.which("chromedriver")


def patient(driver):
    """The driver whose ``get`` comes back when the page is read to its end: a busy machine's comes
    back before, and a script that runs then finds half a page, or the one before.  A place on the
    page that is open already is not read anew, and so not to be got.
    """

    class Patient(driver):
        def get(self, url):
            from selenium.common.exceptions import JavascriptException
            from selenium.webdriver.support.ui import WebDriverWait

            self.execute_script("window.left = true")
            super().get(url)
            read = "return !window.left && document.readyState === 'complete'"
            WebDriverWait(self, 60, ignored_exceptions=[JavascriptException]).until(
                lambda page: page.execute_script(read)
            )

    return Patient


@pytest.fixture(scope="module")
def open_chromium():
    """A function that gives a headless Chromium with extra flags, one for the same of a file's
    tests; skips where there is none.
    """
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    if not (CHROMIUM and DRIVER):
        pytest.skip("no chromium with chromedriver on this machine")
    browsers = {}

    def start(*flags, javascript=True):
        if (flags, javascript) not in browsers:
            browsers[flags, javascript] = begin(flags, javascript)
        return browsers[flags, javascript]

    def begin(flags, javascript):
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for flag in (
            *("headless", "no-sandbox", "disable-gpu", "no-first-run", "disable-dev-shm-usage"),
            *("disable-background-networking", "host-resolver-rules=MAP * ~NOTFOUND"),
            *flags,
        ):
            options.add_argument(f"--{flag}")
        if not javascript:
            blocked = {"profile.managed_default_content_settings.javascript": 2}
            options.add_experimental_option("prefs", blocked)
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        return patient(webdriver.Chrome)(options=options, service=webdriver.ChromeService(DRIVER))

    yield start
    for one in browsers.values():
        one.quit()


@pytest.fixture(scope="module")
def chromium(open_chromium):
    """One of them."""
    return open_chromium()


@pytest.fixture(scope="module")
def browser(open_chromium):
    """One for built pages, wide, that asks for nothing but their files."""
    return offline(open_chromium, 900)


def offline(open_chromium, height):
    """A browser of built pages whose window has a height; what is out of sight is not drawn."""
    quiet = ("disable-quic", "disable-component-update", "disable-sync")
    window = f"window-size=1300,{height}"
    found = open_chromium(*quiet, "allow-file-access-from-files", window)
    found.set_script_timeout(60)
    return found
