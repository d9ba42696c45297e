"""``make next``: does the book still build, and pass the package's tests, with today's versions?

The locks fix what builds the pages.  This command installs the newest version of those tools into
``_build/next``, where what is not among them comes from the ordinary environment, and runs there in
a copy of what git has.  It changes nothing else, and it may fail: it says what a later version
breaks, some time before that version is needed.
"""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from ledgerbook.project.project import current

from tooling.lock import UV

SECTIONS = ("book", "test")  # of requirements.txt: what makes the pages, and what tests them
KEPT = {"jupyter-book"}  # it asks for Sphinx 7; all that is used of it works with later ones
STEPS = {
    "pages": ["-m", "tooling", "pages"],
    "tests of ledgerbook": ["-m", "pytest", "-q", "-n", "auto", "--dist", "loadfile", "tests"],
}


def folder() -> Path:
    """Where the newest are installed and tried."""
    return current().build / "next"


def listed(text: str) -> dict[str, str]:
    """Names and versions in the sections of a list of requirements that are tried."""
    parts = re.split(r"(?m)^# (\w+)", text)
    chosen = [part for name, part in zip(parts[1::2], parts[2::2], strict=True) if name in SECTIONS]
    found = dict(re.findall(r"(?m)^([\w.-]+)==(\S+)$", "\n".join(chosen)))
    return {name: version for name, version in found.items() if name not in KEPT}


def environment(names: list[str]) -> Path:
    """The Python of a fresh environment with the newest version of each."""
    venv.create(folder() / "venv", with_pip=True, clear=True)
    python = folder() / "venv/bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", UV], check=True)
    install = [
        folder() / "venv/bin/uv",
        "pip",
        "install",
        "--quiet",
        "--python",
        python,
        "--upgrade",
    ]
    subprocess.run([*map(str, install), *names], check=True)
    (packages,) = (folder() / "venv/lib").glob("python*/site-packages")
    ordinary = sysconfig.get_path("purelib")
    tree = folder() / "tree"
    last = [tree, tree / "ledgerbook/src", ordinary]  # in this order, after what is newest
    (packages / "ordinary.pth").write_text("".join(f"{one}\n" for one in last), encoding="utf-8")
    return python


def copied() -> Path:
    """A copy of what git has, as it is in the working tree."""
    tree = folder() / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    asked = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(
        asked, cwd=current().root, check=True, capture_output=True, text=True
    ).stdout
    for name in filter(None, names.split("\0")):
        if (current().root / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(current().root / name, tree / name)
    return tree


def main() -> int:
    """Try it, and say which versions are newer and what fails; 1 where something does."""
    before = listed(current().locks[0].read_text(encoding="utf-8"))
    python, tree = environment(sorted(before)), copied()
    (packages,) = (folder() / "venv/lib").glob("python*/site-packages")
    found = importlib.metadata.distributions(path=[str(packages)])
    now = {re.sub(r"[_.]", "-", one.name.lower()): one.version for one in found}
    for name, version in before.items():
        if now.get(name, version) != version:
            print(f"newer: {name} {version} -> {now[name]}")
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    failed = []
    for name, command in STEPS.items():
        print(f"trying: {name}", flush=True)
        here = tree / "ledgerbook" if "pytest" in command else tree
        if subprocess.run([python, *command], cwd=here, env=env).returncode:
            failed.append(name)
    print(f"fails with newer versions: {', '.join(failed)}" if failed else "nothing fails")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
