"""The published table is whole, and a panel is what the sweep gives."""

import csv
import io
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from lib.scan_snap.published import (
    ETA_Z,
    FIGURE_4_LOSS,
    FIGURE_6,
    QUERIES,
    RATIOS,
    SEEDS,
    THRESHOLDS,
    figure_6,
    figure_6_sweep,
    recall_drop,
    recall_panel,
)
from lib.scan_snap.rate_grid import read_rate_grid
from lib.scan_snap.sequence_classes import syn_medium
from lib.scan_snap.sparsity import recall, row_attention

GRID = Path(__file__).resolve().parents[2] / "book/grids/figure_06.toml"


def test_published_table_is_whole_and_in_the_sweep_s_order():
    table = figure_6()
    assert set(table) == set(QUERIES) and all(part.shape == (4, 4) for part in table[5])
    assert table[1][0][0, 0] == 1.971 and table[3][1][3, 3] == 0.100 and table[1][0][3, 0] == 1.551
    assert (
        table[5][0][0, 0] == 2.026 and table[10][1][3, 3] == 0.023 and table[10][0][1, 2] == 1.976
    )
    run = figure_6_sweep(1, (0,), steps=1)
    assert run.eta_z.reshape(4, 4)[:, 0].tolist() == list(ETA_Z)
    assert (run.eta_y / run.eta_z).reshape(4, 4)[2].tolist() == list(RATIOS)
    assert set(THRESHOLDS) == set(QUERIES)


def test_no_digit_was_lost_since_the_logs_were_copied():
    """Sums of what was read off them, to the last digit that they print."""
    rows = csv.reader(io.StringIO(FIGURE_6))
    assert next(rows)[-1] == "std" and len(FIGURE_4_LOSS) == 50
    assert round(sum(float(cell) for row in rows for cell in row), 3) == 821.152
    assert round(sum(FIGURE_4_LOSS), 8) == 6.85446989


def test_the_sweep_is_the_grid_of_the_authors_log_and_of_the_example():
    logged = [
        tuple(float(row[name]) for name in ("queries", "eta_z", "ratio"))
        for row in csv.DictReader(io.StringIO(FIGURE_6))
    ]
    assert logged == list(product(QUERIES, ETA_Z, RATIOS))
    grid = read_rate_grid(GRID)
    example = grid.queries, grid.eta_z, grid.ratio, grid.seeds
    assert example == (list(QUERIES), list(ETA_Z), list(RATIOS), SEEDS)
    assert figure_6_sweep(1, (0,)).loss.shape[-1] == grid.run["steps"]


@pytest.mark.parametrize("queries", QUERIES)
def test_published_thresholds_begin_just_below_the_share_of_one_token_and_end_above(queries):
    low, high = np.multiply(THRESHOLDS[queries], syn_medium(queries).vocab_size)
    assert 0.9 < low < 1 < 1.1 < high < 1.35


def test_recall_panel_is_recall_of_the_sweep():
    panel = recall_panel(1, range(2), points=5, steps=3)
    run = figure_6_sweep(1, range(2), steps=3)
    rows = row_attention(run.z[:, :, -1], run.layout.classes, run.layout.query_row)
    wanted = recall(rows, run.layout.classes, panel.thresholds).reshape(2, 4, 4, 5)
    np.testing.assert_array_equal(panel.recall, wanted)
    np.testing.assert_array_equal(recall_drop(wanted), wanted[..., 0] - wanted[..., -1])
    each = [stats.entropy(row) for row in rows.reshape(-1, rows.shape[-1])]  # row by row
    np.testing.assert_allclose(panel.row_entropy, np.reshape(each, (2, 4, 4, 2)).mean(axis=-1))
    assert panel.thresholds[0] == 0.028 and panel.thresholds[-1] == 0.038
