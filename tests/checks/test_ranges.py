"""The ranges of all parameters: what is claimed can be computed, and can be changed."""

import pytest
from ledgerbook.chapters import registry
from ledgerbook.ledger import fields

KINDS = registry.classes()


@pytest.mark.parametrize("tag", KINDS)
def test_the_ends_of_what_is_claimed_are_computed(tag):
    kind = KINDS[tag]
    assert fields.beyond(kind()) == []  # the defaults lie within
    for largest in (False, True):
        made = kind(**fields.extremes(kind, largest))
        assert fields.beyond(made) == []


@pytest.mark.parametrize("tag", KINDS)
def test_half_and_twice_a_default_are_computed_or_refused_in_one_line_by_name(tag):
    kind = KINDS[tag]
    for name, value in fields.defaults(kind).items():
        if name == "seed" or isinstance(value, str):
            continue
        for other in (value // 2 if isinstance(value, int) else value / 2, 2 * value):
            try:
                kind(**{name: other})
            except ValueError as error:
                said = str(error)
                assert said.count("\n") == 0 and "allowed: " in said
                low, _, high = said.rpartition("from ")[2].partition(":")[0].partition(" to ")
                assert not high or low != high, said
