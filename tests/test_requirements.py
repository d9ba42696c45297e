"""What is installed: the list, the extras, the lock, and how far the core reaches."""

import json
import subprocess
import sys
import tomllib
from collections import defaultdict

from ledgerbook.chapters import fingerprint, notebooks
from ledgerbook.chapters.statements import written
from ledgerbook.project.project import current

# What the extras bring that a model or a check may import, but for the small ones of `proofs`.
BEYOND_CORE = {
    "train": ("torch", "numba"),
    "text": ("pooch", "platformdirs", "tqdm"),
    "sweep": ("dask", "distributed"),
    "reference": ("cvxpy",),
}
CORE = {"numpy", "scipy", "sympy", "mpmath", "networkx", "matplotlib"}


def requirement_names(lines):
    """Names of packages in requirement lines."""
    return {line.partition("==")[0].strip().lower() for line in lines if line[:1].isalpha()}


def test_the_list_and_the_extras_name_the_same_packages():
    project = tomllib.loads((current().root / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    extras = [name for names in project["optional-dependencies"].values() for name in names]
    declared = {name for name in [*project["dependencies"], *extras] if "[" not in name}
    listed = requirement_names(current().locks[0].read_text(encoding="utf-8").splitlines())
    assert listed - {"setuptools"} == declared, "requirements.txt and pyproject.toml differ"
    assert set(project["dependencies"]) == CORE


def test_every_package_of_the_list_is_locked_with_its_version_and_hashes():
    listed = current().locks[0].read_text(encoding="utf-8").splitlines()
    locked = current().locks[1].read_text(encoding="utf-8")
    pins = {line for line in listed if line[:1].isalpha()}
    missing = {pin for pin in pins if f"\n{pin} " not in locked}
    assert missing == set(), "run make lock"
    assert "://" not in locked and "--index" not in locked and "--find-links" not in locked
    owners = defaultdict(int)
    for line in locked.splitlines():
        if line[:1].isalpha():
            owner = line
        elif "--hash=sha256:" in line:
            owners[owner] += 1
    assert len(owners) == sum(line[:1].isalpha() for line in locked.splitlines())


IMPORTS_ALONE = """
import ast, importlib.abc, json, sys

class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in blocked:
            raise ModuleNotFoundError(f"blocked: {name}", name=name)

blocked, chapters = json.load(sys.stdin)
sys.meta_path.insert(0, Blocked())
works = []
for tag, code in chapters.items():
    tree = ast.parse(code)
    tree.body = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
    try:
        exec(compile(tree, tag, "exec"), {})
        works.append(tag)
    except ModuleNotFoundError as error:
        if not str(error).startswith("blocked"):
            raise
print(json.dumps(works))
"""


def test_the_readme_names_how_many_chapters_the_core_suffices_for():
    """Their imports are made where nothing of the large extras can be had."""
    blocked = [name for names in BEYOND_CORE.values() for name in names]
    code = {row.tag: notebooks.code(notebooks.read(row.chapter)) for row in written()}
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS_ALONE],
        input=json.dumps([blocked, code]),
        cwd=current().root,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    works = json.loads(done.stdout)
    for tag in set(code) - set(works):  # none falls out for another reason
        files = fingerprint.closure(code[tag])
        sources = [code[tag], *(file.read_text(encoding="utf-8") for file in files)]
        assert any(
            f"import {name}" in s or f"from {name}" in s for s in sources for name in blocked
        )
    page = (current().book / "running.md").read_text(encoding="utf-8")
    assert f"{len(works)} of the {len(code)} chapters" in page, len(works)
