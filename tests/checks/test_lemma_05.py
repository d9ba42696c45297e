"""What the rows of Lemma 5 and Remark 1 measure with: each beside something independent."""

import numpy as np
import pytest
import sympy as sp
from ledgerbook.ledger import checks
from ledgerbook.ledger.checks import announced

from checks.scan_snap import lemma_05, remark_01
from lib.measure import relative_error
from lib.scan_snap.decoder_training import decoder_epochs
from lib.scan_snap.equal_overlaps import equal_overlap_gram

OTHER = dict(M=12, K=4, eta_y=1.5, steps=60, rho=0.2, seed=1)


@pytest.mark.parametrize("top, rest", [(0.0, 0.0), (1.3, -0.4)])
def test_one_step_in_symbols_is_a_step_in_numbers(top, rest):
    scores = np.array([top, *[rest] * 4])
    seen = np.exp(scores) / np.exp(scores).sum()
    after = scores + 0.7 * (np.eye(5)[0] - seen)
    symbols = lemma_05.one_step(sp.Float(top), sp.Float(rest))[2]
    found = [float(value.subs({lemma_05.M: 5, lemma_05.eta: 0.7})) for value in symbols]
    assert found == pytest.approx(after[:2])


def test_autograd_sees_the_softmax_before_the_last_step():
    _, seen = lemma_05.ascent_by_autograd(np.ones(6), 2, 1, 0.5)
    assert seen == pytest.approx(np.full(6, 1 / 6))


def test_rounds_in_the_space_of_Y_are_rounds_of_the_rows():
    rows = remark_01.rounds(3, 7, 0.3, 0.5, 25)
    assert relative_error(rows, decoder_epochs(25, 7, 0.5, equal_overlap_gram(3, 0.3))) < 1e-12


@pytest.mark.parametrize("role", ["step", "claim"])
def test_rows_hold_at_other_parameters(role):
    shown, fail = lemma_05.Lemma05(**OTHER).show(role).rows, announced(lemma_05.Lemma05)
    assert all(row["passed"] == (row["id"] not in fail) for _, row in shown)


@pytest.mark.parametrize(
    ("module", "name", "kind", "ids"),
    [
        (lemma_05, "zeta", lemma_05.Lemma05, ["row"]),
        (lemma_05, "h_star", lemma_05.Lemma05, ["row", "softmax"]),
        (lemma_05, "speed", lemma_05.Lemma05, ["softmax"]),
        (remark_01, "equal_overlap_rounds", remark_01.Remark01, ["three-numbers"]),
    ],
)
def test_a_formula_off_by_a_thousandth_turns_its_row_red(module, name, kind, ids, monkeypatch):
    right = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *args: right(*args) * 1.001)
    by_id = {row.id: row for row in checks.rows(kind)}
    assert [id for id in ids if kind(**OTHER).judge(by_id[id]).passed] == []
