"""The environment of kernels: quiet, and with folders of ours where HOME cannot be written."""

from ledgerbook import environment, paths


def test_a_home_that_can_be_written_is_used(project, tmp_path, monkeypatch):
    for name in environment.HOMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert environment.quiet() == environment.QUIET


def test_a_home_that_cannot_be_written_is_replaced(project, tmp_path, monkeypatch):
    for name in environment.HOMES:
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "home").write_text("a file: no folder can be made in it", encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    found = environment.quiet()
    assert set(found) - set(environment.QUIET) == set(environment.HOMES)
    assert all(found[name].startswith(str(paths.HOMES)) for name in environment.HOMES)


def test_a_folder_that_the_user_named_is_left_alone(project, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", "/proc/nowhere")
    for name in environment.HOMES:
        monkeypatch.setenv(name, str(tmp_path))
    assert environment.quiet() == environment.QUIET
