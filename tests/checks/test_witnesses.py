"""Each row can fail: a small change is known that turns it red; an edited row is asked again."""

import pytest
from ledgerbook.chapters import registry
from ledgerbook.project import paths
from ledgerbook.rows import sides, witness


@pytest.mark.parametrize("tag", sorted(registry.declared()))
def test_every_row_has_a_witness_or_says_why_it_can_have_none(tag):
    assert witness.trouble(tag) == []


@pytest.mark.parametrize("file", registry.files(), ids=paths.relative)
def test_nothing_is_compared_with_itself(file):
    assert list(sides.alike(file.read_text(encoding="utf-8"))) == []
