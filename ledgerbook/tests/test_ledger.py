"""What a ledger takes, refuses and shows."""

import pytest
from ledgerbook.ledger.ledger import Ledger
from ledgerbook.ledger.ledger_table import MIME, Summary, row_cells, table_cell, typeset


def test_only_an_identity_and_a_row_that_says_so_have_an_absolute_tolerance():
    ledger = Ledger("the-paper.lemma-05")
    ledger.claim("given", "words", 1.0, "<=", 2.0, kind="limit", atol=0.5)
    ledger.claim("noise", "words", 1e-16, "<=", 1e-12, kind="identity")
    ledger.claim("size", "words", 1.0, "<=", 2.0, kind="limit")
    ledger.claim("between", "words", 1e-16, "in", [-1e-9, 3e-9], kind="identity")
    atol = {row["id"]: row["atol"] for row in ledger.show()._repr_mimebundle_()[MIME]["rows"]}
    assert atol == {"given": 0.5, "noise": 1e-12, "size": 0.0, "between": 2e-9}


def test_the_first_control_stands_for_its_hypothesis_and_none_is_lost():
    ledger = Ledger("the-paper.lemma-05", hypotheses={"H1": "…", "H2": "…"})
    ledger.claim("a", "words", 1, "<=", 1, kind="limit")
    for id in ("one", "two"):
        assert ledger.control(id, "H1", "words", 1, "<=", 1) is True
    assert ledger.control("red", "H2", "words", 2, "<=", 1) is False
    ledger.show()
    first, other = ledger.close().record["hypotheses"]
    assert first["control"]["id"] == "one" and other["control"]["id"] == "red"
    assert [row["id"] for row in first["further_controls"]] == ["two"]
    assert "further_controls" not in other


@pytest.mark.parametrize(
    ("use", "words"),
    [
        (lambda it: Ledger("Lemma 5"), "tag = 'Lemma 5'"),
        (lambda it: Ledger("a.b", standing="heard"), "standing = 'heard'"),
        (lambda it: Ledger("a.b").close(), "claims = 0, allowed: at least one"),
        (lambda it: it.claim("a", "", 1, "<=", 1, kind="guess"), "a: kind = 'guess', allowed: one"),
        (lambda it: it.claim("a", "", 1, "=<", 1, kind="limit"), "a: relation = '=<'"),
        (lambda it: it.claim("a", "", [0, 2], "==", [0, 2], kind="identity"), r"bound = \[0, 2\]"),
        (lambda it: it.claim("a", "", 1, "<=", 1, kind="sign"), "id = 'a'"),
        (lambda it: it.control("a", "H9", "", 1, "<=", 1), "hypothesis = 'H9'"),
        (lambda it: it.close(), r"hypotheses without a control = \['H1'\]"),
    ],
)
def test_bad_use_names_what_is_allowed(use, words):
    ledger = Ledger("the-paper.lemma-05", hypotheses={"H1": "…"})
    ledger.claim("a", "words", 1, "<=", 1, kind="sign")
    ledger.show()
    with pytest.raises(ValueError, match=words):
        use(ledger)


def test_nobody_need_know_whether_a_hypothesis_is_needed():
    ledger = Ledger("the-paper.lemma-05", hypotheses={"H1": "…"})
    ledger.claim("a", "words", 1, "<=", 1, kind="sign")
    ledger.show()
    (found,) = ledger.close({"H1": "nobody tried"}).record["hypotheses"]
    assert (found["necessity"], found["why"], found["control"]) == ("unknown", "nobody tried", None)


def test_a_row_claims_no_more_than_its_kind_gives():
    ledger = Ledger("the-paper.lemma-05")
    ledger.claim("a", "for K = 3", True, "==", True, kind="symbolic", strength="certified")
    assert ledger.claims["a"].strength == "certified"
    with pytest.raises(ValueError, match="strength = 'proved'"):
        ledger.claim("b", "words", 1, "<=", 2, kind="limit", strength="proved")
    with pytest.raises(ValueError, match="strength = 'certified', allowed: one of 'measured'"):
        ledger.claim("c", "words", 1, "<=", 2, kind="limit", strength="certified")


def test_what_is_not_read_in_print_is_not_called_printed():
    ledger = Ledger("the-paper.convexity", standing="reconstructed")
    ledger.claim("a", "words", 1, "<=", 2, kind="limit", as_printed=True)
    table = ledger.show()._repr_mimebundle_()["text/markdown"]
    assert "as established" in table and "as printed" not in table
    assert "fail as established" in repr(ledger.close())


def test_a_kernel_row_fails_without_a_record_of_its_source(monkeypatch, tmp_path):
    monkeypatch.setattr(
        "ledgerbook.ledger.ledger.checked", lambda tag, theorem: "there is no proof file"
    )
    ledger = Ledger("the-paper.lemma-05")
    assert not ledger.kernel("no_such_theorem")
    assert "there is no proof file" in repr(ledger.show())


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
