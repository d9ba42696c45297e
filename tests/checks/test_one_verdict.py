"""No page says two things of one formula."""

import re

import pytest
from ledgerbook.chapters import registry
from ledgerbook.ledger import checks, coq_record
from ledgerbook.ledger.judgement import labels

CLASSES = registry.classes()


def told(tag):
    """The formulas that a page says to hold as printed, not to, and to hold as corrected.

    A formula is a number or a place of the paper, with the half that is meant where one is named.
    """
    verdicts = {row["name"]: row["verdict"] for row in coq_record.theorems(tag)}
    announced, answers = checks.announced(CLASSES[tag]), answering(CLASSES[tag])
    holds, fails, mended = set(), set(), set()
    for row in checks.rows(CLASSES[tag]):
        if row.role in checks.SHOWN:
            about = {*labels(row.details.get("equation"))}
            refuted = verdicts.get(row.name) == "refuted-as-printed"
            if row.id in announced or (row.role == checks.KERNEL and refuted):
                fails |= about
            elif row.details.get("as_printed"):
                holds |= about
            elif row.id in answers or verdicts.get(row.name) == "holds-as-corrected":
                mended |= about
    for theorem in coq_record.theorems(tag):  # those without a row stand on the page, too
        about = re.match(r"equation_(\d+)", theorem["name"])
        if about and theorem["name"] not in CLASSES[tag].kernel_theorems:
            refuted = theorem["verdict"] == "refuted-as-printed"
            if refuted or theorem["verdict"] == "holds-as-printed":
                (fails if refuted else holds).add(f"({about[1]})")
    return holds, fails, mended


def answering(kind):
    """Ids of the rows that hold instead of what fails as printed."""
    slips = {row.details["holds"] for row in checks.rows(kind) if row.role == "erratum"}
    return slips | {one.holds for one in kind.consequences}


def whole(formula):
    """The formula without the half that is meant; a proof or a caption is no half."""
    return formula.partition(", ")[0] if formula[0] == "(" else formula


@pytest.mark.parametrize("tag", CLASSES)
def test_one_formula_has_one_verdict_on_a_page(tag):
    holds, fails, mended = told(tag)
    both = holds & (fails | mended)
    both |= {one for one in fails if whole(one) in holds} | {
        one for one in holds if whole(one) in fails
    }
    assert not both, f"{tag}: holds as printed, and fails or is corrected: {sorted(both)}"


@pytest.mark.parametrize("tag", CLASSES)
def test_a_theorem_is_as_printed_only_if_its_proof_says_so(tag):
    verdicts = {row["name"]: row["verdict"] for row in coq_record.theorems(tag)}
    told_so = {n for n, d in CLASSES[tag].kernel_theorems.items() if d.get("as_printed")}
    assert {name: verdicts[name] for name in told_so} == dict.fromkeys(told_so, "holds-as-printed")
