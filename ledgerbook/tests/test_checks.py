"""Rows as methods: what is recorded, in which order, with which words, and what is refused."""

from dataclasses import dataclass

import numpy as np
import pytest
import sympy as sp
from ledgerbook.ledger.checks import (
    SHOWN,
    Checks,
    Consequence,
    Sharper,
    announced,
    chapter,
    claim,
    control,
    erratum,
    finding,
    group,
    once,
    rows,
    showable,
    step,
    textbook,
)  # fmt: skip
from ledgerbook.ledger.fields import seed, whole

x = sp.symbols("x")
SLIP = dict(fails="as-printed", holds="drawn", reach="harmless")


@dataclass
class Sample(Checks):
    n: int = whole(5, 2, 9)
    seed: int = seed()

    tag = "textbook.theorem-01"
    hypotheses = {"H1": "words"}
    parts = {"size": ("drawn",), "beside it": ("square",)}
    trusts = (textbook("a tool", "size"),)
    sharper = (Sharper("better", "(1)", "2", "1", "2", "drawn", "square"),)

    @step("symbolic", "(1)")
    def square(self):
        r"""$(x+1)^2$ for
        $n=@{n}$"""
        return (x + 1) ** 2, x**2 + 2 * x + 1

    @once
    def draws(self, rng):
        return rng.random(self.n)

    @claim("<=", lambda self: self.n, "inequality", as_printed=True)
    def drawn(self):
        """their sum is below @{n}, first @{draws.size:03d}"""
        return self.draws.sum()

    @claim("<=", 0.5, "inequality", as_printed=True)
    def as_printed(self, rng):
        """larger than one half"""
        return 0.5 + rng.random()

    apart = group()

    @claim("==", 0, "exact", cases={"one": {"k": 1}, "two": {"k": 2}})
    def of(self, case):
        """@{case.k} minus itself"""
        return case["k"] - case["k"]

    @control("H1", ">", 1)
    def more(self, rng):
        """a number above one"""
        return 1.5 + rng.random()

    @erratum("E1", "here", "$n=@{n}$", **SLIP)
    def e1(self):
        """not so"""
        return dict(printed=1, corrected=2, measured=2.1)

    @finding("drawn")
    def found(self):
        """something about @{n}"""


def test_a_row_s_name_is_its_id_and_its_docstring_its_words():
    there = Sample(n=3)
    shown = there.show("step").rows
    assert [(role, row["id"], row["claim"]) for role, row in shown] == [
        ("step", "square", "$(x+1)^2$ for $n=3$")
    ]
    shown = there.show("claim").rows
    assert [row["claim"] for _, row in shown] == [
        "their sum is below 3, first 003", "larger than one half"
    ]  # fmt: skip
    assert shown[0][1]["bound"] == 3


def test_a_group_is_shown_together_and_several_rows_may_come_from_one_method():
    assert showable(Sample) == ["step", "claim", "apart"]
    shown = Sample().show("apart").rows
    assert [(role, row["id"]) for role, row in shown] == [
        ("claim", "of-one"), ("claim", "of-two"), ("control of H1", "more")
    ]  # fmt: skip
    assert shown[1][1]["claim"] == "2 minus itself"


def closed(there):
    there.show(*showable(type(there)))
    return there.close().record


def test_what_rests_on_rows_is_recorded_when_the_statement_is_closed():
    record = closed(Sample())
    (slip,) = record["errata"]
    assert (slip["id"], slip["printed"], slip["corrected"]) == ("E1", "$n=5$", "not so")
    assert slip["numbers"] == [1, 2, 2.1] and slip["evidence"] == ["as-printed", "drawn"]
    assert [one["id"] for one in record["findings"]] == ["found", "better"]
    assert record["findings"][0]["finding"] == "something about 5"
    assert [one["words"] for one in record["trusted"]] == ["a tool"]
    assert record["parts"] == {"size": ["drawn"], "beside it": ["square"]}
    assert announced(Sample) == {"as-printed"}


def test_a_row_measured_alone_is_the_row_of_the_chapter_in_any_order():
    record = closed(Sample())
    by_id = {row["id"]: row["observed"] for row in record["claims"]}
    shown = [row for row in rows(Sample) if row.role in SHOWN]
    alone = {row.id: Sample().judge(row).observed for row in reversed(shown)}
    assert {id: alone[id] for id in by_id} == by_id


def test_each_row_draws_from_the_seed_and_its_own_name():
    one, two = Sample(seed=1), Sample(seed=2)
    assert one.as_printed() == Sample(seed=1).as_printed() != two.as_printed()
    assert one.as_printed() - 0.5 != one.more() - 1.5


def test_a_name_that_shows_nothing_is_refused_before_anything_is_measured():
    with pytest.raises(ValueError, match="show = 'controls', allowed: step, claim, apart"):
        Sample().show("claim", "controls")


def made(**body):
    return dataclass(type("Made", (Checks,), {"tag": "textbook.theorem-01"} | body))


def words(self):
    """words"""


UNSEEN = claim("<=", 1, "limit", witness="a definition")


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (lambda: made(e1=erratum("E1", "", "", **SLIP)(words)), "words = 'as-printed'|e1|words"),
        (lambda: made(show=claim("<=", 1, "limit")(words)), "names of no parameter"),
        (lambda: made(parts={"size": ("none",)}), "parts: size = 'none'"),
        (lambda: made(parts={"size": ()}, trusts=(textbook("it", "rate"),)), "it = .*'rate'"),
        (lambda: made(f=finding("none")(words)), "'none', allowed: the id of a row"),
        (lambda: made(consequences=(Consequence("E2", "a", "b"),)), "E2 = 'a'"),
        (lambda: chapter("Lemma 1", "its rate"), "its rate = 'Lemma 1', allowed: the tag"),
        (lambda: claim("<=", 1, "limit")(lambda self: 1), "docstring = None"),
        (lambda: made(a=claim("<=", 1, "limit", subject="it")(words)), "a: met = None"),
        (lambda: made(a=claim("<=", 1, "limit", met=True)(words)), "a: met = True"),
        (lambda: made(a=claim("<=", 1, "limit", witness="no")(words)), "a: witness = 'no'"),
        (lambda: made(parts={"it": ("a",)}, a=UNSEEN(words)), "a = 'it', allowed: no part"),
        (lambda: claim("<=", 1, "limit", as_print=True)(words), "words: detail = 'as_print', "),
        (lambda: control("H1", ">", 1, "limit", bound_by=1)(words), "words: detail = 'bound_by'"),
        (lambda: step("symbolic", "(1)", kinds="exact")(words), "words: detail = 'kinds'"),
        (lambda: made(kernel_theorems={"t": dict(conclude=True)}), "t: detail = 'conclude'"),
        (lambda: made(parts={"size"}), "parts = {'size'}, allowed: a dict"),
        (lambda: made(f=claim("<=", 1, "limit", condition="@{m}")(words)), "f: place .* 'm'"),
    ],
)  # fmt: skip
def test_what_a_class_cannot_have_is_refused_by_name(body, named):
    with pytest.raises(ValueError, match=named):
        body()


def test_parameters_are_checked_by_name_when_the_object_is_made():
    with pytest.raises(ValueError, match="n = 10, allowed: a whole number from 2 to 9"):
        Sample(n=10)


@pytest.mark.parametrize("observed", [np.zeros(3), [1, 2], "many", 1j])
def test_a_row_that_observes_no_number_is_refused_by_its_name(observed):
    def many(self):
        """words"""
        return observed

    kind = made(many=claim("<=", 1, "limit")(many))
    (row,) = rows(kind)
    with pytest.raises(ValueError, match="many: observed = .*, allowed: one number"):
        kind().judge(row)
