"""Each benchmark runs, in its smallest form: what it measures is for ``make bench`` to say."""

import importlib
import pkgutil

import pytest

import benchmarks
from benchmarks import engine, mechanics, small_sums, text

NAMES = [one.name for one in pkgutil.iter_modules(benchmarks.__path__) if one.name != "__main__"]


@pytest.mark.parametrize("name", NAMES)
def test_it_can_be_imported_and_has_a_main(name):
    assert callable(importlib.import_module(f"benchmarks.{name}").main)


def test_sums_beside_scipy_s(capsys):
    small_sums.main(times=1)
    assert "log_sum_exp" in capsys.readouterr().out


def test_trials_beside_the_obvious_ones(capsys, monkeypatch):
    monkeypatch.setattr(mechanics, "STEPS", 20)
    mechanics.main(compared=1, calm=10)
    assert "10 trials x 20 steps" in capsys.readouterr().out


def test_a_sweep_beside_the_obvious_one(capsys, monkeypatch):
    for name, value in {"STEPS": 2, "SEEDS": 1, "slopes": dict, "QUERIES": (1,)}.items():
        monkeypatch.setattr(engine, name, value)
    engine.main()
    assert "compiled" in capsys.readouterr().out


def test_a_step_on_text_beside_pytorch_s_own(capsys):
    text.main(["--vocab-size", "60", "--width", "8", "--steps", "1"])
    assert "plain PyTorch" in capsys.readouterr().out
