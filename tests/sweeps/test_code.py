"""The fingerprint of the code sees what a run reaches, and nothing else."""

import re

import pytest

from lib.sweeps import code


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A stand-in for ``lib``: a reaches b (inside a function) and c, nothing reaches d."""
    sources = {
        "lib": "",
        "lib.a": "def f():\n    from lib.b import g\nimport lib.c\nimport os\n",
        "lib.b": "from lib import a\ng = 1\n",
        "lib.c": "",
        "lib.d": "",
    }
    (tmp_path / "lib").mkdir()
    files = {name: tmp_path / "lib" / f"{name[4:] or '__init__'}.py" for name in sources}
    for name, file in files.items():
        file.write_text(sources[name])
    monkeypatch.setattr(code, "ROOT", tmp_path)
    return files


def test_imports_are_followed_wherever_they_stand(tree):
    assert sorted(code.reached("lib.a")) == ["lib", "lib.a", "lib.b", "lib.c"]


@pytest.mark.parametrize(
    ("name", "seen"), [("lib.a", 1), ("lib.b", 1), ("lib.c", 1), ("lib", 1), ("lib.d", 0)]
)
def test_the_fingerprint_moves_with_what_is_reached(tree, name, seen):
    uncached = code.fingerprint.__wrapped__
    before = uncached("lib.a")
    tree[name].write_text(tree[name].read_text() + "another = 1\n")
    assert (uncached("lib.a") != before) == seen


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ('"""Words."""\n{}', 0),
        ("{}  # a comment\n\n", 0),
        ('{}\ndef f(x):\n    """Words."""\n    return x\n', 1),
        ('{}\nword = "Words."\n', 1),
    ],
)
def test_comments_and_docstrings_compute_nothing(tree, text, seen):
    uncached = code.fingerprint.__wrapped__
    before = uncached("lib.a")
    tree["lib.b"].write_text(text.format(tree["lib.b"].read_text()))
    assert (uncached("lib.a") != before) == seen


@pytest.mark.parametrize(
    ("head", "seen"),
    [("def f(x: int) -> int:", 0), ("async def f(x: int) -> int:", 1), ("def f(x=1):", 1)],
)
def test_annotations_of_a_signature_compute_nothing(tree, head, seen):
    uncached, plain = code.fingerprint.__wrapped__, "def f(x):\n    return x\n"
    tree["lib.b"].write_text(plain)
    before = uncached("lib.a")
    tree["lib.b"].write_text(plain.replace("def f(x):", head))
    assert (uncached("lib.a") != before) == seen


def test_the_fields_of_a_class_count(tree):
    uncached = code.fingerprint.__wrapped__
    tree["lib.b"].write_text("class Point:\n    x: int = 1\n")
    before = uncached("lib.a")
    tree["lib.b"].write_text("class Point:\n    x: float = 1\n")
    assert uncached("lib.a") != before


def test_a_task_from_outside_of_the_packages_stands_beside_what_it_imports(tree, monkeypatch):
    outside = tree["lib"].parents[1] / "outside_task.py"
    outside.write_text("import json\nfrom lib import a\n")
    monkeypatch.syspath_prepend(str(outside.parent))
    assert sorted(code.reached("outside_task")) == [
        "lib",
        "lib.a",
        "lib.b",
        "lib.c",
        "outside_task",
    ]


def test_a_name_that_a_package_hands_on_is_no_module(tree):
    """The module that it comes from is reached by way of the package; a real module counts too."""
    tree["lib"].write_text("from lib.d import g as handed, c\nlimit = 3\ndef helper(): ...\n")
    tree["lib.c"].write_text("")
    tree["lib.b"].write_text("from lib import handed, limit, helper, c\n")
    assert sorted(code.reached("lib.b")) == ["lib", "lib.b", "lib.c", "lib.d"]


@pytest.mark.parametrize(
    "line",
    ["from . import b", "import lib.missing", "from lib import missing", "from lib import g"],
)
def test_an_input_that_nobody_sees_is_refused(tree, line):
    """Neither what a package imports under another name nor what its functions name is its own."""
    tree["lib"].write_text("from lib.d import g as handed\ndef f():\n    missing = 1\n")
    tree["lib.c"].write_text(line)
    with pytest.raises(ValueError, match="import = "):
        code.reached("lib.a")


def test_a_fingerprint_has_sixteen_digits(tree):
    assert re.fullmatch("[0-9a-f]{16}", code.fingerprint.__wrapped__("lib.a"))


def test_another_library_is_another_fingerprint(tree, monkeypatch):
    before = code.fingerprint.__wrapped__("lib.a")
    monkeypatch.setattr(code, "version", lambda name: "0")
    assert code.fingerprint.__wrapped__("lib.a") != before


def test_each_wing_s_grid_reaches_its_wing_alone():
    rates, text = (
        code.reached(name) for name in ("lib.scan_snap.rate_grid", "lib.real_text.text_grid")
    )
    assert {"lib.scan_snap.engine.train", "lib.kernels", "lib.scan_snap.sparsity"} <= rates.keys()
    assert {"lib.real_text.train", "lib.real_text.cooccurrence", "lib.kernels"} <= text.keys()
    assert not any("real_text" in name for name in rates)
    assert not any("scan_snap" in name for name in text)


def test_the_machine_knows_no_wing():
    for name in ("run", "store", "code", "workers", "toml", "threads"):
        reached = code.reached(f"lib.sweeps.{name}")
        assert not any("scan_snap" in n or "real_text" in n or "mechanics" in n for n in reached)
