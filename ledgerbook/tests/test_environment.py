"""The environment of kernels: quiet, and nobody's own settings in it."""

from ledgerbook.execution import environment
from ledgerbook.project import paths


def test_what_lies_below_home_is_neither_read_nor_written(project, monkeypatch):
    monkeypatch.setenv("MPLCONFIGDIR", "/somebody's")
    found = environment.quiet()
    for name in environment.HOMES:
        assert found[name].startswith(str(paths.HOMES))
    assert found.items() >= environment.QUIET.items()
