"""A build of pages that failed is made again."""

import pytest
from ledgerbook.project import paths
from ledgerbook.site import sphinx_build, sphinx_project


@pytest.fixture
def sphinx_runs(tmp_path, monkeypatch):
    """How often Sphinx ran, with nothing else done by a build; the hash of its inputs is "one"."""
    ran = []
    for name in ("STAMP", "INDEX", "TOC"):
        monkeypatch.setattr(paths, name, tmp_path / name)
        (tmp_path / name).touch()
    monkeypatch.setattr(sphinx_build.collect, "collect", dict)
    monkeypatch.setattr(sphinx_build.collect, "write", lambda ledger: None)
    for name in ("write_extra", "write_conf", "write_index"):
        monkeypatch.setattr(sphinx_project, name, lambda: None)
    monkeypatch.setattr(sphinx_project, "sphinx", lambda: ran.append("once"))
    monkeypatch.setattr(sphinx_build, "inputs", lambda: "one")
    return ran


def test_a_build_that_failed_is_made_again(sphinx_runs, monkeypatch):
    assert sphinx_build.build()
    monkeypatch.setattr(sphinx_build, "inputs", lambda: "another")
    with monkeypatch.context() as patch:
        patch.setattr(sphinx_project, "sphinx", lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            sphinx_build.build()
    monkeypatch.setattr(sphinx_build, "inputs", lambda: "one")
    assert sphinx_build.build()
