"""Where a companion is found, and what its ``pyproject.toml`` may say."""

import pytest
from ledgerbook.project import settings


@pytest.fixture
def companion(tmp_path, monkeypatch):
    """The function that writes a companion's ``pyproject.toml``; this process works in a folder of
    it, below another project that is none.
    """
    here = tmp_path / "outer/companion/book/part"
    here.mkdir(parents=True)
    (tmp_path / "outer/pyproject.toml").write_text("[tool.other]\na = 1\n", encoding="utf-8")
    monkeypatch.chdir(here)
    monkeypatch.delenv(settings.VARIABLE)
    monkeypatch.setattr(settings, "root", settings.root.__wrapped__)
    monkeypatch.setattr(settings, "settings", settings.settings.__wrapped__)

    def write(text):
        file = tmp_path / "outer/companion/pyproject.toml"
        file.write_text(text, encoding="utf-8")
        return file.parent

    return write


def test_the_project_is_the_nearest_folder_above_that_has_the_table(companion, monkeypatch):
    with pytest.raises(ValueError, match=r"folder = '.*part', allowed: one below a \[tool\."):
        settings.root()
    folder = companion("[tool.ledgerbook]\n")
    assert settings.root() == folder
    monkeypatch.chdir("/")
    monkeypatch.setenv(settings.VARIABLE, str(folder / "book"))
    assert settings.root() == folder


def test_a_name_that_is_no_setting_is_refused(companion):
    companion("[tool.ledgerbook]\ntitel = 1\ntitle = 'T'\nbok = 2\n")
    with pytest.raises(ValueError, match=r"^\[tool\.ledgerbook\]: unknown bok, titel$"):
        settings.settings()


def test_a_folder_without_the_table_has_none(companion):
    folder = companion("[project]\n")
    assert settings.table(folder) is None and settings.table(folder / "book") is None
    companion('[tool.ledgerbook]\ntitle = "T"\n')
    assert settings.table(folder) == {"title": "T"}
