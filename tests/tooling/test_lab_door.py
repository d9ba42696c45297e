"""The lab as its readers use it in a real Chromium: type, press, share, go back, compare."""

import pytest
from ledgerbook.project.project import current

from tests.tooling.pages_in_browser import visit, wait
from tests.tooling.test_lab_page import (  # noqa: F401
    DOES,
    REFUTED,
    SILENT,
    TRAIN,
    lab,
    press,
    said,
    site,
    texts,
    write,
)

pytestmark = pytest.mark.long
PAGE = current().html / "book/lab.html"
built = pytest.mark.skipif(not PAGE.exists(), reason="no pages: make book first")
SAYS = "document.querySelector('#lab .says').textContent"
BEFORE = "document.querySelector('#lab .before').textContent"
TRAINED = f"{SAYS}.includes('Step')"
TEXT = "document.querySelector('#lab textarea').value"
MINE = "my dog barks park → home\nmy cat sleeps park → sofa"
LONG = "\n".join(f"w{k} x{k} y{k} z{k} park → n{k % 5}" for k in range(300))


@pytest.fixture
def own(browser, site):  # noqa: F811
    """The lab as a reader opens it who was never here."""
    visit(browser, site)
    browser.execute_script("localStorage.clear()")
    visit(browser, site)
    return browser


def typed(browser, text):
    """Type over what is there, letter by letter, as a reader does."""
    from selenium.webdriver.common.keys import Keys

    area = browser.find_element("css selector", "#lab textarea")
    area.send_keys(Keys.CONTROL, "a")
    area.send_keys(text)


def button(browser, name):
    return browser.find_element("xpath", f"//*[@id='lab']//button[text()=\"{name}\"]")


def choose(browser, name):
    from selenium.webdriver.support.ui import Select

    Select(browser.find_element("id", "lab-e")).select_by_visible_text(name)


def slide(browser, key, position):
    browser.execute_script(
        "const field = document.getElementById(arguments[0]); field.value = arguments[1];"
        "field.dispatchEvent(new Event('input'))",
        f"lab-{key}",
        position,
    )


def trained(browser):
    wait(browser, TRAINED)
    wait(browser, "document.querySelector('#lab progress').parentElement.hidden")
    return said(browser)[0]


@pytest.mark.parametrize("lines", (2, 5, 8))
@pytest.mark.parametrize("pause", (0, 0.5))
def test_the_first_press_after_typing_trains(own, lines, pause):
    """Down and up of one press on the place where the button was when the hand set out."""
    from selenium.webdriver import ActionChains

    typed(own, "\n".join(f"old{k} my{k} dog{k} band → home{k}" for k in range(lines)))
    mouse = ActionChains(own).pause(pause).move_to_element(button(own, "Train"))
    mouse.click_and_hold().pause(0.4).release().perform()
    assert trained(own).startswith("Step 10000: ")


def test_nothing_that_was_typed_is_lost(own, site):  # noqa: F811
    typed(own, MINE)
    choose(own, "A tie")
    choose(own, "Your own")
    assert own.execute_script(f"return {TEXT}") == MINE
    press(own, "Back to the start")
    choose(own, "Your own")
    assert own.execute_script(f"return {TEXT}") == MINE
    visit(own, site)  # another day
    choose(own, "Your own")
    assert own.execute_script(f"return {TEXT}") == MINE


def test_a_text_that_is_too_long_for_the_address_survives_and_is_said(own, site):  # noqa: F811
    assert len(LONG) > 6000
    write(own, LONG)
    press(own, "Train")
    first = trained(own)
    assert "too long for the address" in texts(own, ".notes")[0]
    own.refresh()
    assert own.execute_script(f"return {TEXT}") == LONG and trained(own) == first
    asked = own.current_url.removeprefix(site.as_uri())
    visit(own, site, asked)  # in another tab
    assert own.execute_script(f"return {TEXT}") == LONG and trained(own) == first
    own.execute_script("localStorage.clear()")
    visit(own, site, asked)  # of somebody else
    assert "were too long for it, and this browser does not have them" in texts(own, ".trouble")[0]


def test_an_address_that_is_pasted_into_the_same_tab_is_opened(own):
    press(own, "Train")
    first = trained(own)
    own.execute_script("location.hash = 'e=6&d=2&f=70'")
    wait(own, "document.getElementById('lab-e').value === '6'")
    wait(own, f"{TRAINED} && {SAYS} !== arguments[0]", first)
    own.execute_script("location.hash = 'what-it-trains'")  # a place on the page is none
    assert own.find_element("id", "lab-e").get_attribute("value") == "6"


def test_back_undoes_one_act_after_another(own):
    typed(own, MINE)
    press(own, "Train")
    first = trained(own)
    slide(own, "z", 5)
    slide(own, "z", 6)  # one act still
    wait(own, f"{SAYS} !== arguments[0]", first)
    trained(own)
    own.back()
    wait(own, f"{SAYS} === arguments[0]", first)
    own.back()
    wait(own, f"!({TRAINED})")
    assert own.execute_script(f"return {TEXT}") == MINE
    own.back()
    wait(own, f"{TEXT}.startsWith('strum')")
    own.forward()
    wait(own, f"{TEXT} === arguments[0]", MINE)


def test_two_runs_stand_beside_each_other(own):
    press(own, "Train")
    first = trained(own)
    slide(own, "z", 5)
    wait(own, BEFORE)
    trained(own)
    now, (before,) = said(own)[0], texts(own, ".before")
    assert now.startswith("Now attention's rate is 5. Step 10000: ")
    assert before == f"Before, attention's rate was 1. {first}" and first not in now
    held = "return document.querySelectorAll('#lab svg > svg .held').length"
    assert own.execute_script(held) > 4
    slide(own, "z", 4)  # the first run stays the one that is compared with
    wait(own, f"{SAYS}.startsWith('Now attention\\'s rate is 2')")
    assert texts(own, ".before") == [before]
    own.refresh()  # and is trained again
    wait(own, BEFORE)
    assert texts(own, ".before") == [before]
    press(own, "Compare with this run from now on")
    assert texts(own, ".before") == [""] and own.execute_script(held) == 0
    slide(own, "z", 3)
    wait(own, f"{BEFORE}.startsWith('Before, attention\\'s rate was 2')")


FAILS = "the*9 cat sat -> mat\nthe dog*3 sat -> rug\nfoo*4 dog sat -> bed"


@pytest.mark.parametrize("decoder", (0, 1))
def test_no_theorem_is_refuted_where_its_hypothesis_fails(own, decoder):
    write(own, FAILS)
    own.execute_script(
        "const menu = document.getElementById('lab-d'); menu.value = arguments[0];"
        "menu.dispatchEvent(new Event('change'))",
        decoder,
    )
    own.execute_async_script(TRAIN)
    lines = said(own)
    (fell,) = [line for line in lines if "Theorem 2 (a)" in line and "“cat”" in line]
    assert fell.startswith(SILENT) and "lower score" in fell
    assert (
        "eigenvalue of the overlaps reaches 0.39 and has to stay below 1/3 (Assumption 2)" in fell
    )
    assert not any(REFUTED in line for line in lines)


MEETS = "play*2 strum*9 band → guitar\nplay*2 beat*9 band → drums"  # and little is shared


def test_a_run_that_meets_all_hypotheses_has_none_named(own):
    write(own, MEETS)
    for key, value, kind in (("d", 1, "change"), ("y", 5, "input"), ("z", 0, "input")):
        own.execute_script(
            "const field = document.getElementById(arguments[0]); field.value = arguments[1];"
            "field.dispatchEvent(new Event(arguments[2]))",
            *(f"lab-{key}", value, kind),
        )
    own.execute_async_script(TRAIN)
    lines = said(own)
    assert not any("promise nothing here" in line or SILENT in line for line in lines)
    assert sum(line.startswith(DOES) for line in lines) == 2


JUDGED = """
const known = globalThis.Read.read(arguments[0]), E = globalThis.Engine, L = known.words.length;
const look = E.pack(known.classes, L, 0, 0), c = E.attention(look, new Float64Array(9 * L));
const frame = (t, sign) => ({ t, c, z: Float64Array.from(c, () => sign) });
const settings = { given: false, modified: true, length: Infinity, etaY: 5, etaZ: 0.1, M: 9 };
return arguments[1].map((sign) => globalThis.Theory.of({ known, look, seen: known.classes,
  frames: [frame(0, 0), frame(10000, sign)], settings }, 0).said.map(([verdict]) => verdict));
"""


def test_a_run_that_meets_all_hypotheses_and_goes_the_other_way_refutes(browser):
    folder = current().book / "_extra/lab"
    scripts = [(folder / f"{name}.js").read_text("utf-8") for name in ("engine", "read", "theory")]
    browser.get("about:blank")
    up, down = browser.execute_script("\n".join([*scripts, JUDGED]), MEETS, [0.1, -0.1])
    assert "refuted" in up and "done" in up  # all rise: the shared word should not
    assert "refuted" in down and "done" in down


RANDOM = """
let seed = 1, met = 0;
const next = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0);
const random = () => next() / 2 ** 32;
const from = (low, high) => low + Math.floor(random() * (high - low + 1));
const E = globalThis.Engine, T = globalThis.Theory, verdicts = [];
const some = [...new Set([0, ...E.range(81).map((k) => Math.round(10 ** (k / 20)))])];
for (let n = 0; n < 60; n++) {
  const lines = E.range(from(2, 4)).map((k) => {
    const shared = E.range(from(1, 2)).map((s) => `shared${s}*${from(1, 4)}`);
    const own = E.range(from(1, 3)).map((s) => `own${k}.${s}*${from(2, 20)}`);
    return `${[...shared, ...own].join(" ")} last${random() < 0.5 ? 0 : k} → next${k}`;
  });
  const known = globalThis.Read.read(lines.join("\\n")), L = known.words.length;
  const settings = { given: false, modified: true, length: Infinity, etaY: 5, etaZ: 0.1, M: 300 };
  const data = E.pack(known.classes, L, known.nexts.length, 300), frames = [], state = E.zero(data);
  const at = known.classes.flatMap((_, i) => Array.from(data.token.slice(data.start[i],
    data.start[i + 1]), (j) => data.row[i] * L + j));
  const keep = (t, { Z }, errors) => frames.push({ t, c: E.attention(data, Z),
    z: Float64Array.from(at, (k) => Z[k]), error: [...errors] });
  const how = { ...settings, keep, tolerance: 1e-3 };
  for (const _ of E.descend(data, state, { ...how, times: some.filter((t) => t < 50) }));
  frames.pop();
  for (const _ of E.follow(data, state, { ...how, times: some.filter((t) => t > 44) }));
  const run = { known, settings, look: data, seen: known.classes, frames };
  known.classes.forEach((_, v) => verdicts.push(...T.of(run, v, null).said.map(([one]) => one)));
  met += run.whole.missing.length === 0;
}
return [met, verdicts];
"""


def test_of_random_runs_that_meet_all_hypotheses_none_refutes(browser):
    folder = current().book / "_extra/lab"
    scripts = [(folder / f"{name}.js").read_text("utf-8") for name in ("engine", "read", "theory")]
    browser.get("about:blank")
    met, verdicts = browser.execute_script("\n".join([*scripts, RANDOM]))
    assert met > 40 and verdicts.count("done") > 100 and "refuted" not in verdicts


def test_a_shared_word_that_wins_has_its_reason(own):
    write(own, "the*9 cat sat → mat\nthe*3 dog*9 sat → rug")
    own.execute_async_script(TRAIN)
    (why,) = [one for one in said(own) if one.startswith("Why the shared word")]
    assert "“the” has most all the same: it loses" in why and "by 0.31 at most" in why
    write(own, "the*8 a*2 cat sat → mat\nthe a*8 dog sat → rug\na*5 owl sat → nest")
    own.execute_async_script(TRAIN)
    (why,) = [one for one in said(own) if one.startswith("Why the shared word")]
    assert "“the” has most: it gains" in why and "shared unevenly. It is 73 %" in why


def test_words_that_run_from_the_right_keep_their_place(own):
    write(own, "شجرة قمر بيت ← نار\nشجرة نجم بيت ← ماء")
    own.execute_async_script(TRAIN)
    area = own.find_element("css selector", "#lab textarea")
    assert area.value_of_css_property("unicode-bidi") == "plaintext"
    assert "\u2068قمر\u2069" in said(own)[0] and "\u2068شجرة\u2069" in said(own)[0]


def test_no_two_columns_of_the_table_have_one_name(lab):  # noqa: F811
    for step, columns in (("f=70", 4), ("f=12", 5), ("f=0", 4)):
        browser = lab(step)
        heads = texts(browser, "[aria-label='Attention in numbers'] th")
        assert len(heads) == len(set(heads)) == columns


def test_all_three_hundred_pasted_sentences_are_trained(own):
    animals = ("cat", "dog", "bird")
    lines = [
        f"The {animals[k % 3]} {k} slept near the {'mat rug nest'.split()[k % 3]}."
        for k in range(300)
    ]
    write(own, "\n".join(lines))
    own.execute_async_script(TRAIN)
    assert "Read as 300 sentences, one a line." in texts(own, ".notes")[0]
    assert texts(own, "[aria-label='Counts of each class'] caption")[0].startswith("300 sentences")
    assert "“cat”" in said(own)[0]


PLACES = """
const box = (q) => document.querySelector(q).getBoundingClientRect();
const [form, stage] = [box("#lab .form"), box("#lab .stage")];
const train = [...document.querySelectorAll("#lab button")].find((b) => b.textContent === "Train");
return { train: train.getBoundingClientRect().bottom, picture: box("#lab .stage svg svg").bottom,
  step: box("#lab-f").bottom, beside: stage.left >= form.right && stage.top <= form.top + 1,
  rate: box("#lab-z").bottom,
  course: document.querySelectorAll("#lab .stage svg.panel")[1].getBoundingClientRect().top };
"""


@built
def test_train_and_the_picture_are_on_a_phone_s_first_screen(browser):
    visit(browser, PAGE, width=390, height=844)
    found = browser.execute_script(PLACES)
    assert max(found["train"], found["picture"], found["step"]) <= 844, found
    browser.execute_async_script(TRAIN)
    found = browser.execute_script(PLACES)
    assert found["rate"] - found["course"] <= 844  # the curves and the rates


@built
def test_the_picture_is_beside_the_text_on_a_wide_screen(browser):
    visit(browser, PAGE, width=1440, height=900)
    found = browser.execute_script(PLACES)
    assert found["beside"] and max(found["picture"], found["rate"]) <= 900, found
