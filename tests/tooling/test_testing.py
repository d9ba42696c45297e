"""One summary for all runners: failures first and once, skips by reason, then the counts."""

import pytest

from tooling import testing

GREEN = "def test_one():\n    pass\n"
MIXED = """import pytest


def test_red():
    assert 1 == 2, "one is not two"


@pytest.mark.parametrize("n", range(3))
def test_not_here(n):
    pytest.skip("no such thing here")
"""


@pytest.fixture
def runners(tmp_path, monkeypatch):
    """The function that puts runners in the place of ours: small files of tests, or code."""
    monkeypatch.setattr(testing, "OUT", tmp_path / "out")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # nothing of them is asked here

    def made(**files):
        found = {}
        for name, text in files.items():
            (tmp_path / f"test_{name}.py").write_text(text)
            words = ("-m", "pytest", "-p", "no:cacheprovider", f"test_{name}.py")
            words = words if "def test" in text else ("-c", text)
            found[name] = testing.Runner(name, words, tmp_path)
        monkeypatch.setattr(testing, "RUNNERS", found)
        monkeypatch.setattr(testing, "TOGETHER", (tuple(found),))
        return list(testing.summary(testing.run(list(found))))

    return made


def test_failures_come_first_then_skips_by_reason_then_counts(runners):
    first, *rest = runners(one=GREEN, two=MIXED)
    assert first.startswith("FAILED two: test_two::test_red\n") and "one is not two" in first
    assert rest == ["skipped 3: no such thing here", "1 passed, 1 failed, 3 skipped"]


def test_a_runner_that_leaves_no_results_is_one_failure_and_the_next_one_runs(runners):
    said = runners(one="import sys; sys.exit('types: line 3 is wrong')", two=GREEN)
    assert said == ["FAILED one: one\n  types: line 3 is wrong", "1 passed, 1 failed"]


def test_an_unknown_runner_is_refused_by_name():
    with pytest.raises(ValueError, match="test = 'unit', allowed: one of types, units, package"):
        testing.main(["unit"])
