"""What ``make`` installs first."""

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tooling import install


@pytest.mark.parametrize(
    "asked, wanted",
    [(["numpy", "nvidia-cublas==13"], True), (["cuda-bindings"], True), (["numpy"], False)],
)
def test_a_torch_that_asks_for_cuda_is_told_from_one_that_does_not(tmp_path, asked, wanted):
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho '{json.dumps(asked)}'\n", encoding="utf-8")
    python.chmod(0o755)
    assert install.wants_cuda(python) is wanted


@pytest.mark.parametrize(
    ("version", "good"),
    [((3, 10), False), ((3, 11), True), ((3, 13), True), ((3, 14), False), ((4, 0), False)],
)
def test_pythons_from_3_11_to_3_13_will_do(version, good):
    found = f"Python {version[0]}.{version[1]} found, 3.11 to 3.13 needed"
    assert (install.refusal((*version, 0)) or found).startswith(found)
    assert (install.refusal((*version, 0)) is None) == good


@pytest.fixture
def commands(monkeypatch):
    """Every command that is run; what ``fails`` says of one decides how it ends."""

    class Commands(list):
        fails = staticmethod(lambda command: False)

        def run(self, command, check=False, capture_output=False):
            self.append(list(map(str, command)))
            assert check or capture_output, "a try that may fail says nothing"
            status = int(self.fails(self[-1]))
            if check and status:
                raise subprocess.CalledProcessError(status, command)
            return subprocess.CompletedProcess(command, status)

        def installed(self):
            """What was asked for, by which program."""
            return [
                (Path(words[0]).name, [word for word in words if word.endswith(".lock")])
                for words in self
                if "install" in words and "--target" not in words and "--no-index" not in words
            ]

    found = Commands()
    monkeypatch.setattr(install.subprocess, "run", found.run)
    monkeypatch.setattr(install, "wants_cuda", lambda python: True)
    monkeypatch.setattr(install.shutil, "which", lambda name, path: name)
    return found


LOCKS = [[str(install.ROOT / name)] for name in ("requirements.lock", "cuda.lock")]


def test_where_uv_fails_pip_does_the_same(tmp_path, commands):
    commands.fails = lambda command: command[0] == "uv"
    install.install(tmp_path)
    wanted = [(program, lock) for lock in (*LOCKS, []) for program in ("uv", "python")]
    assert commands.installed() == wanted and install.is_ready(tmp_path)


@pytest.fixture
def asked(monkeypatch, commands):
    """The exit status for the words after the program's name, on a Python of this version."""

    def main(*words, version=(3, 13, 9, "final", 0)):
        monkeypatch.setattr(install.sys, "argv", ["install.py", *words])
        monkeypatch.setattr(install.sys, "version_info", version)
        return install.main()

    return main


def test_what_does_not_work_is_one_line(asked, commands, tmp_path, capsys):
    assert asked(str(tmp_path), version=(3, 14, 0, "final", 0)) == 2 and not commands
    assert capsys.readouterr().err.startswith("error: Python 3.14 found")
    commands.fails = lambda command: "uv" in command[0] or command[-1] in LOCKS[0]
    assert asked(str(tmp_path)) == 1 and not install.is_ready(tmp_path)
    python = tmp_path / "bin/python"
    assert capsys.readouterr().err == (
        f"error: {python} -m pip --disable-pip-version-check install … failed\n"
    )


OWN = sys.version_info[:2]
RUN = subprocess.run


@pytest.fixture(scope="module")
def ready_once(tmp_path_factory):
    """An environment with one package, as ``install`` leaves it."""
    environment = tmp_path_factory.mktemp("project with a space") / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    (folder,) = environment.glob("lib/python*/site-packages")
    for name in ("numbers", "numbers-1.0.dist-info", "pip", "pip-1.dist-info", "__pycache__"):
        (folder / name).mkdir()
    noted = {"inputs": install.wanted(), "packages": install.packages(environment)}
    (environment / ".ready").write_text(json.dumps(noted), encoding="utf-8")
    return environment


@pytest.fixture
def ready(ready_once, tmp_path):
    """A copy of it, which the place where it was made can be taken from."""
    home = tmp_path / "home"
    shutil.copytree(ready_once.parent, home, symlinks=True)
    file = home / ".venv/pyvenv.cfg"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(str(ready_once), str(home / ".venv")), encoding="utf-8")
    return home / ".venv"


@pytest.fixture
def made(monkeypatch, asked):
    """Exit status for these words, and for each installation whether it is made anew."""

    def main(*words, version=OWN):
        found = []
        note = lambda environment, anew: found.append(anew)
        monkeypatch.setattr(install, "install", note)
        monkeypatch.setattr(install.subprocess, "run", RUN)  # the environment's Python is asked
        return asked(*words, version=(*version, 1, "final", 0)), found

    return main


@pytest.mark.parametrize("gone", [None, "pip", "__pycache__"])
def test_what_is_as_it_was_made_is_left_alone(ready, made, capsys, gone):
    """Also where pip was brought up to date, or what is compiled was swept away."""
    for folder in ready.glob(f"lib/python*/site-packages/{gone}*"):
        folder.rmdir()
    assert made(str(ready)) == made(str(ready), "--kept") == (0, [])
    assert capsys.readouterr() == ("", "")


def moved(environment):
    return environment.parent.rename(environment.parent.with_name("renamed")) / ".venv"


def without_python(environment):
    for file in (environment / "bin").glob("python*"):
        file.unlink()
        file.symlink_to("/nowhere/python")
    return environment


def with_broken_python(environment):
    (environment / "bin/python").unlink()
    (environment / "bin/python").write_text("#!/bin/sh\nexit 127\n")
    (environment / "bin/python").chmod(0o755)
    return environment


def without(name):
    def removed(environment):
        next(environment.glob(f"lib/python*/site-packages/{name}")).rmdir()
        return environment

    return removed


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (moved, "it was made in {}"),
        (without_python, "its Python does not start"),
        (with_broken_python, "its Python does not start"),
        (without("numbers"), "numbers is missing in it"),
        (without("numbers-1.0.dist-info"), "numbers-1.0.dist-info is missing in it"),
    ],
)
@pytest.mark.parametrize("kept", [[], ["--kept"]])
def test_an_environment_that_is_not_what_it_was_is_made_anew(
    ready, made, capsys, harm, words, kept
):
    said = f"making .venv anew: {words.format(ready.parent)}\n"
    assert made(str(harm(ready)), *kept) == (0, [True])
    assert capsys.readouterr() == (said, "")


def test_another_python_that_is_named_gets_an_environment_of_its_own(ready, made, capsys):
    other = (3, 11) if OWN != (3, 11) else (3, 12)
    name, own = (".".join(map(str, version)) for version in (other, OWN))
    assert made(str(ready), version=other) == (0, [True])
    assert capsys.readouterr().out == (
        f"making .venv anew: it has Python {own}, this one is {name}\n"
    )
    assert made(str(ready), "--kept", version=other) == (0, [])  # a bare make names none
    assert made(str(ready), "--kept", version=(3, 8)) == (0, [])
    assert made(str(ready), version=(3, 8)) == (2, []) and ready.is_dir()


@pytest.mark.parametrize("stamp", [None, "the locks as text", "[]", '{"inputs": "other locks"}'])
def test_where_the_locks_changed_what_is_right_is_left_alone(ready, made, capsys, stamp):
    (ready / ".ready").unlink()
    if stamp is not None:
        (ready / ".ready").write_text(stamp, encoding="utf-8")
    assert made(str(ready), "--kept") == (0, [False])
    assert capsys.readouterr().out == ""


def test_an_environment_is_emptied_where_it_is_made_anew(tmp_path, commands):
    install.install(tmp_path)
    install.install(tmp_path, anew=True)
    assert [words[3:-1] for words in commands if words[1:3] == ["-m", "venv"]] == [[], ["--clear"]]


def test_a_python_that_is_too_old_can_read_the_installer():
    text = (install.ROOT / "tooling/install.py").read_text(encoding="utf-8")
    assert ast.parse(text, feature_version=(3, 7))


@pytest.mark.parametrize("what", ["wheel", "sdist"])
def test_the_folder_s_packages_are_never_installed_as_everybody_s(tmp_path, what):
    code = f"import editable_only; editable_only.build_{what}({str(tmp_path)!r})"
    tooling = install.ROOT / "tooling"
    done = subprocess.run([sys.executable, "-c", code], cwd=tooling, capture_output=True, text=True)
    assert done.returncode and list(tmp_path.iterdir()) == []
    assert "pip install -e" in done.stderr.splitlines()[-1]
