"""The runs under other conditions that are stored, and the conditions as they are now."""

from ledgerbook.conditions import conditions

from ledgerbook import invariance


def test_what_is_stored_was_run_under_the_conditions_that_are_named_so_now():
    """A condition that changes under its name would be taken for one that was asked."""
    stored = {name: entry["words"] for name, entry in invariance.load().items()}
    known = {name: one.words for name, one in conditions().items()}
    both = stored.keys() & known.keys()
    assert both and {name: stored[name] for name in both} == {name: known[name] for name in both}
