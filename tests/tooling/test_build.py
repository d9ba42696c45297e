"""The page build on a book of one page: whole processes, the same bytes, nothing left running."""

import shutil

import pytest
from ledgerbook.project import markup, paths
from ledgerbook.site import configuration, sphinx_build, sphinx_project

CONFIGURED = ("_config.yml", "book/_static", "book/_extra", "book/references.bib")


@pytest.fixture(autouse=True)
def no_statuses(tmp_path, monkeypatch):
    """No book was run here."""
    monkeypatch.setattr(paths, "STATUSES", tmp_path / "statuses.json")
    paths.STATUSES.write_text("{}", encoding="utf-8")


def test_an_edited_style_makes_another_site(tmp_path, monkeypatch):
    """Sphinx copies a style only when it writes pages, so the configuration has to tell of its
    change.
    """
    shutil.copytree(paths.BOOK / "_extra", tmp_path / "_extra")
    shutil.copytree(configuration.STATIC, tmp_path / "_static")
    monkeypatch.setattr(paths, "BOOK", tmp_path)
    monkeypatch.setattr(paths, "SPHINX", tmp_path / "sphinx")
    written = []
    for addition in ("", "", "p { color: red }"):
        style = tmp_path / "_static/book.css"
        style.write_text(style.read_text() + addition)
        sphinx_project.write_conf()
        written.append((tmp_path / "sphinx/conf.py").read_text())
    assert written[0] == written[1] != written[2]


def test_new_data_make_another_site(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "EXTRA", tmp_path / "extra")
    monkeypatch.setattr(paths, "SPHINX", tmp_path / "sphinx")
    monkeypatch.setattr(sphinx_project.configuration, "sphinx", lambda: dict(folders))
    folders = {"html_extra_path": [str(tmp_path / "extra")], "html_static_path": []}
    written = []
    for name, text in (("a.json", "1"), ("a.json", "1"), ("a.json", "2")):
        file = tmp_path / "extra/_data" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        sphinx_project.write_conf()
        written.append((tmp_path / "sphinx/conf.py").read_text())
    assert written[0] == written[1] != written[2]


def test_the_start_page_is_a_page():
    text = markup.render("index.html.jinja", title="A <b> title", target="book/intro.html")
    assert "A &lt;b&gt; title" in text and 'url=book/intro.html"' in text


@pytest.fixture
def computing(tmp_path, monkeypatch):
    """A package that can compute a part of the site, its folder."""
    for name in ("ROOT", "EXTRA", "BUILD"):
        monkeypatch.setattr(paths, name, tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    package = tmp_path / "computes_a_part"
    package.mkdir()
    (package / "__init__.py").write_text(
        "def write(folder):\n    with open(folder / 'calls', 'a') as calls:\n"
        "        print('called', file=calls)\n"
    )
    (tmp_path / "part").mkdir()
    return package


def test_a_package_computes_its_part_again_when_one_of_its_files_changed(computing, tmp_path):
    asked = []
    for text in ("one = 1\n", "one = 1\n", "one = 2\n"):
        (computing / "formulas.py").write_text(text)
        sphinx_project.write_computed("part", "computes_a_part")
        asked.append((tmp_path / "part/calls").read_text().split())
    assert asked == [["called"], ["called"], ["called", "called"]]


def test_a_part_that_cannot_be_computed_is_an_error_and_asked_again(computing, tmp_path, capfd):
    (computing / "__init__.py").write_text("def write(folder):\n    1 / 0\n")
    for _ in range(2):
        with pytest.raises(sphinx_build.BuildError, match="computes_a_part did not write part"):
            sphinx_project.write_computed("part", "computes_a_part")
        assert "ZeroDivisionError" in capfd.readouterr().err
    assert not (tmp_path / "part.stamp").exists()


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


def test_a_site_is_built_when_its_inputs_changed_or_it_is_forced(sphinx_runs, monkeypatch):
    assert [sphinx_build.build(), sphinx_build.build(), sphinx_build.build(force=True)] == [
        True,
        False,
        True,
    ]
    monkeypatch.setattr(sphinx_build, "inputs", lambda: "another")
    assert [sphinx_build.build(), sphinx_build.build()] == [True, False]
    paths.INDEX.unlink()
    assert sphinx_build.build() and len(sphinx_runs) == 4


def test_a_build_that_failed_is_made_again(sphinx_runs, monkeypatch):
    assert sphinx_build.build()
    monkeypatch.setattr(sphinx_build, "inputs", lambda: "another")
    with monkeypatch.context() as patch:
        patch.setattr(sphinx_project, "sphinx", lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            sphinx_build.build()
    monkeypatch.setattr(sphinx_build, "inputs", lambda: "one")
    assert sphinx_build.build()
