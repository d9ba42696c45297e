"""What a claim sees: the smallest change that turns it red, of the function that does it."""

from typing import NamedTuple

import numpy as np
import pytest

from tooling import resolution

CHAPTER = """
from lib.ledger import Ledger
from lib.scan_snap.decoder import speed

ledger = Ledger("scan-snap.lemma-05")
ledger.claim("tight", "words", speed(0.0, 4) - 0.25, "in", [-1e-12, 1e-12], kind="identity")
ledger.claim("loose", "words", speed(0.0, 4), "<=", 0.3, kind="inequality")
ledger.claim("blind", "words", 1.0, "<=", 2.0, kind="inequality")
ledger.claim("same", "words", speed(0.0, 4) - speed(0.0, 4), "==", 0, kind="identity")
"""


class Pair(NamedTuple):
    number: float
    count: int


def test_scaling_reaches_every_floating_number_and_no_other():
    done = resolution.scaled((1.0, 2, "a", np.ones(2), np.arange(2), Pair(1.0, 3), [True]), 2.0)
    assert done[0] == 2.0 and done[1] == 2 and done[2] == "a"
    assert done[3].tolist() == [2, 2] and done[4].tolist() == [0, 1]
    assert done[5] == Pair(2.0, 3) and done[6] == [True]


@pytest.fixture
def verdicts(tmp_path):
    """Verdicts of the small chapter with the function changed by a factor."""
    names = resolution.formulas(CHAPTER)
    assert names == ["lib.scan_snap.decoder.speed"]
    base = resolution.execute(CHAPTER, tmp_path)
    return lambda factor: resolution.red(
        base, resolution.execute(CHAPTER, tmp_path, names[0], factor)
    )


def test_a_claim_turns_red_where_its_bound_is_crossed(verdicts):
    tight, loose = (("scan-snap.lemma-05", id) for id in ("tight", "loose"))
    assert verdicts(1.0) == set()
    assert verdicts(1 + 1e-9) == {tight}
    assert verdicts(1.1) == {tight}
    assert verdicts(1.3) == {tight, loose}


def test_rows_that_cannot_fail_are_never_seen(verdicts):
    red = {id for factor in (2.0, -1.0, 0.5) for _, id in verdicts(factor)}
    assert red == {"tight", "loose"}


def test_words_for_sizes():
    from tooling.ledger_page import sees

    assert sees(None) == ""
    assert sees({"sees": 1e-9}) == "1e-09"
    assert sees({"sees": 0.05}) == "5 %"
