"""The pages of a companion's code are written when something that they show changed."""

import os
from collections import defaultdict
from dataclasses import replace
from types import SimpleNamespace

import pytest
from ledgerbook.chapters.statements import written
from ledgerbook.pages import codemap
from ledgerbook.project.project import current
from ledgerbook.site import sources


@pytest.fixture
def app(tmp_path, monkeypatch, varied):
    """What a builder is asked for, with a configuration."""
    shown = {"power": "The code", "checks/textbook": "The rows"}
    varied(settings=replace(current().settings, modules=shown))
    monkeypatch.setattr(codemap, "standing_on", lambda: defaultdict(list))
    (tmp_path / "conf.py").touch()
    highlighter = SimpleNamespace(highlight_block=lambda text, language: text)
    builder = SimpleNamespace(highlighter=highlighter)
    return SimpleNamespace(builder=builder, confdir=tmp_path, outdir=tmp_path / "html")


def collected(app):
    """The pages that are written now, and, as a builder does, their files."""
    pages = [page for page, *_ in sources.collect(app)]
    for page in pages:
        file = app.outdir / f"{page}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        os.utime(file, (5e9, 5e9))  # in some decades: younger than all there is
    return pages


def test_each_module_has_a_page_that_is_written_again_when_what_it_shows_changed(app, monkeypatch):
    every = collected(app)
    assert len(every) == len(codemap.modules()) > 0 and collected(app) == []
    (app.outdir / f"{every[0]}.html").unlink()
    assert collected(app) == every[:1]
    shown = [
        app.confdir / "conf.py",
        current().statements,
        codemap.modules()[-1],
        written()[0].chapter,
    ]
    changed = sources.changed
    for file in shown:
        later = lambda *files, one=file: 6e9 if one in files else changed(*files)
        monkeypatch.setattr(sources, "changed", later)
        assert collected(app) == every, file


def test_a_page_leads_to_the_modules_before_and_after_it(app, monkeypatch):
    modules = [current().root / name for name in ("a.py", "b.py", "c.py")]
    monkeypatch.setattr(codemap, "modules", lambda: modules)
    monkeypatch.setattr(codemap, "what_it_is", lambda file: "what it is")
    monkeypatch.setattr(sources, "written", list)
    monkeypatch.setattr(type(current().root), "read_text", lambda file, **how: file.name)
    monkeypatch.setattr(sources, "changed", lambda *files: 0)
    found = [context["body"].partition("<nav")[2] for _, context, _ in sources.collect(app)]
    assert [[name for name in ("← a", "← b", "→ b", "→ c") if name in nav] for nav in found] == [
        ["→ b"],
        ["← a", "→ c"],
        ["← b"],
    ]
