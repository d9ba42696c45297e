"""The ledger in a real browser: chosen, paged, by address; tables as cards.

What the page shows is compared with the ledger itself.
"""

import csv
import json
import re

import pytest
from ledgerbook.chapters import collect
from ledgerbook.chapters.statements import parts
from ledgerbook.ledger.judgement import rows_of
from ledgerbook.project.project import current

from tests.tooling.pages_in_browser import BUILT, overflow, visit, wait, window

pytestmark = BUILT
BOOK = current().html / "book"
LEDGER = BOOK / "ledger.html"
SHOWN = (
    "return [...document.querySelectorAll('table.cards tbody tr')].filter((row) =>"
    " row.checkVisibility()).map((row) => Object.fromEntries([...row.cells].map((cell) =>"
    " [cell.dataset.label, cell.textContent.trim()]))).filter((row) => 'verdict' in row)"
)
CARDS = """
  document.querySelectorAll('article details').forEach((box) => { box.open = true; });
  return [...document.querySelectorAll('table.cards tbody tr')].filter((row) =>
   row.checkVisibility() && row.querySelector(`[data-label=${arguments[0]}]`))
  .map((row) => { const cells = [...row.cells].filter((cell) =>
   cell.checkVisibility()); const top = (cell) => cell.getBoundingClientRect().top;
   return [cells.sort((a, b) => top(a) - top(b))[0].dataset.label, cells.every((cell) =>
   cell.getBoundingClientRect().right <= innerWidth)]; })
"""


@pytest.fixture(scope="module")
def ledger():
    return collect.load()


def all_rows(ledger):
    """Claims and controls of all statements."""
    return [row for one in ledger["statements"] for row in rows_of(one)]


def counted(browser):
    """How many rows fit, as the page says, once it does."""
    said = "document.querySelector('.row-tools output')?.textContent"
    wait(browser, said)
    return int(browser.execute_script(f"return {said}").split()[0])


def spent(browser):
    """Seconds of the page's thread until now, by the processor's own clock: a busy machine counts
    for nothing.
    """
    found = browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return next(one["value"] for one in found if one["name"] == "TaskDuration")


def test_the_ledger_is_turned_chosen_from_and_its_address_keeps_it(browser, ledger):
    browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    kept = [one for one in ledger["statements"] if one["claims"]]
    unknown = sum(not h["control"] for one in kept for h in one["hypotheses"])
    visit(browser, LEDGER)
    assert counted(browser) == len(all_rows({"statements": kept})) + unknown
    times = [spent(browser)]
    first = browser.execute_script(SHOWN)
    browser.execute_script("document.querySelector('.row-pages button:last-of-type').click()")
    second = browser.execute_script(SHOWN)
    assert len(first) == len(second) == 50 and not [row for row in first if row in second]
    browser.execute_script(
        "const box = [...document.querySelectorAll('.row-tools label')].find((one) =>"
        " one.textContent.startsWith('kind')).querySelector('select'); box.value = 'statistical';"
        "box.dispatchEvent(new Event('change', {bubbles: true}));"
    )
    statistical = sum(row["kind"] == "statistical" for row in all_rows(ledger))
    assert counted(browser) == statistical
    assert {row["kind"] for row in browser.execute_script(SHOWN)} == {"statistical"}

    asked = browser.current_url.removeprefix(LEDGER.as_uri())
    visit(browser, LEDGER, asked)
    assert "kind=statistical" in asked and counted(browser) == statistical
    times.append(spent(browser))
    visit(browser, LEDGER, "?part=")  # asked for, filled at once
    offered = browser.execute_script(
        "return [...document.querySelectorAll('.row-tools select')[0].options].map((o) => o.text)"
    )[1:]
    order = [part.caption for part in parts() if part.caption in offered]
    assert offered == order and len(order) > 5
    assert counted(browser) > 1000
    times.append(spent(browser))
    browser.execute_cdp_cmd("Performance.disable", {})
    assert 4 * min(times) <= 2, "not usable within two seconds on a slow processor"


def test_the_page_of_an_address_is_turned_up_and_on_a_phone_a_row_is_a_card(browser, ledger):
    last = [row for row in ledger["statements"] if row["claims"]][-1]
    place = f"claim-{last['tag']}-{last['claims'][0]['id']}".replace(".", "-")
    visit(browser, LEDGER, f"#{place}")
    row = "document.getElementById(arguments[0])"
    seen = (
        "{row}?.checkVisibility() && {row}.matches('.target') && {top} >= 0 && {top} < innerHeight"
    )
    wait(browser, seen.format(row=row, top=f"{row}.getBoundingClientRect().top"), place)
    on_a_phone(browser, "verdict")


def on_a_phone(browser, first):
    """Each row is a card that opens with the cell ``first`` and is no wider than the window."""
    window(browser, 360)
    assert overflow(browser) <= 0
    found = browser.execute_script(CARDS, first)
    assert found and {tuple(one) for one in found} == {(first, True)}


CARDED = {"errata": "reach", "equations": "evidence", "scan-snap/lemma_05": "verdict"}


@pytest.mark.parametrize("page", CARDED)
def test_on_a_phone_a_row_is_a_card_that_opens_with_its_verdict(browser, page):
    visit(browser, BOOK / f"{page}.html")
    on_a_phone(browser, CARDED[page])


def test_without_scripts_and_for_machines_every_row_is_there(ledger):
    rows = re.findall(r'<noscript class="rows".*?</noscript>', LEDGER.read_text("utf-8"), re.DOTALL)
    claims = sum(len(row["claims"]) for row in ledger["statements"])
    assert "".join(rows).count("<tr") >= claims
    folder = current().html / "_data"
    assert json.loads((folder / "ledger.json").read_text(encoding="utf-8")) == ledger
    with open(folder / "claims.csv", encoding="utf-8", newline="") as file:
        assert [one["row"] for one in csv.DictReader(file)] == [r["id"] for r in all_rows(ledger)]
    assert 'href="../_data/ledger.json"' in (BOOK / "ledger.html").read_text(encoding="utf-8")
