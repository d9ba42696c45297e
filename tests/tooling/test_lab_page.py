"""The lab in a real Chromium: a reader's sentences, what it says of them, what one takes along."""

import contextlib
import dataclasses
import importlib
import io
import json
import re
import shutil

import pytest
from ledgerbook.chapters.statements import statement
from ledgerbook.project.project import current

from lib.scan_snap.decoder import snap_time
from tests.tooling.pages_in_browser import (
    overflow,
    scripts,
    visit,
    wait,
    window,
    wrong_requests,
)

pytestmark = pytest.mark.long

PAGE = current().book / "lab.md"
DOES, SILENT, REFUTED = "✓ The run does it.", "○ Does not apply.", "✗ Refuted."
MODES = {"plain": "", "modified": "d=1", "drawn": "T=2", "given": "e=4&d=2"}
TRAIN = """
const done = arguments[0], page = document.getElementById("lab");
[...page.querySelectorAll("button")].find((one) => one.textContent === "Train").click();
const look = () => {
  if (page.querySelector("progress").parentElement.hidden) done(); else setTimeout(look, 5);
};
look();
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The page's own HTML, laid out as in the built book."""
    root = tmp_path_factory.mktemp("site")
    shutil.copytree(current().book / "_extra/lab", root / "lab")
    body = re.search(r"```\{raw\} html\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL).group(1)
    page = root / "book/lab.html"
    page.parent.mkdir()
    page.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>lab</title>'
        f'<meta name="viewport" content="width=device-width"><body>{body}</body></html>',
        encoding="utf-8",
    )
    return page


@pytest.fixture
def lab(browser, site):
    """A function that opens the lab at an address and trains."""

    def go(asked=""):
        visit(browser, site, f"#{asked}" * bool(asked), height=1600)
        browser.execute_async_script(TRAIN)
        return browser

    return go


@pytest.fixture(scope="module")
def own(browser, site):
    """The lab as it opens, for a reader's own sentences."""
    visit(browser, site)
    return browser


def texts(browser, selector):
    script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)"
    return browser.execute_script(script, f"#lab {selector}")


def said(browser):
    """What stands below the pictures: the sentence, and each line of theory."""
    return texts(browser, ".says") + texts(browser, "ul li")


def attention(browser):
    """Word to percents as the table has them, at the start first and in the end last."""
    place = "[aria-label='Attention in numbers']"
    cells, across = texts(browser, f"{place} td"), len(texts(browser, f"{place} th"))
    rows = [cells[k : k + across] for k in range(0, len(cells), across)]
    return {word: [float(one.removesuffix(" %")) for one in shares] for word, _, *shares in rows}


def press(browser, name):
    browser.find_element("xpath", f"//*[@id='lab']//button[text()=\"{name}\"]").click()


def write(browser, text):
    browser.execute_script(
        "const area = document.querySelector('#lab textarea'); area.value = arguments[0];"
        "for (const kind of ['input', 'change']) area.dispatchEvent(new Event(kind))",
        text,
    )


@pytest.mark.parametrize("mode", MODES)
def test_the_script_to_take_along_prints_what_the_page_shows(lab, mode):
    browser = lab(MODES[mode])
    press(browser, "Python script of this experiment")
    (script,) = texts(browser, "pre")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(script, "<taken along>", "exec"), {})
    shown = attention(browser)
    lines = {line.split()[0]: line.split()[1:] for line in out.getvalue().splitlines()}
    last = dict(zip(lines["10000"][::2], map(float, lines["10000"][1::2]), strict=True))
    assert last.keys() == shown.keys()
    assert {word: 100 * share for word, share in last.items()} == pytest.approx(
        {word: shares[-1] for word, shares in shown.items()}, abs=0.02
    )


@pytest.mark.parametrize("asked", ("", "e=1&y=6&z=6&M=3", "e=4&d=2"))
def test_the_command_to_take_along_is_one_that_its_chapter_accepts(lab, asked):
    browser = lab(asked)
    press(browser, "The nearest chapter's command")
    (command,) = texts(browser, "pre")
    tag, given = re.search(r'make chapter CH=(\S+)(?: P="(.*)")?$', command).groups("")
    values = {name: json.loads(value) for name, value in (one.split("=") for one in given.split())}
    # Only the running example and the five samples are a chapter's own sentences.
    assert ("No chapter takes sentences" in command) == ("e=1" in asked)
    if "e=1" in asked:
        assert "K = 3 (yours: 2), eta_y = 1 (yours: 10), eta_z = 1 (yours: 10):" in command
    name = statement(tag).docname.removeprefix("book/").replace("-", "_").replace("/", ".")
    module = importlib.import_module(f"checks.{name}")
    made = [
        one
        for one in vars(module).values()
        if isinstance(one, type)
        and dataclasses.is_dataclass(one)
        and values.keys() <= getattr(one, "__dataclass_fields__", {}).keys()
    ]
    assert made and made[0](**values)


def test_the_running_example_is_told_as_the_first_hour_tells_it(lab):
    lines = said(lab("g=strum"))
    assert "“strum” has most. Your guess was right." in lines[0]
    assert any(f"{DOES} Theorem 2 (b)" in line and "stands in all 4" in line for line in lines)
    (first,) = [line for line in lines if "promise nothing here" in line]
    assert "0.96 and has to stay below 1/4 (Assumption 2)" in first and "plainly" in first
    step = round(float(snap_time(11, 4, 1.0)))
    assert any(f"step {step} for K = 4 and M = 11" in line for line in lines)


FAILS = {
    "e=2": "H4 of Theorem 2 (b), one shared word, does not hold: “play” stands before",
    "e=6&d=2&c=apple+pear+soup+eat": "H4 of the automaton does not hold: “apple”, “pear”",
    "e=5&d=2": f"{DOES} The automaton: the first team present is “rock”, “paper”",
    "T=2": "Your sentences are not endless, so that a rare word is often missing (H1 of Lemma 4)",
    "e=4": "Assumption 2 does not hold",
}


@pytest.mark.parametrize("asked", FAILS)
def test_where_a_hypothesis_fails_the_page_names_it_in_the_reader_s_words(lab, asked):
    assert any(FAILS[asked] in line for line in said(lab(asked)))


def test_where_no_next_word_stands_in_its_sentence_the_given_decoder_says_so(lab):
    browser = lab("e=1&d=2")
    (trouble,) = texts(browser, ".trouble")
    assert "(H2)" in trouble and "“beach”" in trouble


BAD = {
    "": "There is no sentence yet",
    "one": "No line has an arrow",
    "a → b": "Line 1 needs two words before the arrow",
    "a b → c\na b c": "Line 2 has no arrow",
    "a b → c d": "Line 1 has more than one next word",
    "a b →": "Line 1 has no next word",
    "a b → c → d": "Line 1 has two arrows",
    "→ c": "Line 1 needs two words before the arrow",
    "a*0 b → c": "Line 1 has no word to look at",
    "a*10001 b → c": "Line 1: “a*10001” is too often for a page: 10000 times at most",
    "a b*2 → c": "Line 1: “b*2” cannot have a number",
    "a. b. c.": "No line has an arrow",
    "a b → c\n" * 401: "401 sentences are too many for a page: 400 at most",
    "\n".join(
        "a " * 999 + "b → c" for _ in range(61)
    ): "61000 words are too many for a page: 60000",
    "\n".join(f"{' '.join(f'w{n}.{k}' for k in range(900))} → c" for n in range(4)): (
        "3600 different words are too many for a page: 3,000"
    ),
    "a " * 10_000 + "→ b": "Line 1 has 10000 words: 1,000 at most",
}


def test_bad_input_gets_one_clear_line(own):
    for text, words in BAD.items():
        write(own, text)
        (trouble,) = texts(own, ".trouble")
        assert trouble.startswith(words) and len(trouble) < 200
        own.execute_async_script(TRAIN)
        assert texts(own, ".trouble") == [trouble]


def test_words_that_tie_win_together(own):
    write(own, "loud*4 calm*4 band → guitar\nsoft*4 rough*2 band → drums")
    own.execute_async_script(TRAIN)
    assert "“loud”, “calm” have most, and equally much." in said(own)[0]


def test_a_text_of_more_words_than_a_page_takes_says_what_is_left_out(own):
    write(own, "one two three four five six " * 100)
    assert (
        texts(own, "[aria-label='Counts of each class'] caption")[0]
        == "400 sentences, 6 words, 6 classes."
    )
    assert "The last 192 words of your text are left out." in texts(own, ".notes")[0]


def test_markup_and_other_scripts_are_words_like_others(own):
    word = "<img/src=x/onerror=document.title='broken'>"
    write(own, f"{word} 音楽 שלום {word} → <b>гитара</b>\nحجر 音楽 שלום → 太鼓")
    own.execute_async_script(TRAIN)
    assert own.title == "lab" and not own.find_elements("css selector", "#lab img, #lab b")
    assert any(word in line for line in texts(own, "td")) and "音楽" in "".join(said(own))


def test_a_long_text_trains_in_slices_and_can_be_stopped(own):
    words = [f"w{7 * k * k % 1999}" for k in range(40_000)]
    lines = [f"{' '.join(words[k : k + 200])} → n{k}" for k in range(0, 40_000, 200)]
    write(own, "\n".join(lines))
    moved = own.execute_async_script(
        "const done = arguments[0], page = document.getElementById('lab'), bar ="
        " page.querySelector('progress'), press = (name) => [...page.querySelectorAll('button')]"
        ".find((one) => one.textContent === name).click(); let seen = 0; press('Train');"
        "const look = () => { seen += 1; if (bar.value < 0.2 && !bar.parentElement.hidden)"
        " return setTimeout(look); const at = bar.value; press('Stop'); done([at, seen]); }; look()"
    )
    assert moved[0] >= 0.2 and moved[1] > 2 and texts(own, ".trouble") == ["Stopped."]


def test_the_address_holds_everything(browser, site):
    visit(browser, site)
    write(browser, "my dog barks & runs park → home\nmy cat sleeps 100% park → sofa")
    browser.execute_script(
        "for (const [id, value] of [['lab-y', 5], ['lab-v', 1], ['lab-M', 2], ['lab-g', 'cat']]) {"
        "const field = document.getElementById(id); field.value = value;"
        "field.dispatchEvent(new Event(field.tagName === 'SELECT' ? 'change' : 'input')); }"
    )
    browser.execute_async_script(TRAIN)
    browser.execute_script(
        "const step = document.getElementById('lab-f'); step.value = 12;"
        "step.dispatchEvent(new Event('input'))"
    )
    before = said(browser), texts(browser, "table td")
    visit(browser, site, browser.current_url.removeprefix(site.as_uri()))
    wait(browser, "document.querySelector('#lab .says').textContent")
    assert (said(browser), texts(browser, "table td")) == before and "Step 4:" not in before[0][0]
    press(browser, "Back to the start")
    assert "#" not in browser.current_url


def test_every_control_has_a_name_takes_the_keyboard_and_fits_a_narrow_window(lab):
    from selenium.webdriver.common.keys import Keys

    browser = lab("e=4&d=2")
    assert wrong_requests(browser) == []
    nameless = browser.execute_script(
        "return [...document.querySelectorAll('#lab :is(input, select, textarea, button)')]"
        ".filter((e) => !(e.textContent && e.tagName === 'BUTTON')"
        " && !document.querySelector(`label[for='${e.id}']`)).map((e) => e.outerHTML)"
    )
    assert nameless == []
    step = browser.find_element("id", "lab-f")
    step.send_keys(Keys.HOME)
    assert step.get_attribute("aria-valuetext") == "0" and said(browser)[0].startswith("Step 0:")
    rate = browser.find_element("id", "lab-z")
    rate.send_keys(Keys.ARROW_RIGHT)
    assert rate.get_attribute("aria-valuetext") == "2"
    window(browser, 320)
    assert overflow(browser) == 0


def test_without_javascript_the_page_says_what_it_needs(browser, site):
    scripts(browser, False)
    visit(browser, site, still=False)
    shown = browser.find_element("id", "lab")
    scripts(browser, True)
    assert shown.is_displayed() and "needs JavaScript" in shown.text
    names = browser.execute_script(
        "return [...document.querySelectorAll('#lab pre')].map((e) => getComputedStyle(e,"
        " '::before').content)"
    )
    assert '"A tie"' in names and "none" not in names


def test_the_page_is_light():
    read = re.findall(r'"\.\./lab/([^"]+)"', PAGE.read_text(encoding="utf-8"))
    assert len(read) == 6
    files = [current().book / "_extra/lab" / name for name in read]
    assert sum(file.stat().st_size for file in files) < 100_000


def test_each_chapter_that_is_linked_exists():
    script = (current().book / "_extra/lab/theory.js").read_text(encoding="utf-8")
    linked = set(re.findall(r'"((?:scan-snap|mechanics)/\w+)"', script))
    assert len(linked) > 6
    assert all((current().book / f"{one}.ipynb").exists() for one in linked)
