"""The environment of kernels: quiet, and without anything of a person's own settings."""

import resource

import pytest
from ledgerbook.execution import environment
from ledgerbook.project.project import current


def test_a_persons_own_settings_do_not_reach_a_kernel(executed_in, tmp_path, monkeypatch):
    home, book = tmp_path / "home", executed_in(tmp_path, "power_iteration")
    startup = home / ".ipython/profile_default/startup"
    settings = home / ".config/matplotlib/matplotlibrc"
    for folder in (startup, settings.parent):
        folder.mkdir(parents=True)
    noise = startup / "00-noise.py"
    noise.write_text("print('good morning')\n", encoding="utf-8")
    options = startup.parent / "ipython_config.py"
    shown = "c.InteractiveShell.ast_node_interactivity = 'all'\n"
    options.write_text("c = get_config()\n" + shown, encoding="utf-8")
    settings.write_text("text.usetex: True\nfont.size: 33\n", encoding="utf-8")
    jupyter = home / ".jupyter/jupyter_config.py"
    jupyter.parent.mkdir()
    jupyter.write_text("raise SystemExit('a setting of mine')\n", encoding="utf-8")
    spec = tmp_path / "theirs/kernels/python3/kernel.json"
    spec.parent.mkdir(parents=True)
    argv = '["/bin/false", "{connection_file}"]'
    spec.write_text(f'{{"argv": {argv}, "display_name": "", "language": "python"}}', "utf-8")
    env = {
        "FORCE_COLOR": "1",
        "JUPYTER_PATH": str(tmp_path / "theirs"),
        "HOME": str(home), "PYTHONSTARTUP": str(noise), "PYTHONOPTIMIZE": "2", "TZ": "Asia/Tokyo",
        "LC_ALL": "tr_TR.UTF-8", "PYTHONIOENCODING": "latin-1", "PIP_USER": "1",
    }  # fmt: skip
    file = book.root / "book/textbook/theorem_01.ipynb"  # with a picture
    before = file.read_bytes()
    asked = ("book", "--no-pages", "--force", "--only", "textbook.theorem-01")
    code, said = book.run(*asked, env=env)
    assert code == 0 and "1 reproduced here" in said, said
    assert file.read_bytes() == before


def test_fonts_are_looked_for_once(project):
    environment.list_fonts()
    (found,) = (current().homes / "mplconfigdir").glob("fontlist*")
    found.write_text("{}", encoding="utf-8")
    environment.list_fonts()
    assert found.read_text(encoding="utf-8") == "{}"


@pytest.mark.parametrize(
    ("limits", "jobs", "raised"),
    [((64, 4096), 2, [128]), ((64, -1), 1, [112]), ((1024, 4096), 16, []), ((-1, -1), 16, [])],
)
def test_as_many_files_may_be_open_as_kernels_need(monkeypatch, limits, jobs, raised):
    asked = []
    monkeypatch.setattr(resource, "getrlimit", lambda kind: limits)
    monkeypatch.setattr(resource, "setrlimit", lambda kind, pair: asked.append(pair[0]))
    environment.open_files(jobs)
    assert asked == raised


def test_too_few_open_files_are_refused_before_a_kernel_starts(companion_in, tmp_path):
    book = companion_in(tmp_path, "power_iteration")
    limited = "import resource as r; r.setrlimit(r.RLIMIT_NOFILE, (64, 64)); "
    code, said = book.run(
        "-c", limited + "from ledgerbook.commands import cli; raise SystemExit(cli.main("
        "['book', '--no-pages']))", module=None,
    )  # fmt: skip
    assert (code, said.count("\n")) == (2, 1)
    assert said.startswith("error: open files = 64, allowed: ") and "ulimit -n" in said
