"""The graph of a text as a TOML file: which text, how many types, windows of which lengths.

Chapter: ``book/bridge/text_graph.ipynb``.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from lib.bridge.text_laws import measured, presence, shuffled
from lib.real_text.corpus import Corpus, load
from lib.real_text.tables import json_bytes, provenance, rounded
from lib.sweeps.store import Result, Run
from lib.sweeps.toml import naming, read_tables
from lib.validation import require, require_integer, require_seed


@dataclass(frozen=True)
class GraphGrid:
    """Which text, and which windows.

    corpus, vocab_size: as for ``lib.real_text.corpus.load``.  tokens: of the training part, from
    its beginning, and a quarter as many of each held-out part; all when 0.  lengths: of the windows
    whose graphs are measured, on the text and on its shuffled copy.  seen: lengths for which only
    the label's presence is counted.
    """

    corpus: str = "wikitext"
    vocab_size: int = 4000
    tokens: int = 0
    lengths: tuple = (32,)
    seen: tuple = (8, 16, 32, 64)
    steps: int = 300
    seed: int = 0

    def __post_init__(self) -> None:
        require_integer("vocab_size", self.vocab_size, 10)
        require_integer("tokens", self.tokens, 0)
        require_integer("steps", self.steps, 1)
        require_seed("seed", self.seed)
        for name in ("lengths", "seen"):
            values = getattr(self, name)
            listed = isinstance(values, (list, tuple)) and len(values) > 0
            require(listed, name, values, "a list of lengths")
            for length in values:
                require_integer(name, length, 2)

    @cached_property
    def text(self) -> Corpus:
        """The ``Corpus``, read once."""
        text = load(self.corpus, self.vocab_size)
        if not self.tokens:
            return text
        sizes = {"train": self.tokens, "valid": self.tokens // 4, "test": self.tokens // 4}
        return replace(text, **{part: getattr(text, part)[:n] for part, n in sizes.items()})

    def record(self) -> dict[str, Any]:
        """The grid as plain data, with the text's fingerprint."""
        return asdict(self) | {"sha256": self.text.sha256}

    def runs(self) -> list[Run]:
        """A ``Run`` for the label's presence, then for each length one for text and for copy."""
        common = {"text": self.text.sha256, "vocab_size": self.vocab_size, "seed": self.seed}
        common |= {"tokens": self.tokens}
        rows = [Run("presence", common | {"lengths": list(self.seen)})]
        for length in self.lengths:
            for order in ("text", "shuffled"):
                wanted = common | {"lengths": [length], "steps": self.steps, "order": order}
                rows.append(Run(f"length {length}, {order}", wanted))
        return rows

    def work(self, folder: Path) -> Callable[[Run], Result]:
        """A function of a ``Run`` to its ``Result``; nothing is kept of an unfinished one."""
        return partial(run_graph, self.text)

    def table(self, read: Callable[[Run], Result], command: str) -> tuple[str, bytes]:
        """``results.json``: ``presence``, ``text`` and ``shuffled`` by length, ``provenance``."""
        first, *rest = (read(run).record for run in self.runs())
        origin = provenance(self.text, command, vocab_size=self.text.vocab_size)
        table = {"presence": first, "text": rest[::2], "shuffled": rest[1::2]}
        return "results.json", json_bytes(table | {"provenance": origin})


def run_graph(corpus: Corpus, run: Run) -> Result:
    """Carry out one ``Run`` of a ``GraphGrid``."""
    wanted = run.settings
    seed, lengths = wanted["seed"], wanted["lengths"]
    if "steps" not in wanted:
        rng = np.random.default_rng(seed)
        found = {str(length): presence(corpus, length, rng) for length in lengths}
    elif wanted["order"] == "text":
        found = measured(corpus, lengths[0], seed, steps=wanted["steps"])
    else:
        found = measured(shuffled(corpus, seed), lengths[0], seed, (), wanted["steps"])
    return Result(rounded(found), {})


def is_graph_grid(path: str | Path) -> bool:
    """Whether a TOML file describes graphs of a text: it has a table ``[graph]``."""
    return "graph" in read_tables(path)


def read_graph_grid(path: str | Path) -> GraphGrid:
    """Read a ``GraphGrid``; raises ``ValueError`` that names the file and what is wrong with it."""
    tables = read_tables(path)
    with naming(path):
        known = set(GraphGrid.__dataclass_fields__)
        require(set(tables) == {"graph"}, "tables", sorted(tables), "[graph] alone")
        require(set(tables["graph"]) <= known, "[graph]", sorted(tables["graph"]), sorted(known))
        return GraphGrid(**tables["graph"])
