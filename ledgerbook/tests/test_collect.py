"""What statements inherit from those that they use."""

import networkx as nx
import pytest

from ledgerbook import collect


@pytest.mark.parametrize(
    ("below", "middle", "inherited"),
    [("measured", "proved", "measured"), (None, "proved", "proved"), (None, None, "proved")],
)
def test_the_weakest_below_counts_and_what_was_not_checked_does_not(
    below, middle, inherited, monkeypatch
):
    graph = nx.DiGraph([("below", "middle"), ("middle", "top")])
    graph.add_edge("top", "unheeded")
    monkeypatch.setattr(collect, "dependencies", lambda: graph)
    strengths = {"below": below, "middle": middle, "top": "proved", "unheeded": "measured"}
    rows = [{"tag": tag, "strength": strength} for tag, strength in strengths.items()]
    collect._inherit(rows)
    assert rows[2]["inherited_strength"] == inherited
