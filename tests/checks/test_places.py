"""One digit of a label, one part of a conclusion: each is refused where it stands."""

from pathlib import Path

import pytest
from ledgerbook.chapters import collect
from ledgerbook.chapters.equations import numbers, reasons
from ledgerbook.chapters.statements import statements
from ledgerbook.ledger import places
from ledgerbook.ledger.judgement import labels, rows_of
from ledgerbook.project import storage

LEMMA_5 = Path(__file__).resolve().parents[2] / "checks/scan_snap/lemma_05.py"
CHANGED = [
    ('"(32)"', '"(232)"', r"Lemma05\.softmax: equation = '\(232\)', allowed: .*near: \(32\)"),
    ('"(31)–(33)": ("kernel-lemma-5",),', "", r"Lemma05: parts = .* with '\(31\)–\(33\)'"),
    ('"sentence after (24)"', '"sentence after (42)"', r"move_printed: equation = 'sentence after"),
]


@pytest.mark.parametrize(("old", "new", "said"), CHANGED)
def test_a_slip_in_lemma_5_is_refused_when_the_class_is_made(old, new, said):
    text = LEMMA_5.read_text(encoding="utf-8")
    assert old in text
    with pytest.raises(ValueError, match=said):
        exec(compile(text.replace(old, new), str(LEMMA_5), "exec"), {"__name__": "lemma_05"})


def test_every_part_of_every_conclusion_is_declared():
    assert list(places.drifted(collect.collect())) == []


def test_what_is_declared_is_of_a_statement_and_of_its_paper():
    for tag in storage.table(places.file()):
        assert tag in statements()
        assert places.known(tag).parts is not None
    for row in statements().values():
        paper = reasons().get(row.paper)
        known = range(paper["first"], paper["last"] + 1) if paper else ()
        assert numbers(row.equations) <= {*known}, row.tag


def test_nothing_is_declared_that_no_row_names():
    """Else the list would let a slip pass that looks like what was once there."""
    for row in collect.collect()["statements"]:
        named = {name for one in rows_of(row) for name in labels(one["equation"])}
        assert not {*(places.known(row["tag"]).places or ())} - named, row["tag"]
