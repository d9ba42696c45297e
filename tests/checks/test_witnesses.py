"""Each row can fail: a small change is known that turns it red; an edited row is asked again."""

import pytest
from ledgerbook.chapters import registry
from ledgerbook.project import paths
from ledgerbook.rows import sides, witness

# Rows without a witness so far: the search has not come to them, or found none.  A row that is
# not on this list has one; `make witness ONLY=tag` looks for more, and the list may only shrink.
LACKING = (paths.ROOT / "checks" / "without_witness.txt").read_text(encoding="utf-8").split()


@pytest.mark.parametrize("tag", sorted(registry.declared()))
def test_a_witness_turns_its_row_red_and_a_new_row_has_one(tag):
    assert witness.trouble(tag) == []
    assert set(witness.lacking(tag)) <= set(LACKING)


def test_the_list_of_rows_without_a_witness_shrinks():
    every = {id for tag in registry.declared() for id in witness.lacking(tag)}
    assert set(LACKING) <= every, (
        "these have a witness now: take them off checks/without_witness.txt"
    )


@pytest.mark.parametrize("file", registry.files(), ids=paths.relative)
def test_nothing_is_compared_with_itself(file):
    assert list(sides.alike(file.read_text(encoding="utf-8"))) == []
