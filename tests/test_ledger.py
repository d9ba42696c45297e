"""The one function that judges statements, and the rows that it judges."""

import itertools

import pytest

from lib.ledger import RELATIONS, Ledger, margin, status, surprises
from lib.ledger_table import MIME

OK, BAD = {"passed": True}, {"passed": False}


def row(id, passed, as_printed=False, condition=None):
    return {
        "id": id,
        "passed": passed,
        "as_printed": as_printed,
        "condition": condition,
        "claim": id,
        "observed": 1.0,
        "relation": "<=",
        "bound": 0.0,
    }


def erratum(fails, holds):
    return {"evidence": [fails, holds], "location": "Eq. (1)"}


def test_status_of_every_shape():
    printed, ours = row("p", True, as_printed=True), row("o", True)
    slip = row("s", False, as_printed=True)
    assert status([], []) == "not checked"
    assert status([printed, ours], []) == "holds"
    assert status([printed, row("c", True, condition="K = M")], []) == "holds"
    assert status([row("c", True, condition="K = M")], []) == "holds under extra conditions"
    assert status([row("c", True, True, condition="K = M")], []) == "holds under extra conditions"
    assert status([slip, ours], [erratum("s", "o")]) == "holds as corrected"
    assert (
        status([slip, row("o", True, condition="K = M")], [erratum("s", "o")])
        == "holds under extra conditions"
    )
    assert status([slip, ours], []) == "does not hold"
    assert status([slip, row("o", False)], [erratum("s", "o")]) == "does not hold"
    assert status([printed, row("o", False)], []) == "does not hold"


def test_a_failure_never_improves_a_status():
    order = ["does not hold", "holds under extra conditions", "holds as corrected", "holds"]
    for passed in itertools.product([True, False], repeat=3):
        claims = [row("a", passed[0], True), row("b", passed[1]), row("c", passed[2], False, "x")]
        before = order.index(status(claims, [erratum("a", "b")]))
        for k in range(3):
            worse = [dict(claim) for claim in claims]
            worse[k]["passed"] = False
            assert order.index(status(worse, [erratum("a", "b")])) <= before


def test_experiments_are_counted():
    claims = [row("a", True, True), row("b", False, True)]
    assert status(claims, [], experiment=True) == "partly replicated"
    assert status(claims[:1], [], experiment=True) == "replicated"
    assert status(claims[1:], [], experiment=True) == "not replicated"
    assert status([claims[0], row("c", False)], [], experiment=True) == "partly replicated"


def test_surprises_name_the_row_and_the_difference():
    record = {
        "tag": "scan-snap.lemma-05",
        "claims": [row("red", False), row("slip", False, True), row("fine", True)],
        "hypotheses": [{"id": "H1", "control": row("blunt", False)}],
        "errata": [erratum("fine", "red")],
    }
    lines = surprises(record)
    assert len(lines) == 4
    assert "claim red" in lines[0] and "observed 1, wanted <= 0" in lines[0]
    assert "slip" in lines[1] and "control blunt" in lines[2] and "evidence" in lines[3]
    record["errata"] = [erratum("slip", "fine")]
    assert not any("slip" in line for line in surprises(record))


@pytest.mark.parametrize(
    ("observed", "relation", "bound", "passes"),
    [
        (1e-16, "<=", 1e-12, True),
        (2.0, "<=", 1.0, False),
        (float("nan"), "<=", 1.0, False),
        (float("inf"), ">", 1.0, False),
        (0.5, "in", [0.4, 0.6], True),
        (0.7, "in", [0.4, 0.6], False),
        (True, "==", True, True),
        (3, ">", 3, False),
        (-1.0, "<", 0.0, True),
    ],
)
def test_verdict_and_margin_agree(observed, relation, bound, passes):
    ledger = Ledger("scan-snap.lemma-05")
    assert ledger.claim("a", "words", observed, relation, bound, kind="inequality") is passes
    edge = margin(*(ledger._claims["a"].observed, relation, ledger._claims["a"].bound))
    if edge is not None and relation != "in":
        positive = bound > 0 and observed > 0
        neutral = 1 if positive else 0
        assert (edge >= neutral if "=" in relation else edge > neutral) == passes
    assert relation in RELATIONS


def test_bad_use_names_what_is_allowed():
    ledger = Ledger("scan-snap.lemma-05", hypotheses={"H1": "…"})
    with pytest.raises(ValueError, match="tag = 'Lemma 5'"):
        Ledger("Lemma 5")
    with pytest.raises(ValueError, match="kind = 'guess', allowed: one of 'identity'"):
        ledger.claim("a", "words", 1, "<=", 1, kind="guess")
    with pytest.raises(ValueError, match="hypothesis = 'H9'"):
        ledger.control("a", "H9", "words", 1, "<=", 1)
    ledger.claim("a", "words", 1, "<=", 1, kind="sign")
    with pytest.raises(ValueError, match="id = 'a'"):
        ledger.claim("a", "words", 1, "<=", 1, kind="sign")
    with pytest.raises(ValueError, match="rows never shown"):
        ledger.close()
    ledger.show()
    with pytest.raises(ValueError, match="hypotheses without a control = \\['H1'\\]"):
        ledger.close()
    ledger.unknown("H1", "nobody tried")
    assert (
        ledger.close()._repr_mimebundle_()[MIME]["closed"]["hypotheses"][0]["necessity"]
        == "unknown"
    )


def test_formulas_survive_the_table():
    ledger = Ledger("scan-snap.lemma-05")
    ledger.claim("a", "$\\|x\\|_2$ and $P(l|n)$", 1.0, "<=", 2.0, kind="inequality")
    table = ledger.show()._repr_mimebundle_()["text/markdown"]
    assert "\\Vert x\\Vert" in table and "P(l\\mid n)" in table
    assert len({line.count("|") for line in table.splitlines()}) == 1
