"""Which files a piece of code reaches, among packages that are named."""

import pytest
from ledgerbook.chapters import registry
from ledgerbook.project import imports

FILES = {
    "lib/__init__.py": "",
    "lib/near.py": "import numpy\nfrom lib.far import f",
    "lib/far.py": "import lib.near",
    "lib/alone.py": "",
    "lib/part/__init__.py": "",
    "lib/part/deep.py": "from other import tool",
    "lib/door/__init__.py": "from lib.far import f as g, alone\nlimit = 3\ndef helper():\n  x = 1",
    "lib/door/alone.py": "",
    "lib/data/table.csv": "",
    "beside/other/tool.py": "",
}


NEAR_FAR = {"lib.near", "lib.far"}


@pytest.fixture
def packages(tmp_path, varied):
    """Two packages in two folders: ``lib``, and ``other`` without a file of its own."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = {"lib": tmp_path, "other": tmp_path / "beside"}
    varied(imports=found)


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("import numpy as np\nfrom os import path", set()),
        ("import lib.near, numpy", {"lib.near"}),
        ("from lib.near import f", {"lib.near"}),
        ("from lib import near, alone", {"lib", "lib.near", "lib.alone"}),
        ("from lib.part import deep", {"lib.part", "lib.part.deep"}),
        ("def f():\n    from lib.far import f", {"lib.far"}),
        ("from lib.door import g, limit, helper", {"lib.door"}),
        ("from lib.door import alone", {"lib.door", "lib.door.alone"}),
        ("import library\nimport lib", {"lib"}),
        (
            "try:\n    f()\nexcept OSError:\n    import lib.far\nelse:\n    import lib.near",
            NEAR_FAR,
        ),
        (
            "match f:\n    case 1:\n        import lib.far\n    case _:\n        import lib.near",
            NEAR_FAR,
        ),
    ],
)
def test_what_code_imports_of_the_packages(packages, code, names):
    assert imports.imported_modules(code) == names


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import lib.nowhere", "import = 'lib.nowhere', allowed: a module of lib"),
        ("from lib import nowhere", "import = 'lib.nowhere', allowed: a module of lib"),
        ("from lib.data import table", "import = 'lib.data', allowed|import = 'lib.data.table'"),
        ("from lib.door import f", "import = 'lib.door.f', allowed: a module of lib"),
        ("from lib.door import x", "import = 'lib.door.x', allowed: a module of lib"),
        ("from . import near", "import = 'from . import near', allowed: absolute imports"),
        ("from .lib import near", "import = 'from .lib import near', allowed: absolute imports"),
    ],
)
def test_an_import_that_leads_to_no_file_is_named(packages, code, words):
    with pytest.raises(ValueError, match=words):
        imports.imported_modules(code)


@pytest.mark.parametrize(
    ("code", "files"),
    [
        ("import lib.near", ["lib/__init__.py", "lib/far.py", "lib/near.py"]),
        ("import lib.alone", ["lib/__init__.py", "lib/alone.py"]),
        ("import numpy", []),
        (
            "from lib.door import g",
            ["lib/__init__.py", "lib/door/__init__.py", "lib/far.py", "lib/near.py"],
        ),
    ],
)
def test_code_reaches_what_its_modules_import_and_lie_in(packages, tmp_path, code, files):
    assert imports.closure(code) == [tmp_path / name for name in files]


def test_a_module_that_is_no_python_is_told_by_file_and_line(tmp_path, varied):
    (tmp_path / "own").mkdir()
    (tmp_path / "own/__init__.py").touch()
    (tmp_path / "own/bad.py").write_text("x = 1\ndef broken(:\n", encoding="utf-8")
    varied(root=tmp_path)
    varied(imports={"own": tmp_path})
    with pytest.raises(ValueError, match=r"^own/bad\.py:2: invalid syntax$"):
        imports.closure("from own import bad")


def test_a_class_of_rows_that_is_no_python_is_told_by_file_and_line(tmp_path, monkeypatch, varied):
    (tmp_path / "one.py").write_text("class One:\n    tag = \n", encoding="utf-8")
    varied(root=tmp_path)
    monkeypatch.setattr(registry, "folder", lambda: tmp_path)
    for ask in (registry.declared, registry.places):
        with pytest.raises(ValueError, match=r"^one\.py:2: invalid syntax$"):
            ask()
