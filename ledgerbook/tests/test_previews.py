"""When the lines of previews are written."""

from types import SimpleNamespace

import pytest

from ledgerbook import data_scripts, previews


@pytest.mark.parametrize(
    "builder, error, written",
    [("html", None, True), ("epub", None, False), ("html", ValueError("broken"), False)],
)
def test_a_finished_site_has_the_lines_and_nothing_else_has(
    tmp_path, monkeypatch, builder, error, written
):
    monkeypatch.setattr(previews, "data", lambda env: {"pages": {}})
    app = SimpleNamespace(builder=SimpleNamespace(name=builder), outdir=tmp_path, env=None)
    previews.write(app, error)
    assert (tmp_path / data_scripts.place("previewed")).exists() == written
