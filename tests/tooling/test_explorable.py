"""The explorable page: its grid is what lib computes, and what is written for readers."""

import re
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
