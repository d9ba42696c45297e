"""Each benchmark runs, in its smallest form: what it measures is for ``make bench`` to say."""

import pytest

from benchmarks import __main__ as bench
from benchmarks import engine, mechanics, small_sums, startup, text


def test_an_unknown_benchmark_is_told_the_known_ones():
    with pytest.raises(SystemExit, match=r"^error: benchmark = ';', allowed: one of engine, mech"):
        bench.main(["text", ";"])


def test_sums_beside_scipy_s(capsys):
    small_sums.main(times=1)
    assert "log_sum_exp" in capsys.readouterr().out


def test_trials_beside_the_obvious_ones(capsys, monkeypatch):
    monkeypatch.setattr(mechanics, "STEPS", 20)
    mechanics.main(compared=1, calm=10)
    assert "10 trials x 20 steps" in capsys.readouterr().out


def test_a_sweep_beside_the_obvious_one(capsys, monkeypatch):
    for name, value in {"STEPS": 2, "SEEDS": 1, "QUERIES": (1,)}.items():
        monkeypatch.setattr(engine, name, value)
    engine.main()
    assert "compiled" in capsys.readouterr().out


def test_a_step_on_text_beside_pytorch_s_own(capsys):
    text.main(vocab_size=60, width=8, steps=1)
    said = capsys.readouterr().out
    assert "plain PyTorch" in said and "figure_10.toml: output = " in said


def test_a_forked_kernel_beside_an_ordinary_one():
    """It takes a minute: here it can be imported."""
    assert callable(startup.main)
