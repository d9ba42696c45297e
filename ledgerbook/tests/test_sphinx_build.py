"""What Sphinx is called with, when, and how it ends."""

import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from ledgerbook.project.project import current
from ledgerbook.site import configuration, mended, sphinx_build
from sphinx.util.parallel import ParallelTasks


@pytest.fixture
def book(tmp_path, monkeypatch, varied):
    """A project with a page, a package and a module that computes a part of the site."""
    extra = {"part": {"module": "made.by.it", "page": "page.md"}}
    changed = replace(current().settings, extra=extra)
    varied(root=tmp_path, imports={"power": tmp_path}, settings=changed)
    monkeypatch.setattr(sphinx_build, "__file__", str(tmp_path / "ours/site/build.py"))
    for file in ("book/a/page.md", "power/code.py", "made/by/it.py", "ours/site/build.py"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(file, encoding="utf-8")
    return tmp_path


OF_IT = ["book/a/page.md", "power/code.py", "made/by/beside.py", "ours/templates/page.html"]
OF_IT += ["pyproject.toml", "_config.yml", "_toc.yml", "_build/ledger.json", "_build/runs/a.json"]
STOCK = Path(sys.executable).with_name("jupyter-book")
OTHERS = ["README.md", "made/other.py", "power/__pycache__/code.pyc", "_build/runs/a.log"]


@pytest.mark.parametrize("file", [*OF_IT, *OTHERS])
def test_the_site_is_of_other_inputs_if_what_it_is_made_from_was_edited(book, file):
    before = sphinx_build.inputs()
    assert before == sphinx_build.inputs()
    (book / file).parent.mkdir(parents=True, exist_ok=True)
    (book / file).write_text("edited", encoding="utf-8")
    assert (sphinx_build.inputs() != before) == (file in OF_IT)


@pytest.fixture
def steps(tmp_path, monkeypatch, varied):
    """What a build of a project did, where nothing was ever built; no page is made."""
    done = []
    varied(**{name: tmp_path / name for name in ("stamp", "index", "toc")})
    for name in ("renewed", "load"):
        monkeypatch.setattr(sphinx_build.collect, name, lambda: {"statements": []})
    monkeypatch.setattr(
        sphinx_build.toc, "main", lambda: (done.append("toc"), current().toc.touch())
    )
    for name in ("write_extra", "write_conf", "sphinx"):
        monkeypatch.setattr(sphinx_build, name, lambda name=name: done.append(name))
    monkeypatch.setattr(sphinx_build, "write_index", current().index.touch)
    monkeypatch.setattr(sphinx_build, "inputs", lambda: "one")
    return done


def test_the_first_build_makes_the_contents_and_the_second_does_nothing(steps):
    assert sphinx_build.build() is True
    assert steps == ["toc", "write_extra", "write_conf", "sphinx"]
    assert sphinx_build.build() is False and len(steps) == 4


def test_a_build_that_failed_is_made_again(steps, monkeypatch):
    assert sphinx_build.build()
    with monkeypatch.context() as patch:
        patch.setattr(sphinx_build, "inputs", lambda: "another")
        patch.setattr(sphinx_build, "sphinx", lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            sphinx_build.build()
    assert sphinx_build.build() and steps.count("toc") == 1


def test_a_computed_folder_is_written_again_when_its_code_or_template_changes(
    project, monkeypatch, varied
):
    files = project / "tool.py", project / "templates/drawn.html"
    files[1].parent.mkdir()
    current().build.mkdir(parents=True)
    varied(root=project, extra=project)
    commands = []
    monkeypatch.setattr(
        sphinx_build.parent_watch, "run", lambda command, **_: commands.append(command)
    )
    (project / "drawn").mkdir()  # what it writes
    for text in ("x = 1", "x = 2"):
        for file in files:
            file.write_text(text)
            sphinx_build.write_computed("drawn", "tool")
            sphinx_build.write_computed("drawn", "tool")
    assert len(commands) == 4


@pytest.fixture
def companion(project, varied):
    """The folder of a companion without a configuration of its own."""
    varied(config=project / "_config.yml")
    return project


def test_a_changed_style_or_ledger_is_a_changed_configuration(companion, monkeypatch):
    style = companion / "styles/a.css"
    style.parent.mkdir()
    current().sphinx.mkdir(parents=True)
    told = {"html_extra_path": [], "html_static_path": [str(style.parent)]}
    monkeypatch.setattr(configuration, "sphinx", lambda: dict(told))

    def conf(text):
        style.write_text(text)
        sphinx_build.write_conf()
        return (current().sphinx / "conf.py").read_text()

    first, second = conf("a"), conf("b")
    current().ledger.write_text("{}")
    assert len({first, second, conf("b")}) == 3


TITLE = current().settings.title


def test_a_companion_needs_to_say_nothing(companion):
    common = yaml.safe_load(configuration.COMMON.read_text(encoding="utf-8"))
    assert configuration.described() == {"title": TITLE} | common


def test_its_own_words_and_its_bibliography_are_taken_up(companion):
    current().config.write_text("author: A. B.\nexecute: {timeout: 7}\n", encoding="utf-8")
    (current().book / "references.bib").write_text("", encoding="utf-8")
    found = configuration.described()
    assert found["author"] == "A. B." and found["title"] == TITLE
    assert found["execute"] == {"execute_notebooks": "off", "timeout": 7}
    assert found["bibtex_bibfiles"] == [str(current().book / "references.bib")]


def work(number):
    if number == 0:
        raise ValueError("this page cannot be written")
    time.sleep(0.2)


def test_a_chunk_that_fails_while_others_wait_stops_the_build(monkeypatch):
    monkeypatch.setattr(ParallelTasks, "_join_one", mended.join_one)
    tasks = ParallelTasks(2)
    with pytest.raises(SystemExit, match="cannot be written"):
        for number in range(8):
            tasks.add_task(work, number)
            time.sleep(0.1)  # the first has failed before the last is handed out
        tasks.join()


@pytest.mark.skipif(not STOCK.exists(), reason="no jupyter-book here")
def test_the_stock_command_makes_the_same_pages(executed_in, tmp_path):
    book = executed_in(tmp_path, "power_iteration")
    (book.root / "_config.yml").write_text(
        "sphinx:\n  extra_extensions: [ledgerbook.site.sphinx_ext]\n", encoding="utf-8"
    )
    assert book.run("toc")[0] == 0
    code, said = book.run(str(STOCK), "build", ".", module=None)
    assert code == 0, said
    (page,) = (book.root / "_build/html").rglob("theorem_01.html")
    text = page.read_text(encoding="utf-8")
    assert "unpkg" not in text and "<math" in text and "✓ holds" in text


def test_an_extension_that_numbers_sections_does_not_make_reading_serial():
    numbering = SimpleNamespace(parallel_read_safe=None)
    mended.read_beside(SimpleNamespace(extensions={mended.NUMBERING: numbering}), None)
    assert numbering.parallel_read_safe
    mended.read_beside(SimpleNamespace(extensions={}), None)
