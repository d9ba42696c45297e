"""What Sphinx makes the site from: which call, which configuration, what is computed again."""

from types import SimpleNamespace

import pytest
from ledgerbook.project import paths
from ledgerbook.site import configuration, sphinx_project


@pytest.fixture
def calls(project, monkeypatch):
    """The processes that would be started, each with how it ends; a site of this test's own."""
    made = SimpleNamespace(commands=[], status=0)

    def run(command, **_):
        made.commands.append(command)
        return made.status

    for name in ("ROOT", "HTML", "EXTRA", "SPHINX", "DOCTREES"):
        monkeypatch.setattr(paths, name, project / name.lower() if name != "ROOT" else project)
    monkeypatch.setattr(sphinx_project.parent_watch, "run", run)
    return made


@pytest.fixture
def module(calls, project, monkeypatch):
    """A module of a companion that writes a folder of the site."""
    (project / "tool.py").write_text("x = 1\n")
    (project / "templates").mkdir()
    (project / "templates" / "drawn.html").write_text("a")
    monkeypatch.setattr(sphinx_project, "maker", lambda name: project)
    paths.BUILD.mkdir(parents=True, exist_ok=True)

    def write():
        before = len(calls.commands)
        sphinx_project.write_computed("drawn", "tool")
        (paths.EXTRA / "drawn").mkdir(parents=True, exist_ok=True)
        return len(calls.commands) - before

    return write


def test_a_computed_folder_is_written_again_when_its_code_or_template_changes(module, project):
    assert [module(), module()] == [1, 0]
    (project / "tool.py").write_text("x = 2\n")
    assert [module(), module()] == [1, 0]
    (project / "templates" / "drawn.html").write_text("b")
    assert [module(), module()] == [1, 0]
    (paths.EXTRA / "drawn").rmdir()
    assert [module(), module()] == [1, 0]
    (paths.BUILD / "drawn.stamp").unlink()
    assert [module(), module()] == [1, 0]


def test_the_licence_and_the_schema_stand_beside_the_ledger(calls, project, monkeypatch):
    monkeypatch.setattr(sphinx_project.collect, "load", lambda: {"statements": []})
    monkeypatch.setattr(sphinx_project.downloads, "table", lambda ledger: "id\n")
    monkeypatch.setattr(sphinx_project.downloads, "write", lambda folder, ledger: None)
    sphinx_project.write_data(project / "one" / "_data")
    sphinx_project.write_data(project / "one" / "_data")
    names = {file.name for file in (project / "one" / "_data").iterdir()}
    assert names == {"ledger.json", "ledger.schema.json", "claims.csv"}
    (project / "LICENSE").write_text("free")
    sphinx_project.write_data(project / "one" / "_data")
    assert (project / "one" / "_data" / "LICENSE.txt").read_text() == "free"


@pytest.fixture
def configured(calls, project, monkeypatch):
    """The function that writes the configuration, and reads it."""
    styles, extra = project / "styles", paths.EXTRA
    extra.mkdir(parents=True)
    styles.mkdir()
    paths.SPHINX.mkdir()
    paths.STATUSES.parent.mkdir(parents=True, exist_ok=True)
    paths.STATUSES.write_text("{}")
    (styles / "a.css").write_text("a")
    settings = {"html_extra_path": [str(extra)], "html_static_path": [str(styles)]}
    monkeypatch.setattr(configuration, "sphinx", lambda: settings | {"html_context": {"own": 1}})

    def conf():
        sphinx_project.write_conf()
        found = {}
        exec((paths.SPHINX / "conf.py").read_text(), found)
        return found

    return conf


def test_a_changed_style_or_status_is_a_changed_configuration(configured, project):
    first = configured()
    assert first["html_context"]["own"] == 1 and first == configured()
    (project / "styles" / "a.css").write_text("b")
    second = configured()
    assert second["html_context"] != first["html_context"]
    paths.STATUSES.write_text('{"a": "b"}')
    assert configured()["html_context"] != second["html_context"]
    assert second["made_by"] == first["made_by"]
