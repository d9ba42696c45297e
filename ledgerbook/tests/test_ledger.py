"""What rows take, refuse and show."""

import pytest
import sympy as sp
from ledgerbook.ledger.checks import Checks, claim, control, showable
from ledgerbook.ledger.ledger_table import MIME, Summary, row_cells, table_cell, typeset


def row(observed, relation, bound, kind, **details):
    """A method under ``claim`` that observes a value."""
    return claim(relation, bound, kind, **details)(returning(observed))


def returning(value):
    def method(self):
        """words"""
        return value

    return method


def made(**body):
    """An object of a class with these rows, all of them shown."""
    there = type("Made", (Checks,), {"tag": "the-paper.lemma-05"} | body)()
    there.tables = there.show(*showable(type(there)))
    return there


def test_only_an_identity_and_a_row_that_says_so_have_an_absolute_tolerance():
    there = made(
        given=row(1.0, "<=", 2.0, "limit", atol=0.5),
        noise=row(1e-16, "<=", 1e-12, "identity"),
        size=row(1.0, "<=", 2.0, "limit"),
        between=row(1e-16, "in", [-1e-9, 3e-9], "identity"),
    )
    atol = {row["id"]: row["atol"] for row in there.tables._repr_mimebundle_()[MIME]["rows"]}
    assert atol == {"given": 0.5, "noise": 1e-12, "size": 0.0, "between": 2e-9}


def test_the_first_control_stands_for_its_hypothesis_and_none_is_lost():
    there = made(
        hypotheses={"H1": "…", "H2": "…"},
        one=control("H1", "<=", 1)(returning(1)),
        two=control("H1", "<=", 1)(returning(1)),
        red=control("H2", "<=", 1)(returning(2)),
    )
    first, other = there.close().record["hypotheses"]
    assert first["control"]["id"] == "one" and other["control"]["id"] == "red"
    assert first["control"]["passed"] and not other["control"]["passed"]
    assert [row["id"] for row in first["further_controls"]] == ["two"]
    assert "further_controls" not in other


@pytest.mark.parametrize(
    ("use", "words"),
    [
        (lambda: made(tag="Lemma 5"), "tag = 'Lemma 5'"),
        (lambda: made(standing="heard"), "standing = 'heard'"),
        (lambda: made(a=row(1, "<=", "x", "limit")), "a: bound = 'x', allowed: a number"),
        (lambda: made(a=row(1, "in", 2, "limit")), r"a: bound = 2, allowed: \[low, high\]"),
        (lambda: made(a=row(1, "<=", 1, "guess")), "a: kind = 'guess', allowed: one"),
        (lambda: made(a=row(1, "=<", 1, "limit")), "a: relation = '=<'"),
        (lambda: made(a=row([0, 2], "==", [0, 2], "identity")), r"bound = \[0, 2\]"),
        (lambda: made(a=row(1, "<=", 1, "limit")).show("a"), "show = 'a'"),
        (lambda: made(a=control("H9", "<=", 1)(returning(1))), "a: hypothesis = 'H9'"),
        (lambda: made(hypotheses={"H1": "…"}).close(), r"without a control = \['H1'\]"),
        (lambda: made(a=row(1, "<=", 2, "limit", strength="proved")), "strength = 'proved'"),
        (
            lambda: made(a=row(1, "<=", 2, "limit", strength="certified")),
            "strength = 'certified', allowed: one of 'measured'",
        ),
    ],
)
def test_bad_use_names_what_is_allowed(use, words):
    with pytest.raises(ValueError, match=words):
        use()


def test_nobody_need_know_whether_a_hypothesis_is_needed():
    there = made(hypotheses={"H1": "…"}, unknown={"H1": "nobody tried"})
    (found,) = there.close().record["hypotheses"]
    assert (found["necessity"], found["why"], found["control"]) == ("unknown", "nobody tried", None)


def test_a_row_may_claim_less_than_its_kind_gives():
    facts = sp.Eq(sp.Symbol("x"), sp.Symbol("x"), evaluate=False)
    there = made(a=row(facts, "==", True, "symbolic", strength="certified"))
    assert there.ledger["a"].strength == "certified"


def test_what_is_not_read_in_print_is_not_called_printed():
    there = made(standing="reconstructed", a=row(1, "<=", 2, "limit", as_printed=True))
    table = there.tables._repr_mimebundle_()["text/markdown"]
    assert "as established" in table and "as printed" not in table
    assert "fail as established" in repr(there.close())


def test_a_kernel_row_fails_without_a_record_of_its_source(monkeypatch):
    monkeypatch.setattr(
        "ledgerbook.ledger.checks.checked", lambda tag, theorem: "there is no proof file"
    )
    there = made(kernel_theorems={"no_such_theorem": {}})
    assert not there.ledger["kernel-no-such-theorem"].passed
    assert "there is no proof file" in repr(there.tables)


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("a | b", r"a \| b"),
        (r"$|x|$ and $\|y\|$", r"$\mid x\mid $ and $\Vert y\Vert $"),
        ("<script>alert(2)</script>", r"\<script>alert(2)\</script>"),
        ("{ref}`zzz`", r"\{ref}`zzz`"),
        ("`a|b` or `c|d`", r"`a\|b` or `c\|d`"),
        ("`a < {b}`, $a < {b}$", "`a < {b}`, $a < {b}$"),
        ("costs $ <b>", r"costs $ \<b>"),
        (r"\<=", r"\<="),
        (r"\\<script>, \\\<b>", r"\\\<script>, \\\<b>"),
    ],
)
def test_no_markup_comes_out_of_a_text(text, cell):
    assert table_cell(text) == cell


@pytest.mark.parametrize(
    ("typed", "set"),
    [
        ("<= 1e-12", "≤ 10⁻¹²"),
        (">= -8.13e+04", "≥ −8.13·10⁴"),
        ("== yes", "yes"),
        ("== lemma_5 accepted", "lemma_5 accepted"),
        ("== -1", "= −1"),
        ("in [-0.5, 1e-3]", "in [−0.5, 10⁻³]"),
        ("2e-05 of step_2e5", "2·10⁻⁵ of step_2e5"),
    ],
)
def test_a_bound_is_set_as_mathematics(typed, set):
    assert typeset(typed) == set


def test_every_text_of_a_row_is_a_cell():
    row = {"id": "r", "claim": "<i>", "observed": "<i>", "relation": "<=", "bound": "<i>"}
    row |= {"margin": None, "passed": True, "as_printed": False, "condition": "<i>"}
    cells = row_cells("claim", row | {"strength": "measured"})
    assert not any("<" in cell.replace(r"\<", "") for cell in cells)


def test_a_closed_statement_counts_what_holds_what_fails_and_what_has_a_control():
    verdicts = [(True, True), (True, False), (False, True), (False, True), (False, True)]
    claims = [{"as_printed": printed, "passed": passed} for printed, passed in verdicts]
    record = {"tag": "the-paper.lemma-05", "standing": "read", "claims": claims, "errata": [{}]}
    record["hypotheses"] = [{"control": {}}, {"control": {}}, {"control": None}]
    assert repr(Summary(record)) == (
        "the-paper.lemma-05: 4 of 5 claims hold, 1 fail as printed,"
        " 2 of 3 hypotheses have a control, 1 errata"
    )
