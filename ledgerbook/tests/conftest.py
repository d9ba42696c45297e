"""The package's tests know no book: while they are collected and run, the project of this process
is a foreign companion, and what they import is that companion's.
"""

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import filelock
import pytest
from ledgerbook.execution import environment
from ledgerbook.project.project import Project, current, use

HERE = Path(__file__).resolve().parent
COMPANIONS = HERE / "companions"
SOURCE = HERE.parent / "src"
POWER = Project.at(COMPANIONS / "power_iteration")
MODULES = {}  # of the companion's packages, while another project's of the same names are in use

environment.collect_seldom()


def taken_out():
    """The modules of the companion's packages, which are then no longer imported."""
    names = [name for name in sys.modules if name.partition(".")[0] in POWER.imports]
    return {name: sys.modules.pop(name) for name in names}


@contextlib.contextmanager
def in_companion():
    """A block that works on the companion and imports its packages."""
    others, path = taken_out(), sys.path[:]
    sys.modules.update(MODULES)
    sys.path[:0] = POWER.python_path().split(os.pathsep)
    try:
        with use(POWER):
            yield
    finally:
        MODULES.clear()
        MODULES.update(taken_out())
        sys.modules.update(others)
        sys.path[:] = path


def around(node):
    """What is to be around a test, or a file of tests, where it is one of these."""
    return in_companion() if HERE in (node.path, *node.path.parents) else contextlib.nullcontext()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """What a file of tests asks while it is imported."""
    with around(collector):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """A test with its fixtures."""
    with around(item):
        return (yield)


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
def varied():
    """The function that lets the rest of a test work on this companion with other paths."""
    with contextlib.ExitStack() as stack:
        yield lambda **values: stack.enter_context(use(current().varied(**values)))


@pytest.fixture
def project(tmp_path, varied):
    """``ledgerbook`` in this process with an empty book and nothing built; returns the folder."""
    own = {name: getattr(current(), name) for name in ("statements", "equations", "data")}
    varied(book=tmp_path / "book", build=tmp_path / "_build", **own)
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
