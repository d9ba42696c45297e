"""What the site is made from: when it is built again, and when it is not."""

from dataclasses import replace

import pytest

from ledgerbook import build, paths, project, site


@pytest.fixture
def book(tmp_path, monkeypatch):
    """A project with a page, a package and a module that computes a part of the site."""
    for name in ("BOOK", "CONFIG", "TOC", "LEDGER", "RUNS", "ROOT"):
        below = getattr(paths, name).relative_to(paths.ROOT)
        monkeypatch.setattr(paths, name, tmp_path / below)
    monkeypatch.setattr(paths, "IMPORTS", {"power": tmp_path})
    extra = {"part": {"module": "made.by.it", "page": "page.md"}}
    settings = replace(project.settings(), extra=extra)
    monkeypatch.setattr(project, "settings", lambda: settings)
    monkeypatch.setattr(build, "__file__", str(tmp_path / "ours/build.py"))
    for file in ("book/a/page.md", "power/code.py", "made/by/it.py", "ours/build.py"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(file, encoding="utf-8")
    return tmp_path


OF_IT = ["book/a/page.md", "power/code.py", "made/by/it.py", "made/by/beside.py"]
OF_IT += ["ours/build.py", "ours/templates/page.html"]
OF_IT += ["pyproject.toml", "_config.yml", "_toc.yml", "_build/ledger.json", "_build/runs/a.json"]
OTHERS = ["README.md", "made/other.py", "book/a/page.md.partial", "power/__pycache__/code.pyc"]
OTHERS += ["book/.ipynb_checkpoints/a.ipynb", "_build/runs/a.log"]


@pytest.mark.parametrize("file", [*OF_IT, *OTHERS])
def test_the_site_is_of_other_inputs_if_what_it_is_made_from_was_edited(book, file):
    before = build.inputs()
    assert before == build.inputs()
    (book / file).parent.mkdir(parents=True, exist_ok=True)
    (book / file).write_text("edited", encoding="utf-8")
    assert (build.inputs() != before) == (file in OF_IT)


def test_a_page_under_another_name_is_another_input(book):
    before = build.inputs()
    (book / "book/a/page.md").rename(book / "book/a/paged.md")
    assert build.inputs() != before


def test_an_empty_folder_is_no_input(book):
    before = build.inputs()
    (book / "book/empty").mkdir()
    assert build.inputs() == before


@pytest.fixture
def steps(tmp_path, monkeypatch):
    """What a build of a project did, where nothing was ever built; no page is made."""
    done = []
    for name in ("STAMP", "INDEX", "TOC"):
        monkeypatch.setattr(paths, name, tmp_path / name)
    monkeypatch.setattr(build.collect, "collect", dict)
    monkeypatch.setattr(build.collect, "write", lambda ledger: None)
    monkeypatch.setattr(build.toc, "main", lambda: (done.append("toc"), paths.TOC.touch()))
    for name in ("write_extra", "write_conf", "sphinx"):
        monkeypatch.setattr(site, name, lambda name=name: done.append(name))
    monkeypatch.setattr(site, "write_index", paths.INDEX.touch)
    monkeypatch.setattr(build, "inputs", lambda: "one")
    return done


def test_the_first_build_makes_the_contents_and_the_second_does_nothing(steps):
    assert build.build() is True
    assert steps == ["toc", "write_extra", "write_conf", "sphinx"]
    assert build.build() is False and len(steps) == 4
    assert build.build(force=True) is True and "toc" not in steps[4:]


def test_a_stamp_that_is_no_text_is_none(steps):
    build.build()
    paths.STAMP.write_bytes(b"\xff\xfe")
    assert build.build() is True and build.build() is False
