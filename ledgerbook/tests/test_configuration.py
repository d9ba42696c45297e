"""What Sphinx is told: the common part, a companion's own before it, no host of anybody else."""

import pytest
import yaml
from ledgerbook.project import paths, settings
from ledgerbook.site import configuration

TITLE = settings.settings().title


@pytest.mark.parametrize(
    ("common", "own", "both"),
    [
        ({"a": 1, "b": 2}, {"b": 3, "c": 4}, {"a": 1, "b": 3, "c": 4}),
        ({"t": {"a": 1, "b": 2}}, {"t": {"b": 3}}, {"t": {"a": 1, "b": 3}}),
        ({"t": {"u": {"a": 1, "b": 2}}}, {"t": {"u": {"b": 3}}}, {"t": {"u": {"a": 1, "b": 3}}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": 1}, {"a": {"b": 2}}, {"a": {"b": 2}}),
        ({"a": {"b": 2}}, {"a": 1}, {"a": 1}),
    ],
)
def test_what_a_companion_says_goes_before_key_by_key(common, own, both):
    assert configuration.merged(common, own) == both


@pytest.fixture
def companion(project, monkeypatch):
    """The folder of a companion without a configuration of its own."""
    for name in ("CONFIG", "SPHINX", "EXTRA"):
        place = project / getattr(paths, name).relative_to(paths.ROOT)
        monkeypatch.setattr(paths, name, place)
    return project


def test_a_companion_needs_to_say_nothing(companion):
    common = yaml.safe_load(configuration.COMMON.read_text(encoding="utf-8"))
    assert configuration.described() == {"title": TITLE} | common
    paths.CONFIG.write_text("# nothing yet\n", encoding="utf-8")
    assert configuration.described() == {"title": TITLE} | common


def test_its_own_words_and_its_bibliography_are_taken_up(companion):
    paths.CONFIG.write_text("author: A. B.\nexecute: {timeout: 7}\n", encoding="utf-8")
    (paths.BOOK / "references.bib").write_text("", encoding="utf-8")
    found = configuration.described()
    assert found["author"] == "A. B." and found["title"] == TITLE
    assert found["execute"] == {"execute_notebooks": "off", "timeout": 7}
    assert found["bibtex_bibfiles"] == [str(paths.BOOK / "references.bib")]


def test_sphinx_is_told_of_folders_that_exist_and_of_no_host(companion, capsys):
    own = paths.BOOK / "_static"
    own.mkdir()
    (own / "zebra.css").write_text("", encoding="utf-8")
    found = configuration.sphinx()
    assert capsys.readouterr().out == ""
    assert (found["html_title"], found["language"]) == (TITLE, "en")
    assert found["html_static_path"] == [str(configuration.STATIC), str(own)]
    assert found["html_extra_path"] == []
    assert found["html_theme_options"]["repository_url"] == ""
    assert not {"sphinx_thebe", "sphinx_comments"} & set(found["extensions"])
    assert found["extensions"][-1] == "ledgerbook.commands.chapter"
    assert "ledgerbook.site.sphinx_ext" in found["extensions"]
    ours = {file.name for file in configuration.STATIC.glob("*.css")}
    assert ours and ours < set(found["html_css_files"])
    assert "latex_individualpages" not in found
    paths.EXTRA.mkdir(parents=True)
    assert configuration.sphinx()["html_extra_path"] == [str(paths.EXTRA)]
