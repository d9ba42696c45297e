"""The plugin piece by piece, without a run: what it starts, in which order, what it reports."""

from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from ledgerbook.regression import nbval_plugin

PLAIN = SimpleNamespace(FAIL="<", ENDC=">")


@pytest.mark.parametrize(("printed", "told"), [("a", []), ("b", ["stored 'a', computed 'b'"])])
def test_a_cell_is_the_same_or_says_what_differs_counted_from_one(printed, told):
    cell = SimpleNamespace(cell_num=2, sanitize=lambda text: text, colors=PLAIN)
    outputs = [[nbformat.v4.new_output("stream", text=text)] for text in (printed, "a")]
    assert nbval_plugin.compare_outputs(cell, *outputs) is (not told)
    lines = [f"<code cell 3: printed text: {words}>" for words in told]
    assert cell.comparison_traceback == lines


@pytest.fixture
def started(monkeypatch):
    """Starts a session; what was done for it, and what its end does."""
    did = []

    class Warmed:
        def __enter__(self):
            did.append("warmed")

        def __exit__(self, *given):
            did.append("ended")

    monkeypatch.setattr(nbval_plugin.scratch, "sweep", lambda: did.append("swept"))
    monkeypatch.setattr(nbval_plugin.provisioner, "warmed", lambda env, say: Warmed())

    def start(nbval, **more):
        did.clear()
        ends = []
        reporter = SimpleNamespace(get_plugin=lambda name: SimpleNamespace(write_line=print))
        config = SimpleNamespace(getoption={"nbval": nbval}.get, pluginmanager=reporter, **more)
        config.add_cleanup = ends.append
        nbval_plugin.pytest_sessionstart(SimpleNamespace(config=config))
        return did, ends

    return start


def test_one_process_is_warmed_for_a_session_and_ends_with_it(started):
    did, (end,) = started(nbval=True)
    assert did == ["swept", "warmed"]
    end()
    assert did == ["swept", "warmed", "ended"]


def test_a_worker_and_a_session_without_notebooks_warm_none(started):
    assert started(nbval=True, workerinput={}) == ([], [])
    assert started(nbval=False) == ([], [])


def test_it_is_warmed_before_another_plugin_starts_workers():
    manager = pytest.PytestPluginManager()
    other = SimpleNamespace(pytest_sessionstart=lambda session: None)
    manager.register(nbval_plugin)
    manager.register(other)  # of two that do not say when, the later goes first
    *_, first = manager.hook.pytest_sessionstart.get_hookimpls()
    assert first.plugin is nbval_plugin


def test_chapters_that_take_longest_are_first_and_unknown_ones_last(monkeypatch):
    seconds = {Path(name): float(took) for name, took in (("a", 2), ("b", 0.5), ("c", 9))}
    rows = [SimpleNamespace(chapter=path) for path in seconds]
    monkeypatch.setattr(nbval_plugin, "written", lambda: rows)
    monkeypatch.setattr(nbval_plugin.execute, "expected_seconds", lambda row: seconds[row.chapter])
    items = [SimpleNamespace(path=Path(name)) for name in "xabca"]
    for nbval, order in ((False, "xabca"), (True, "caabx")):
        config = SimpleNamespace(getoption={"nbval": nbval}.get)
        nbval_plugin.pytest_collection_modifyitems(config, items)
        assert [item.path.name for item in items] == [*order]


def test_the_check_of_a_stored_notebook_is_reported_with_its_file():
    path, line, name = nbval_plugin.ExecutionItem.reportinfo(SimpleNamespace(path=Path("a.ipynb")))
    assert (path, line, name) == (Path("a.ipynb"), 0, "a.ipynb: stored execution")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{}", ["not a notebook"]),
        (nbformat.writes(nbformat.v4.new_notebook()), ["as if", "by hand"]),
    ],
)
def test_what_is_wrong_with_a_stored_notebook_is_told_without_a_traceback(
    tmp_path, monkeypatch, text, told
):
    (tmp_path / "one.ipynb").write_text(text, encoding="utf-8")
    monkeypatch.setattr(nbval_plugin.stored, "record_problem", lambda notebook: "as if")
    monkeypatch.setattr(nbval_plugin.stored, "problems", lambda notebook: ["by hand"])
    with pytest.raises(pytest.fail.Exception) as failure:
        nbval_plugin.ExecutionItem.runtest(SimpleNamespace(path=tmp_path / "one.ipynb"))
    lines = str(failure.value).splitlines()
    assert all(line.startswith("one.ipynb: ") for line in lines)
    assert all(words in line for line, words in zip(lines, told, strict=True))
    assert not failure.value.pytrace


def test_a_sanitize_rule_that_nbval_drops_is_refused():
    nbval_plugin.check_sanitize_file("regex: a\nreplace: b\n")
    with pytest.raises(pytest.UsageError, match="1 rules, but nbval reads 0"):
        nbval_plugin.check_sanitize_file("regex: a\nreplace:\n")


@pytest.mark.parametrize("why", ["no text here", None])
def test_numbers_that_cannot_be_had_here_are_not_compared_and_said_to_be_skipped(monkeypatch, why):
    cells = [SimpleNamespace(options={"check": True}) for _ in range(3)]
    made = SimpleNamespace(from_parent=lambda file, name: name)
    for name in ("ExecutionItem", "NotComparedItem"):
        monkeypatch.setattr(nbval_plugin, name, made)
    monkeypatch.setattr(nbval_plugin, "collect_cells", lambda file: cells)
    monkeypatch.setattr(nbval_plugin.notebooks, "read", lambda path: None)
    monkeypatch.setattr(nbval_plugin.reproduce, "not_comparable", lambda notebook: why)
    found = list(nbval_plugin.collect(SimpleNamespace(path="a.ipynb")))
    assert found == ["stored execution", *([why] if why else []), *cells]
    assert [cell.options["check"] for cell in cells] == [why is None] * 3
