"""The functions that judge: verdict, margin, status, strength, surprises."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ledgerbook.ledger.judgement import (
    KINDS,
    RELATIONS,
    STRENGTHS,
    compare,
    margin,
    status,
    strength,
    surprises,
    weakest,
)


def row(id, passed, as_printed=False, condition=None, **more):
    return {
        "id": id,
        "passed": passed,
        "as_printed": as_printed,
        "condition": condition,
        "claim": id,
        "observed": 1.0,
        "relation": "<=",
        "bound": 0.0,
        "strength": "measured",
        **more,
    }


def slip(fails, holds, id="E1"):
    return {"id": id, "evidence": [fails, holds], "location": "Eq. (1)"}


def record(claims, errata=(), **more):
    return {
        "tag": "the-paper.lemma-05",
        "claims": list(claims),
        "errata": list(errata),
        "hypotheses": [],
        **more,
    }


def test_status_of_every_shape():
    printed, ours = row("p", True, as_printed=True), row("o", True)
    wrong, only_if = row("s", False, as_printed=True), row("c", True, condition="K = M")
    printed_if = row("c", True, True, condition="K = M")
    assert status(record([])) == "not checked"
    assert status(record([printed, ours])) == "holds"
    assert status(record([printed, only_if])) == "holds"
    assert status(record([only_if])) == "holds under extra conditions"
    assert status(record([printed_if])) == "holds under extra conditions"
    assert status(record([wrong, ours], [slip("s", "o")])) == "holds as corrected"
    assert status(record([wrong, only_if], [slip("s", "c")])) == "holds under extra conditions"
    assert status(record([wrong, ours])) == "does not hold"
    corrected_if = record([wrong, ours, printed_if], [slip("s", "o")])
    assert status(corrected_if) == "holds under extra conditions"
    assert status(record([wrong, row("o", False)], [slip("s", "o")])) == "does not hold"
    assert status(record([printed, row("o", False)])) == "does not hold"


def test_a_slip_of_the_proof_leaves_the_statement_as_it_is():
    printed, ours = row("p", True, as_printed=True), row("o", True)
    wrong, false = row("s", False, as_printed=True), row("c", False, as_printed=True)
    in_proof = {**slip("s", "o"), "proof": True}
    assert status(record([printed, wrong, ours], [in_proof])) == "holds"
    both = record([printed, wrong, false, ours], [in_proof, slip("c", "o")])
    assert status(both) == "holds as corrected"
    assert status(record([wrong, row("o", False)], [in_proof])) == "does not hold"
    assert not surprises(record([printed, wrong, ours], [in_proof]))


def test_a_consequence_answers_as_an_erratum_does():
    claims = [row("s", False, as_printed=True), row("o", True)]
    assert status(record(claims, consequences=[slip("s", "o", "E7")])) == "holds as corrected"
    assert not surprises(record(claims, consequences=[slip("s", "o", "E7")]))
    assert surprises(record(claims))


def test_an_assumption_has_no_truth_value_and_may_be_met_by_nobody():
    claims = [row("a", False, subject="Syn-Small"), row("b", True)]
    assert status(record(claims), "assumption") == "an assumption"
    assert not surprises(record(claims))
    assert surprises(record([row("a", False)]))


def test_a_failure_never_improves_a_status():
    order = ["does not hold", "holds under extra conditions", "holds as corrected", "holds"]
    for passed in itertools.product([True, False], repeat=3):
        claims = [row("a", passed[0], True), row("b", passed[1]), row("c", passed[2], False, "x")]
        before = order.index(status(record(claims, [slip("a", "b")])))
        for k in range(3):
            worse = [dict(claim) for claim in claims]
            worse[k]["passed"] = False
            assert order.index(status(record(worse, [slip("a", "b")]))) <= before


def test_experiments_are_counted():
    claims = [row("a", True, True), row("b", False, True)]
    assert status(record(claims), "experiment") == "partly replicated"
    assert status(record(claims[:1]), "experiment") == "replicated"
    trend = record([claims[0] | {"condition": "the trend only"}])
    assert status(trend, "experiment") == "partly replicated"
    assert status(record(claims[1:]), "experiment") == "not replicated"
    assert status(record([claims[0], row("c", False)]), "experiment") == "partly replicated"


def test_strength_is_that_of_the_weakest_row_that_the_conclusion_needs():
    proved = row("p", True, strength="proved", concludes=True)
    certified = row("c", True, strength="certified", concludes=True)
    measured = row("m", True, strength="measured", as_printed=True)
    assert strength(record([proved, certified, measured])) == "certified"
    assert strength(record([proved, measured])) == "proved"
    assert strength(record([row("p", True, strength="proved"), measured])) == "measured"
    assert strength(record([row("p", True, strength="proved")])) == "proved"
    red = row("s", False, as_printed=True)
    answered = record([red, row("p", True, strength="proved"), row("x", True)], [slip("s", "p")])
    assert strength(answered) == "proved"
    assert strength(record([{**proved, "passed": False}])) is None


@given(st.lists(st.sampled_from(STRENGTHS), min_size=1))
def test_weakest_is_the_least_and_one_unknown_makes_it_unknown(names):
    assert STRENGTHS.index(weakest(names)) == min(map(STRENGTHS.index, names))
    assert weakest([*names, None]) is weakest([]) is None


def test_every_kind_says_what_it_establishes():
    assert set(KINDS.values()) == set(STRENGTHS)
    assert KINDS["symbolic"] == "proved" and KINDS["certified"] == "certified"


def test_surprises_name_the_row_and_the_difference():
    made = record(
        [row("red", False), row("slip", False, True), row("fine", True)],
        [slip("fine", "red")],
        hypotheses=[{"id": "H1", "control": row("blunt", False)}],
    )
    lines = surprises(made)
    assert len(lines) == 4
    assert "claim red" in lines[0] and "observed 1, wanted <= 0" in lines[0]
    assert "slip" in lines[1] and "control blunt" in lines[2] and "evidence" in lines[3]
    made["errata"] = [slip("slip", "fine")]
    assert not any("claim slip" in line for line in surprises(made))


@pytest.mark.parametrize("passed", list(itertools.product([True, False], repeat=2)))
def test_the_evidence_of_an_erratum_fails_and_then_holds(passed):
    claims = [row("s", passed[0], as_printed=True), row("o", passed[1], as_printed=True)]
    lines = surprises(record(claims, [slip("s", "o"), slip("o", "s", "E2")]))
    said = f"E1: its evidence should fail, then hold; passed = {passed[0]}, {passed[1]}"
    assert any(line.endswith(said) for line in lines) == (passed != (False, True))


@pytest.mark.parametrize(
    ("observed", "relation", "bound", "edge"),
    [
        (0.5, "<=", 2.0, 4.0),
        (0.5, ">", 2.0, 0.25),
        (-0.5, "<", 2.0, 2.5),
        (0.0, "<", 2.0, 2.0),
        (2.0, ">=", 0.0, 2.0),
        (-3.0, ">=", -1.0, -2.0),
        (3.0, "in", [2.0, 6.0], 0.5),
        (7.0, "in", [2.0, 6.0], -0.5),
        (1.0, "in", [1.0, 1.0], None),
        (3, "==", 3, None),
        (True, "<=", True, None),
        ("a", "<=", "b", None),
        (None, "<=", 1.0, None),
        (1e-300, "<=", 1e300, None),
    ],
)
def test_the_margin_is_a_ratio_of_positive_values_or_a_difference(observed, relation, bound, edge):
    assert margin(observed, relation, bound) == edge


numbers = st.floats(-1e6, 1e6)


@given(numbers, st.sampled_from(["<=", "<", ">=", ">"]), numbers)
def test_margin_says_what_the_verdict_says(observed, relation, bound):
    edge = margin(observed, relation, bound)
    neutral = 1.0 if bound > 0 and observed > 0 else 0.0
    if edge is not None and abs(edge - neutral) > 1e-6:  # a ratio beyond the format is None
        assert (edge > neutral) == compare(observed, relation, bound)


@given(numbers, numbers, numbers)
def test_margin_inside_an_interval_is_positive_exactly_there(observed, one, other):
    low, high = sorted((one, other))
    edge = margin(observed, "in", [low, high])
    if low == high:
        assert edge is None
    elif edge is not None and abs(edge) > 1e-6:
        assert (edge > 0) == compare(observed, "in", [low, high])
        assert edge <= 1 + 1e-9


@pytest.mark.parametrize("relation", sorted(RELATIONS))
def test_a_missing_value_never_passes(relation):
    assert not compare(None, relation, [0, 1] if relation == "in" else 0)
    assert not compare(float("nan"), relation, [0, 1] if relation == "in" else 0)
