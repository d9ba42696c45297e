"""The environment of kernels: quiet, and with folders of ours where HOME cannot be written."""

from ledgerbook.execution import environment
from ledgerbook.project import paths


def usual():
    """What is set wherever the home can be written."""
    return environment.QUIET | {"PYTHONPATH": environment.quiet()["PYTHONPATH"]}


def test_a_home_that_can_be_written_is_used(project, tmp_path, monkeypatch):
    for name in environment.HOMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert environment.quiet() == usual()


def test_a_home_that_cannot_be_written_is_replaced(project, tmp_path, monkeypatch):
    for name in environment.HOMES:
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "home").write_text("a file: no folder can be made in it", encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    found = environment.quiet()
    assert environment.quiet() == found
    assert set(found) - set(usual()) == set(environment.HOMES)
    assert all(found[name].startswith(str(paths.HOMES)) for name in environment.HOMES)
