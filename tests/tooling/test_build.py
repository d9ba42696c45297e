"""The page build on a book of one page: whole processes, the same bytes, nothing left running."""

import importlib
import shutil

from ledgerbook import build, configuration, markup, paths

CONFIGURED = ("_config.yml", "book/_static", "book/_extra", "book/references.bib")


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
        build.write_conf()
        written.append((tmp_path / "sphinx/conf.py").read_text())
    assert written[0] == written[1] != written[2]


def test_the_start_page_is_a_page():
    text = markup.render("index.html.jinja", title="A <b> title", target="book/intro.html")
    assert "A &lt;b&gt; title" in text and 'url=book/intro.html"' in text


def test_a_package_computes_its_part_again_when_one_of_its_files_changed(tmp_path, monkeypatch):
    for name in ("ROOT", "EXTRA", "BUILD"):
        monkeypatch.setattr(paths, name, tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    package = tmp_path / "computes_a_part"
    package.mkdir()
    (package / "__init__.py").write_text(
        "calls = []\n\n\ndef write(folder):\n    calls.append(folder)\n"
    )
    asked = []
    for text in ("one = 1\n", "one = 1\n", "one = 2\n"):
        (package / "formulas.py").write_text(text)
        (tmp_path / "part").mkdir(exist_ok=True)
        build.write_computed("part", "computes_a_part")
        asked.append(len(importlib.import_module("computes_a_part").calls))
    assert asked == [1, 1, 2]
