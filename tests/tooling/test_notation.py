"""Every symbol of a Statement stands on the notation page, in the table of its own half."""

import re

import pytest
from ledgerbook.statements import PAPERS, written

from ledgerbook import essence, notebooks, paths

GREEK = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho"
    " varrho sigma tau phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
    " ell"
).split()
FORMULA = re.compile(r"\$\$(.*?)\$\$|\$([^$]*)\$", re.DOTALL)
WORDS = re.compile(r"\\(text|mathrm|mathbf|operatorname|label|tag|begin|end)\{[^}]*\}")
SYMBOL = re.compile(
    r"\\(?P<style>mathcal|mathbb)\s*\{?\s*(?P<styled>\w+)\}?"
    r"|\\(?P<command>[A-Za-z]+)|(?P<letter>[A-Za-z])"
)


def symbols(markdown):
    """The letters in the formulas of a text: accents, indices and words aside."""
    found = set()
    for display, inline in FORMULA.findall(markdown):
        for match in SYMBOL.finditer(WORDS.sub(" ", display or inline)):
            if match["style"]:
                found.add(f"{match['style']} {match['styled']}")
            elif match["letter"] or match["command"] in GREEK:
                found.add(match["letter"] or match["command"])
    return found


def table(title):
    """The symbols that the notation page explains under a heading."""
    page = (paths.BOOK / "notation.md").read_text(encoding="utf-8")
    parts = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    rows = [line.split("|")[1] for line in parts[title].splitlines() if line.startswith("|")]
    return symbols(" ".join(rows))


def test_accents_and_words_are_no_symbols():
    assert symbols(r"$\hat u_T+\mathrm{supp}$ and $$\mathcal L$$") == {"u", "T", "mathcal L"}


@pytest.mark.parametrize(
    "row", [row for row in written() if row.paper != "bridge"], ids=lambda row: row.tag
)
def test_every_symbol_of_the_statement_is_explained(row):
    statement = essence.sections(notebooks.read(row.chapter)).get("Statement", "")
    assert symbols(statement) - table(PAPERS[row.paper]) == set()
