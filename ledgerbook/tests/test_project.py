"""The companion that is worked on: found when it is asked for, and exchanged for a block."""

import json
import os
import pkgutil
import re
import subprocess
import sys
from contextvars import copy_context
from pathlib import Path
from threading import Thread

import pytest
from ledgerbook.chapters import collect, registry
from ledgerbook.chapters.statements import statements
from ledgerbook.execution import environment
from ledgerbook.ledger import coq_record, places
from ledgerbook.project.project import VARIABLE, Project, current, per_project, use

import ledgerbook

NOTHING_HERE = "folder = {!r}, allowed: one below a [tool.ledgerbook] table, or {} names"
ASKED = """
import importlib, json, sys
for name in json.loads(sys.argv[1]):
    importlib.import_module(name)
from ledgerbook.chapters.statements import statements
try:
    statements()
except ValueError as error:
    print(error)
"""


def outside(folder, *words):
    """What Python says in a folder that lies in no companion."""
    env = {name: value for name, value in os.environ.items() if name != VARIABLE}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=env, capture_output=True, text=True, timeout=120
    )


def test_every_module_can_be_imported_where_no_companion_is(tmp_path):
    found = pkgutil.walk_packages(ledgerbook.__path__, "ledgerbook.")
    names = [one.name for one in found if not one.name.endswith("__main__")]
    assert len(names) > 90
    done = outside(tmp_path, "-c", ASKED, json.dumps(names))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(NOTHING_HERE.format(str(tmp_path), VARIABLE))
    assert done.stdout.count("\n") == 1


def test_a_command_says_in_one_line_that_no_companion_is_here(tmp_path):
    done = outside(tmp_path, "-m", "ledgerbook", "stale")
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"error: {NOTHING_HERE.format(str(tmp_path), VARIABLE)}")


@pytest.fixture
def pair(companion_in, tmp_path):
    """Two companions, each in a folder of its own."""
    return [companion_in(tmp_path, name).root for name in ("power_iteration", "quartet")]


def seen():
    """What the package says of the companion that is worked on."""
    return {
        "title": current().settings.title,
        "tags": [*statements()],
        "chapters": [row.docname for row in statements().values()],
        "ledger": [row["tag"] for row in collect.collect()["statements"]],
        "rows": sorted(registry.places()),
        "stored": str(current().ledger),
        "proofs": str(coq_record.folder()),
        "places": str(places.file()),
        "path": environment.quiet()["PYTHONPATH"].split(os.pathsep)[0],
    }


def test_two_companions_in_one_process_see_nothing_of_each_other(pair):
    one, other = map(Project.at, pair)
    with use(one):
        first, kept = seen(), statements()
        collect.renewed()
        with use(other):
            second = seen()
            collect.renewed()
        assert statements() is kept  # neither read again nor exchanged
    with use(one):
        assert seen() == first and statements() is kept
    assert first["tags"] == first["ledger"] == ["textbook.theorem-01", "textbook.corollary-01"]
    assert second["tags"] == second["ledger"] == ["anscombe.table", "anscombe.look"]
    assert (first["title"], second["title"]) == (one.settings.title, other.settings.title)
    for project, said in ((one, first), (other, second)):
        for name in ("stored", "proofs", "places", "path"):
            assert said[name].startswith(str(project.root)), name
        stored = json.loads(project.ledger.read_text(encoding="utf-8"))
        assert [row["tag"] for row in stored["statements"]] == said["tags"]


def test_the_example_of_the_readme_names_two_companions(pair, monkeypatch):
    text = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n([^`]*with use[^`]*)```", text)
    monkeypatch.chdir(pair[0].parent)
    space = {}
    exec(example, space)
    assert space["angles"][0] == "textbook.theorem-01" and space["clouds"][0] == "anscombe.table"


def test_a_folder_is_read_anew_and_an_object_is_not(pair):
    file = pair[0] / "book/statements.toml"
    with use(pair[0]) as project:
        assert len(statements()) == 2
    file.write_text("statement = []", encoding="utf-8")
    with use(project):
        assert len(statements()) == 2
    with use(pair[0]) as again:
        assert len(statements()) == 0
    assert again == project and hash(again) == hash(project) and again is not project
    assert Project.find(pair[0] / "book" / "textbook") == project != Project.at(pair[1])


def test_a_block_that_breaks_off_gives_the_companion_back(pair):
    before = current()
    with pytest.raises(ZeroDivisionError), use(pair[0]):
        assert current().root == pair[0]
        1 / 0  # noqa: B018
    assert current() is before
    with pytest.raises(ValueError, match=r"allowed: one with a \[tool.ledgerbook\] table"):
        with use(pair[0] / "book"):
            pass
    assert current() is before


def test_a_thread_works_on_the_companion_of_its_context(pair):
    found = {}

    def work(name, folder=None):
        with use(folder or current()):
            found[name] = current().root

    with use(pair[0]):
        threads = [Thread(target=copy_context().run, args=(work, "same"))]
        threads.append(Thread(target=work, args=("own", pair[1])))
        for one in threads:
            one.start()
            one.join()
        assert current().root == pair[0]
    assert found == {"same": pair[0], "own": pair[1]}


def test_a_varied_companion_keeps_nothing_and_what_lies_below_a_path_moves_with_it(tmp_path):
    calls = []

    @per_project
    def asked(number=1):
        calls.append(number)
        return current().html

    same = current()
    made = same.varied(build=tmp_path).varied(book=tmp_path / "b")
    for project in (same, made, same, made):
        with use(project):
            assert asked() == asked() and asked(2) == asked(number=2) == project.html
    assert calls == [1, 2, 2] * 2  # once each, as ``functools.cache`` tells calls apart
    assert made.index == tmp_path / "html/index.html" and made.data == tmp_path / "b/data"
    assert (made.toc, made.settings) == (same.toc, same.settings)
    with pytest.raises(ValueError, match=r"path = 'biuld', allowed: one of a companion's"):
        same.varied(biuld=tmp_path)
