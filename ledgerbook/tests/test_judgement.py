"""The functions that judge: verdict, margin, status, strength, surprises."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ledgerbook.ledger.judgement import (
    RELATIONS,
    STRENGTHS,
    compare,
    conditions,
    inherited,
    label,
    labels,
    margin,
    parts,
    status,
    strength,
    strengths,
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


def test_a_condition_comes_with_what_is_trusted_by_way_of_any_number_of_statements():
    def trusting(rows, of, *parts, words="the rate"):
        return record(rows) | {"trusted": [{"of": of, "parts": [*parts], "words": words}]}

    printed, printed_if = row("p", True, True), row("q", True, True, "x")
    beside = record([printed, printed_if]) | {"parts": {"beside it": ["q"]}}
    records = {
        "first": record([printed_if, row("r", True, True, equation="(9), late")]) | {"trusted": []},
        "second": trusting([printed, row("o", True, False, "y")], "first"),
        "third": trusting([printed], "second", "rate"),
        "ours": trusting([printed], "second", "beyond the print"),
        "same": trusting([printed_if], "first"),
        "by way of the same": trusting([printed], "same", words="(9)"),
        "tool": trusting([printed], ""),
        "formula": trusting([printed], "first", words="(9), the size"),
        "no such formula": trusting([printed], "first", words="(8), the size"),
    }
    assert conditions(records["first"]) == ["x"] and not conditions(beside)
    found = {tag: inherited(tag, records) for tag in records}
    come = {"x": "first"}
    assert found == dict.fromkeys(records, {}) | {
        "second": come,
        "third": come,
        "no such formula": come,
        "by way of the same": come,
    }


def test_a_consequence_answers_as_an_erratum_does():
    claims = [row("s", False, as_printed=True), row("o", True)]
    assert status(record(claims, consequences=[slip("s", "o", "E7")])) == "holds as corrected"
    assert not surprises(record(claims, consequences=[slip("s", "o", "E7")]))
    assert surprises(record(claims))


def test_a_definition_whose_formulas_fit_together_does_not_hold_and_is_not_true_either():
    assert status(record([row("a", True)]), "setting") == "a definition"
    assert status(record([row("a", False)]), "setting") == "does not hold"


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


KERNEL, PROVED, CERTIFIED = (dict(strength=s) for s in ("kernel-checked", "proved", "certified"))


def about(id, equation, **more):
    """A row as printed that passes."""
    return row(id, True, True, equation=equation, **more)


def test_strength_is_that_of_the_weakest_part_and_every_row_as_printed_is_in_one():
    rows = [about("a", "(1)", **KERNEL), about("b", "(2)", **PROVED), row("c", True)]
    assert parts(record(rows)) == {"(1)": "kernel-checked", "(2)": "proved"}
    assert strength(record(rows)) == "proved"
    assert strength(record([*rows, about("d", None)])) == "measured"
    assert strength(record([*rows, row("d", True, concludes=True)])) == "measured"
    assert strength(record([row("p", True, **PROVED)])) == "proved"
    assert strength(record([row("p", True, **PROVED), row("m", True)])) == "measured"


def test_a_weaker_row_about_what_a_stronger_one_says_does_not_weaken_it():
    strong, check = about("a", "(1)–(3)", **KERNEL), about("b", "(2), (3)")
    assert strength(record([strong, check])) == "kernel-checked"
    assert parts(record([about("a", "(1)", **KERNEL), check]))["(3)"] == "measured"


def test_a_proof_of_half_a_formula_does_not_speak_for_the_formula_but_the_other_way():
    half, whole = about("a", "(1), first half", **KERNEL), about("b", "(1)")
    assert strength(record([half, whole])) == "measured"
    half, whole = about("a", "(1), first half"), about("b", "(1)", **KERNEL)
    assert strength(record([half, whole])) == "kernel-checked"
    listed = record([half, whole], parts={"it": ["b"]})
    assert parts(listed) == {"it": "kernel-checked"}


def test_a_listed_part_is_as_strong_as_its_weakest_row_and_an_empty_one_is_measured():
    rows = [about("a", "(1)", **KERNEL), about("b", "(2)", **PROVED)]
    both = record(rows, parts={"existence": ["a"], "rate": ["a", "b"]})
    assert parts(both) == {"existence": "kernel-checked", "rate": "proved"}
    nobody = record(rows, parts={"existence": ["a"], "rate": []})
    assert parts(nobody) == {"existence": "kernel-checked", "rate": "measured", "(2)": "proved"}
    red = record([rows[0], {**rows[1], "passed": False}], [slip("b", "a")], parts={"rate": ["b"]})
    assert parts(red)["rate"] == "measured"


def test_a_row_as_printed_that_no_part_lists_is_a_part_of_its_own():
    rows = [about("a", "(1)", **KERNEL), about("b", None), about("c", "(3), (4)")]
    left = record(rows, parts={"existence": ["a"]})
    alone = {"`b`": "measured", "(3)": "measured", "(4)": "measured"}
    assert parts(left) == {"existence": "kernel-checked"} | alone
    aside = record(rows, parts={"existence": ["a"], "beside it": ["b", "c"]})
    assert parts(aside) == {"existence": "kernel-checked"}
    assert strength(aside) == "kernel-checked"


def test_an_equation_of_the_statement_is_a_part_whoever_speaks_of_it():
    rows = [about("a", "(1)", **KERNEL), row("b", True, equation="(2)"), row("c", True)]
    assert parts(record(rows, equations="(1)–(3)")) == {"(1)": "kernel-checked", "(2)": "measured"}
    rows.append(row("d", True, equation="(2)", **PROVED))
    assert parts(record(rows, equations="(1)–(3)"))["(2)"] == "proved"
    assert parts(record(rows)) == {"(1)": "kernel-checked"}


def test_what_answers_a_row_that_fails_is_needed_and_a_slip_of_the_proof_is_not():
    red = row("s", False, as_printed=True)
    rows = [red, row("p", True, **PROVED), row("x", True), about("a", "(1)", **KERNEL)]
    assert strength(record(rows, [slip("s", "p")])) == "proved"
    assert strength(record(rows, [{**slip("s", "p"), "proof": True}])) == "kernel-checked"


def test_trust_caps_the_parts_that_it_names_and_every_part_where_it_names_none():
    rows = [about("a", "(1)", **KERNEL), about("b", "(2)", **KERNEL)]

    def capped(kind, of="", *named):
        trust = {"kind": kind, "words": "it", "of": of, "parts": named}
        return parts(record(rows, trusted=[trust]), {"other": "certified", "none": None})

    assert capped("textbook") == {"(1)": "proved", "(2)": "proved"}
    assert capped("textbook", "", "(2)") == {"(1)": "kernel-checked", "(2)": "proved"}
    assert capped("textbook", "", "beyond the print")["(2)"] == "kernel-checked"
    assert capped("unproved")["(1)"] == "measured"
    assert capped("chapter", "other")["(1)"] == "certified"
    assert capped("chapter", "none")["(1)"] == capped("chapter", "nobody")["(1)"] == "measured"


def test_what_another_chapter_concludes_is_inherited_and_never_in_a_circle():
    def resting(on, **own):
        trusted = [{"kind": "chapter", "words": "it", "of": tag, "parts": []} for tag in on]
        return record([about("a", "(1)", **own)], trusted=trusted)

    chain = {"c": resting("b", **KERNEL), "b": resting("a", **PROVED), "a": resting("", **KERNEL)}
    assert strengths(chain) == {"a": "kernel-checked", "b": "proved", "c": "proved"}
    chain["a"] = resting("")
    assert set(strengths(chain).values()) == {"measured"}
    chain["a"] = resting("c", **KERNEL)
    with pytest.raises(ValueError, match="cycle"):
        strengths(chain)


def test_a_statement_that_does_not_hold_is_as_sure_as_the_rows_against_it():
    proof = about("a", "(1)", **KERNEL)
    assert strength(record([proof, row("drift", False)])) == "measured"
    assert strength(record([proof, row("drift", False), row("no", False, **CERTIFIED)])) == (
        "certified"
    )


@pytest.mark.parametrize(
    ("equation", "found"),
    [
        ("(31)–(33), Lemma 7(a)", ["(31)", "(32)", "(33)", "Lemma 7(a)"]),
        ("(62), late, (65)", ["(62), late", "(65)"]),
        ("remark after (26)", ["remark after (26)"]),
        ("Lemma 9, stage 1", ["Lemma 9, stage 1"]),
        (None, []),
    ],
)
def test_what_a_row_is_about(equation, found):
    assert labels(equation) == found


def test_whose_words_a_row_takes():
    rows = [about("p", "(1)"), row("s", False, True), row("o", True), row("x", True)]
    rows.append(row("c", True, concludes=True))
    found = [label(one, record(rows, [slip("s", "o")], standing="read")) for one in rows]
    assert found == ["as printed", "as printed", "as corrected", "beyond the print", ""]
    assert label(rows[0], record(rows, standing="reconstructed")) == "as established"
    assert label(rows[0], record(rows, standing="ours")) == "beyond the print"


@given(st.lists(st.sampled_from(STRENGTHS), min_size=1))
def test_weakest_is_the_least_and_one_unknown_makes_it_unknown(names):
    assert STRENGTHS.index(weakest(names)) == min(map(STRENGTHS.index, names))
    assert weakest([*names, None]) is weakest([]) is None


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


numbers = st.floats(-1e6, 1e6, allow_subnormal=False)  # half a width is a number


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


@pytest.mark.parametrize("kind", ["identity", "limit", "rate", "reproduction"])
def test_an_error_is_bounded_on_both_sides(kind):
    """A difference whose modulus was forgotten is red when the formula is off to the other side."""
    assert not compare(-0.5, "<=", 1e-12, kind)
    assert compare(-1e-16, "<=", 1e-12, kind)
    assert compare(-0.5, "<=", 1e-12, "inequality")
