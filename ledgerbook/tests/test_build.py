"""What the site is made from: when it is built again, and when it is not."""

from dataclasses import replace

import pytest
from ledgerbook.project import paths, settings
from ledgerbook.site import sphinx_build, sphinx_project


@pytest.fixture
def book(tmp_path, monkeypatch):
    """A project with a page, a package and a module that computes a part of the site."""
    for name in ("BOOK", "CONFIG", "TOC", "LEDGER", "RUNS", "ROOT"):
        below = getattr(paths, name).relative_to(paths.ROOT)
        monkeypatch.setattr(paths, name, tmp_path / below)
    monkeypatch.setattr(paths, "IMPORTS", {"power": tmp_path})
    extra = {"part": {"module": "made.by.it", "page": "page.md"}}
    changed = replace(settings.settings(), extra=extra)
    monkeypatch.setattr(settings, "settings", lambda: changed)
    monkeypatch.setattr(sphinx_build, "__file__", str(tmp_path / "ours/site/build.py"))
    for file in ("book/a/page.md", "power/code.py", "made/by/it.py", "ours/site/build.py"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(file, encoding="utf-8")
    return tmp_path


OF_IT = ["book/a/page.md", "power/code.py", "made/by/it.py", "made/by/beside.py"]
OF_IT += ["ours/site/build.py", "ours/templates/page.html"]
OF_IT += ["pyproject.toml", "_config.yml", "_toc.yml", "_build/ledger.json", "_build/runs/a.json"]
OTHERS = ["README.md", "made/other.py", "book/a/page.md.partial", "power/__pycache__/code.pyc"]
OTHERS += ["book/.ipynb_checkpoints/a.ipynb", "_build/runs/a.log"]


@pytest.mark.parametrize("file", [*OF_IT, *OTHERS])
def test_the_site_is_of_other_inputs_if_what_it_is_made_from_was_edited(book, file):
    before = sphinx_build.inputs()
    assert before == sphinx_build.inputs()
    (book / file).parent.mkdir(parents=True, exist_ok=True)
    (book / file).write_text("edited", encoding="utf-8")
    assert (sphinx_build.inputs() != before) == (file in OF_IT)


@pytest.fixture
def steps(tmp_path, monkeypatch):
    """What a build of a project did, where nothing was ever built; no page is made."""
    done = []
    for name in ("STAMP", "INDEX", "TOC"):
        monkeypatch.setattr(paths, name, tmp_path / name)
    monkeypatch.setattr(sphinx_build.collect, "collect", dict)
    monkeypatch.setattr(sphinx_build.collect, "write", lambda ledger: None)
    monkeypatch.setattr(sphinx_build.toc, "main", lambda: (done.append("toc"), paths.TOC.touch()))
    for name in ("write_extra", "write_conf", "sphinx"):
        monkeypatch.setattr(sphinx_project, name, lambda name=name: done.append(name))
    monkeypatch.setattr(sphinx_project, "write_index", paths.INDEX.touch)
    monkeypatch.setattr(sphinx_build, "inputs", lambda: "one")
    return done


def test_the_first_build_makes_the_contents_and_the_second_does_nothing(steps):
    assert sphinx_build.build() is True
    assert steps == ["toc", "write_extra", "write_conf", "sphinx"]
    assert sphinx_build.build() is False and len(steps) == 4
    assert sphinx_build.build(force=True) is True and "toc" not in steps[4:]
