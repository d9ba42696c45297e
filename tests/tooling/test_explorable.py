"""The explorable page: its grid is what lib computes, and what is written for readers."""

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from lib.scan_snap.engine.train import train
from lib.scan_snap.sequence_classes import syn_small
from lib.scan_snap.sparsity import distinct_entropy
from tooling import explorable

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "book/scan-snap/explorable.md"
SCRIPT = ROOT / "book/_extra/explorable/explorable.js"


@pytest.fixture(scope="module")
def grid():
    """Numbers as ``compute`` gives them: distributions, one for each state and iteration."""
    return made_up()


def made_up():
    """Without a run: drawn at random."""
    states = [len(values) for _, values in explorable.SLIDERS.values()]
    shape = *states, len(explorable.TIMES)
    return np.random.default_rng(0).dirichlet(np.ones(1 + explorable.DISTINCT), shape)


@pytest.fixture(scope="module")
def files(tmp_path_factory, grid):
    """The folder with the page's files."""
    return explorable.write(tmp_path_factory.mktemp("explorable"), grid)


@pytest.fixture(scope="module")
def values():
    return explorable.compute()


def test_iterations_of_the_grid_lie_evenly_on_a_logarithmic_axis():
    """Each is a tenth power of ten to two digits, and none is left out below ten or twice there."""
    tenths = [int(float(f"{round(10 ** (k / 10)):.2g}")) for k in range(27)]
    assert sorted({0, *explorable.TIMES}) == [*explorable.TIMES]
    assert {*explorable.TIMES} <= {0, *tenths}
    assert all(high <= 1.6 * low for low, high in pairwise(explorable.TIMES[2:]))


def test_rates_and_numbers_of_classes_go_in_steps_of_one_two_and_five_or_double():
    for name, factors in {"eta_y": {2, 2.5}, "eta_z": {2}, "classes": {2, 2.5}}.items():
        values = explorable.SLIDERS[name][1]
        assert {high / low for low, high in pairwise(values)} <= factors, name


def test_two_classes_are_those_of_syn_small():
    """Ten tokens that both share, ten of each one's own, as the page says."""
    own = np.linspace(0.1, 1, 10).sum()
    found, wanted = explorable.classes_of(2, 10 / (10 + own)), syn_small()
    np.testing.assert_allclose(found.conditional, wanted.conditional, rtol=1e-12)
    assert (explorable.COMMON, explorable.DISTINCT) == (10, 10)


def test_the_page_starts_at_syn_small_with_both_layers_at_one_rate():
    start = {name: v[explorable.START[name]] for name, (_, v) in explorable.SLIDERS.items()}
    common = 10 / (10 + np.linspace(0.1, 1, 10).sum())
    nearest = min(explorable.SLIDERS["common"][1], key=lambda share: abs(share - common))
    assert (start["classes"], start["common"]) == (2, nearest)
    assert start["eta_y"] == start["eta_z"] == 1


def test_encoding_is_exact_to_its_promise(grid):
    assert np.abs(explorable.decode(explorable.encode(grid), grid.shape) - grid).max() < 1e-5


def test_files_are_written_anew_where_they_are_wanted(tmp_path, grid, monkeypatch):
    monkeypatch.setattr(explorable, "compute", lambda: grid)
    folder = tmp_path / "not/there"
    for _ in range(2):
        assert explorable.write(folder) == folder
        assert {path.name for path in folder.iterdir()} == {"grid.js", "table.html"}


def test_the_figure_has_a_curve_for_each_token_and_two_names(grid):
    here = grid[tuple(explorable.START.values())]
    (ax,) = explorable._drawing(here).axes
    drawn = [line.get_ydata() for line in ax.lines]
    assert len(drawn) == here.shape[1] and (np.array(drawn).T == here).all()
    assert all(0 < line.get_xdata()[0] < 1 for line in ax.lines)  # 0 has no place on the axis
    common, *distinct = ax.lines  # the ten stand back, the more frequent the less
    assert all(line.get_linewidth() < common.get_linewidth() for line in distinct)
    shades = [line.get_alpha() for line in distinct]
    assert shades == sorted(shades) and len({*shades}) == len(distinct)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "common tokens together",
        "distinct tokens",
    ]


def test_entropy_is_of_the_distinct_tokens_in_every_cell(grid):
    found = explorable.entropy_at(grid)
    assert found.shape == grid.shape[:-1]
    assert found[1, 2, 3, 0, 5] == explorable.entropy_at(grid[1, 2, 3, 0, 5])


def test_weight(files):
    scripts = [file for file in files.iterdir() if file.suffix == ".js"]
    assert len(scripts) == 1 and sum(file.stat().st_size for file in [*scripts, SCRIPT]) < 300_000


def test_table_for_readers_without_script(files, grid):
    text = (files / "table.html").read_text()
    assert text.count("<tr>") == 1 + len(explorable.TIMES) and 'alt="' in text
    last = grid[tuple(explorable.START.values())][-1]
    assert f"<td>400</td><td>{last[0]:.1%}</td>" in text
    first, *rows = text.split("<tr>")[1:]
    assert first.count("</th>") == 1 + len(last) == rows[0].count("</td>")
    assert re.search(r"<noscript>.*table\.html", PAGE.read_text(), re.DOTALL)


def test_grid_is_training_without_sampling(values):
    """One cell computed again, alone, through the whole library."""
    classes = explorable.classes_of(5, 0.3)
    run = train(
        classes,
        10.0,
        0.5,
        steps=100,
        keep=(16, 100),
        T=float("inf"),
        batch_size=float("inf"),
    )
    cell = values[4, 1, 1, 1]
    for k, t in enumerate((16, 100)):
        c, got = run.attention[0, 0, k, 0], cell[explorable.TIMES.index(t)]
        np.testing.assert_allclose(
            got, [c[classes.common_tokens].sum(), *c[classes.distinct_tokens(0)]], atol=1e-12
        )
    assert explorable.entropy_at(cell)[-4] == pytest.approx(
        distinct_entropy(run.attention, classes)[0, 0, -1],
        abs=1e-6,  # float32: classes are nearly alike
    )


def test_grid_starts_at_the_probabilities_and_stays_a_distribution(values):
    np.testing.assert_allclose(values.sum(-1), 1, atol=1e-12)
    for i, share in enumerate(explorable.SLIDERS["common"][1]):
        np.testing.assert_allclose(values[:, :, i, :, 0, 0], share, atol=1e-12)


def test_a_faster_decoder_freezes_attention_from_the_start_setting_but_not_everywhere(values):
    flat = explorable.entropy_at(values)[..., -1]  # (eta_y, eta_z, common, classes)
    _, *start = explorable.START.values()
    assert (np.diff(flat[(slice(None), *start)]) > 0).all()
    assert (np.diff(flat[:, 4, 3, 2]) < 0).all()  # eta_Z = 4, share 0.8, K = 10
