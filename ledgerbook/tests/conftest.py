"""The package's tests run without any book: the project of this process is a foreign companion."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import filelock
import pytest

HERE = Path(__file__).resolve().parent
COMPANIONS = HERE / "companions"
SOURCE = HERE.parent / "src"
os.environ["LEDGERBOOK_PROJECT"] = str(COMPANIONS / "power_iteration")

from ledgerbook.execution import environment  # noqa: E402
from ledgerbook.project import paths  # noqa: E402  (paths looks for it when imported)

environment.collect_seldom()


class Companion:
    """A companion in a folder of its own."""

    def __init__(self, root):
        self.root = root

    def run(self, *words, module="ledgerbook", timeout=300, env=()):
        """Exit status and output of ``python -m ledgerbook``, or of a script, in its folder."""
        here = {name: v for name, v in os.environ.items() if name != "LEDGERBOOK_PROJECT"}
        done = subprocess.run(
            [sys.executable, *(["-m", module] if module else []), *words],
            cwd=self.root,
            env=here | {"PYTHONPATH": f"{SOURCE}{os.pathsep}{self.root}"} | dict(env),
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        return done.returncode, done.stdout + done.stderr

    def replace(self, file, old, new):
        """Break a file."""
        text = (self.root / file).read_text(encoding="utf-8")
        assert old in text
        (self.root / file).write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def project(tmp_path, monkeypatch):
    """``ledgerbook`` in this process with an empty book and nothing built; returns the folder."""
    for name in ("BOOK", "BUILD", "EXECUTED", "RUNS", "HOMES", "LEDGER", "STATUSES"):
        monkeypatch.setattr(paths, name, tmp_path / getattr(paths, name).relative_to(paths.ROOT))
    (tmp_path / "book").mkdir()
    (tmp_path / "book/intro.md").touch()
    return tmp_path


@pytest.fixture
def package(tmp_path, monkeypatch):
    """The function that writes a package of some modules, to be imported until the test ends."""
    made = []

    def write(package, **modules):
        made.append(package)
        (tmp_path / package).mkdir()
        for name, text in modules.items():
            (tmp_path / package / f"{name}.py").write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)

    yield write
    for name in [one for one in sys.modules if one.partition(".")[0] in made]:
        del sys.modules[name]


@pytest.fixture(scope="session")
def in_folder():
    """The function that runs commands in a folder."""
    return Companion


@pytest.fixture(scope="session")
def companion_in():
    """The function that copies a foreign companion into a folder."""

    def copied(folder, name):
        left_out = shutil.ignore_patterns("_build", "_toc.yml", "__pycache__")
        return Companion(shutil.copytree(COMPANIONS / name, folder / name, ignore=left_out))

    return copied


@pytest.fixture(scope="session")
def once(tmp_path_factory):
    """The function that makes a folder once for all workers of a run, and says where it is."""
    top = tmp_path_factory.getbasetemp()
    top = (top.parent if "PYTEST_XDIST_WORKER" in os.environ else top) / "once"
    top.mkdir(exist_ok=True)

    def made(name, make):
        folder, done = top / name, top / f"{name}.made"
        with filelock.FileLock(top / f"{name}.lock"):
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)
                make(folder)
                done.touch()
        return folder

    return made


@pytest.fixture(scope="session")
def executed_in(companion_in, once):
    """The function that copies a foreign companion with its chapters executed into a folder."""

    def copied(folder, name):
        def make(top):
            code, said = companion_in(top, name).run("book", "--no-pages")
            assert code == 0, said

        executed = once(f"{name}-executed", make) / name
        return Companion(shutil.copytree(executed, folder / name))

    return copied


@pytest.fixture(scope="session")
def with_font(once):
    """The function that gives a book the font of formulas, made once: it is every book's."""
    from ledgerbook.site import mathfont

    def given(root):
        shutil.copytree(once("fonts", mathfont.write_font), root / "_build/extra")
        return root

    return given


@pytest.fixture(scope="session")
def built(executed_in, once, with_font):
    """The companion of power iteration, built whole, once for all workers of a run, with a page for
    all that the package can say (``companions/pages``).

    Its tests read what is there; what one of them writes is read by that one alone.
    """

    def make(top):
        book = executed_in(top, "power_iteration")
        shutil.copytree(COMPANIONS / "pages", with_font(book.root), dirs_exist_ok=True)
        code, said = book.run("book")
        assert code == 0, said

    return Companion(once("power_iteration", make) / "power_iteration")
