"""Tables of the experiments on real text: written with provenance, and read."""

import json
import platform
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy import stats

from lib.arrays import Array, ArrayLike
from lib.real_text.corpus import Corpus
from lib.validation import require

DATA = Path(__file__).resolve().parents[2] / "book" / "data"  # read here, written by the tooling


def at(
    runs: list[dict[str, Any]], cell: str, iteration: int, name: str, where: str = "records"
) -> Array:
    """One number of a cell at one iteration, (seeds,); ``where`` is ``records`` or ``gaps``."""
    return np.array(
        [
            row[name]
            for run in runs
            if run["cell"] == cell
            for row in run[where]
            if row["iteration"] == iteration and name in row
        ]
    )


def mean_limits(values: ArrayLike, level: float = 0.95) -> tuple[float, float, float]:
    """Mean of independent runs with Student's interval: ``(mean, low, high)``; needs two runs."""
    values = np.asarray(values, dtype=float)
    require(len(values) >= 2, "runs", len(values), "at least 2")
    low, high = stats.ttest_1samp(values, 0).confidence_interval(level)
    return float(values.mean()), float(low), float(high)


def series(runs: list[dict[str, Any]], cell: str, name: str) -> Array:
    """(seeds, checkpoints) array of one number along the runs of one cell that did not diverge."""
    rows = [
        run["records"]
        for run in runs
        if run["cell"] == cell and not run["records"][-1].get("diverged")
    ]
    return np.array([[record.get(name, np.nan) for record in records] for records in rows])


def provenance(corpus: Corpus, command: str, **settings: Any) -> dict[str, Any]:
    """On what, with what, when, and by which command a stored table was made."""
    return {
        "corpus": corpus.summary(),
        "command": command,
        "made": time.strftime("%Y-%m-%d", time.gmtime()),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
    } | settings


def stored(file: str) -> dict[str, Any]:
    """A table that is stored in ``book/data``.

    file: its name, such as "figure_07.json".

    Returns its content, a dictionary with the key "provenance" among others.
    Raises ``ValueError`` if there is no such file.
    """
    path = DATA / file
    require(
        path.is_file(),
        "table",
        file,
        f"a file of book/data, such as make sweep GRID=book/grids/{Path(file).stem}.toml makes",
    )
    return json.loads(path.read_text(encoding="utf-8"))


def made_with(table: dict[str, Any]) -> str:
    """Where a stored table comes from, without its date: text, width, versions, command.

    table: as ``stored`` returns it.  Returns one line of text.
    """
    origin = table["provenance"]
    return (
        f"{origin['corpus']}; width {origin['width']}; Python {origin['python']}, torch"
        f" {origin['torch']}; {origin['command']}"
    )


def json_bytes(value: Any) -> bytes:
    """JSON without blanks, keys in order: equal values are equal bytes."""
    return json.dumps(value, indent=None, separators=(",", ":"), sort_keys=True).encode()


def rounded(value: Any, digits: int = 6) -> Any:
    """A nested record with ``digits`` significant digits; arrays are lists of three decimals."""
    if isinstance(value, dict):
        return {str(key): rounded(item, digits) for key, item in value.items()}
    if isinstance(value, list):
        return [rounded(item, digits) for item in value]
    if isinstance(value, np.ndarray):
        return np.round(value, 3).tolist()
    return float(f"{value:.{digits}g}") if isinstance(value, float) else value


def falling_trend(values: ArrayLike) -> float:
    """p-value of Page's test that values (seeds, conditions) fall along the second axis."""
    values = np.asarray(values, dtype=float)
    require(
        values.ndim == 2 and len(values) >= 2 and values.shape[1] >= 3,
        "values.shape",
        values.shape,
        "(seeds >= 2, conditions >= 3)",
    )
    return float(stats.page_trend_test(-values).pvalue)


def entropy_at_loss(loss: ArrayLike, entropy: Sequence[float] | Array, level: float) -> float:
    """Entropy when the best loss so far first reaches ``level``, linear between two checkpoints.

    loss, entropy: (checkpoints,); ``level`` must be reached.
    """
    best = np.minimum.accumulate(np.asarray(loss, dtype=float))
    require(best[-1] <= level, "level", level, f"at least {best[-1]:g}, the lowest loss of the run")
    after = int(np.argmax(best <= level))
    if after == 0:
        return float(entropy[after])
    part = (best[after - 1] - level) / (best[after - 1] - best[after])
    return float((1 - part) * entropy[after - 1] + part * entropy[after])
