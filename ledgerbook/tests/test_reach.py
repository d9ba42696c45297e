"""Which statements a piece of code can run, among packages that are named."""

import pytest
from ledgerbook.project import reach

FILES = {
    "lib/__init__.py": "",
    "lib/near.py": (
        "from lib.far import deep, shallow\nimport lib.alone\nLIMIT = 3\nOTHER = 4\n"
        "def used(x):\n    return deep(x) + LIMIT\n"
        "def unused(x):\n    return shallow(x) + OTHER\n"
    ),
    "lib/far.py": "def deep(x):\n    return x\ndef shallow(x):\n    return 2 * x\n",
    "lib/alone.py": "A = 1\nB = 2\nprint(A)\n",
    "lib/late.py": "def f():\n    from lib.alone import B\n    return B\n",
    "lib/named.py": "def by_name():\n    return 1\ndef get(m):\n    return getattr(m, 'by_name')\n",
    "lib/state.py": (
        "count = 0\ndef up():\n    global count\ncount += 1\ntable = {}\ntable['a'] = 5\n"
    ),
    "lib/door/__init__.py": "from lib.far import deep as handed\nfrom lib.door import inside\n",
    "lib/door/inside.py": "C = 7\nD = 8\n",
}


@pytest.fixture(autouse=True)
def packages(tmp_path, varied):
    """One package, ``lib``."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    varied(imports={"lib": tmp_path})
    return tmp_path


@pytest.mark.parametrize(
    ("code", "module", "has", "lacks"),
    [
        ("from lib.near import used", "lib.near", ["'used'", "'LIMIT'"], ["unused", "OTHER"]),
        ("from lib.near import used", "lib.far", ["'deep'"], ["shallow"]),
        ("from lib.near import unused", "lib.far", ["'shallow'"], ["deep"]),
        ("import lib.near", "lib.far", ["'deep'", "'shallow'"], []),
        ("from lib import near\nnear.used(1)", "lib.near", ["'used'"], ["unused"]),
        ("from lib import near as n\nn.used(1)", "lib.near", ["'used'"], ["unused"]),
        ("from lib import near\nf(near)", "lib.near", ["'used'", "'unused'"], []),
        ("from lib.near import LIMIT", "lib.near", ["'LIMIT'"], ["used"]),
        ("from lib.alone import B", "lib.alone", ["'B'", "'A'", "'print'"], []),
        ("from lib.late import f", "lib.alone", ["'B'"], []),
        ("from lib.named import get", "lib.named", ["name='by_name'"], []),
        ("from lib.state import table", "lib.state", ["'count'", "'table'", "'a'"], ["'up'"]),
        ("from lib.door import handed", "lib.far", ["'deep'"], ["shallow"]),
        ("from lib.door import inside\ninside.C", "lib.door.inside", ["'C'"], ["'D'"]),
        ("def g():\n    from lib.far import deep", "lib.far", ["'deep'"], ["shallow"]),
    ],
)
def test_what_is_used_counts_and_what_runs_when_a_module_is_imported(code, module, has, lacks):
    text = reach.reached(code)[module]
    assert all(word in text for word in has) and not any(word in text for word in lacks)


def test_a_rename_moves_what_uses_the_name_alone(packages):
    chapters = {name: f"from lib.near import {name}" for name in ("used", "unused", "LIMIT")}
    before = {name: reach.reached(code) for name, code in chapters.items()}
    for name in ("near", "far"):
        file = packages / f"lib/{name}.py"
        file.write_text(file.read_text().replace("shallow", "flat"))
    moved = {name for name, code in chapters.items() if reach.reached(code) != before[name]}
    assert moved == {"unused"}
