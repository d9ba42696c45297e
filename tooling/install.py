"""``make`` runs this first: an environment with exactly the packages of the locks, hashes verified.

Only the standard library: nothing else is there yet.  Run by hand: ``python3 tooling/install.py``.
It can be read by Python 3.7, so that one that is too old is told so.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MACHINERY = ROOT / "ledgerbook"  # a package of its own, installed beside the book
INPUTS = (
    *(ROOT / name for name in ("requirements.lock", "cuda.lock", "pyproject.toml")),
    MACHINERY / "pyproject.toml",
)
VERSIONS = (3, 11), (3, 13)
# PyTorch's own build for processors only (Linux x86-64, Python 3.11): a tenth of the size.  No
# index has it, but a folder may that pip is told of (PIP_FIND_LINKS).  It goes first, since pip
# prefers what comes from an index when both have a hash that is allowed.
PROCESSOR_BUILD = """torch==2.13.0 \\
    --hash=sha256:6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b
"""
PIP = ("-m", "pip", "--disable-pip-version-check", "install", "--quiet")
# Whatever a person's pip is told of where packages go and of which kind: here there is a place for
# them, and torch is not compiled.
PLACE = {"PIP_USER": "0", "PIP_NO_BINARY": ":none:", "PIP_DRY_RUN": "0", "UV_SYSTEM_PYTHON": "0"}
PLACE.update(dict.fromkeys(("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT"), ""))
LOCKED = ("--no-deps", "--require-hashes", "--requirement")  # the locks hold every package


def wanted() -> str:
    """All that decides what is installed; compared as text, so that no clock can mislead it."""
    return "".join(file.read_text(encoding="utf-8") for file in INPUTS)


def is_ready(environment: Path) -> bool:
    """Whether ``environment`` was made from the present locks, to its end."""
    return stamp(environment).get("inputs") == wanted()


def stamp(environment: Path) -> dict:
    """What was noted when ``environment`` was ready: the ``inputs``, and what lay in it."""
    try:
        found = json.loads((environment / ".ready").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def python_of(environment: Path) -> Path:
    """The Python of an environment."""
    return environment / ("Scripts" if sys.platform == "win32" else "bin") / "python"


def version_of(environment: Path) -> tuple[int, ...] | None:
    """Major and minor version of an environment's Python, ``None`` if it does not start."""
    code = "import sys; print(*sys.version_info[:2])"
    try:
        found = subprocess.check_output(
            [python_of(environment), "-ISc", code], stderr=subprocess.DEVNULL
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return tuple(map(int, found.split()))


def packages(environment: Path) -> list[str]:
    """What lies in an environment's folder of packages, but for what people bring up to date."""
    folders = [*environment.glob("lib/python*/site-packages"), environment / "Lib/site-packages"]
    names = {name for folder in folders if folder.is_dir() for name in os.listdir(folder)}
    return sorted(name for name in names if not re.match(r"pip\b|__pycache__", name))


def damage(environment: Path, version: tuple[int, ...] | None) -> str | None:
    """Why an environment with a Python of this version cannot be used as it is, or ``None``.

    Its programs and its Python name the folder that it was made in, so it cannot be moved.
    """
    if version is None:
        return "its Python does not start"
    text = (environment / "pyvenv.cfg").read_text(encoding="utf-8")
    made = re.search(r"(?m)^command = .* -m venv (?:--\S+ )*(.*)$", text)
    if made and made[1] != str(environment):
        return f"it was made in {Path(made[1]).parent}"
    missing = set(stamp(environment).get("packages", ())).difference(packages(environment))
    return f"{min(missing)} is missing in it" if missing else None


def refusal(version: tuple[int, ...]) -> str | None:
    """Why a Python of this version cannot be used, or ``None``."""
    if VERSIONS[0] <= version[:2] and (version[:2] <= VERSIONS[1] or os.environ.get("UNTRIED")):
        return None
    found = (
        f"Python {version[0]}.{version[1]} found, 3.11 to 3.13 needed: make PYTHON=python3.12 ..."
    )
    if version[:2] < VERSIONS[0]:
        return found
    return f"{found} (nobody has tried a later one; at your own risk: make UNTRIED=1 ...)"


def wants_cuda(python: Path) -> bool:
    """Whether the installed torch asks for CUDA's libraries; its processor build does not."""
    code = "import importlib.metadata as m, json; print(json.dumps(m.requires('torch') or []))"
    found = subprocess.run([python, "-c", code], check=True, capture_output=True)
    return any(name.startswith(("nvidia-", "cuda-")) for name in json.loads(found.stdout))


def installer(python: Path, folder: Path) -> list[str | Path] | None:
    """The command of uv, put into a folder of its own; ``None`` where there is no such wheel."""
    listed = Path(__file__).with_name("installer.lock")
    pip: list[str | Path] = [python, *PIP, "--target", folder, "--only-binary", ":all:"]
    subprocess.run([*pip, *LOCKED, listed], capture_output=True)
    uv = shutil.which("uv", path=folder / "bin")
    return [uv, "pip", "install", "--quiet", "--python", python] if uv else None


def install(environment: Path, anew: bool = False) -> None:
    """Make the environment, or bring it up to date; what is right already is left alone.

    anew: empty it first.

    uv fetches and unpacks many packages at once, in a third of pip's time; where it is not to be
    had or fails, as behind an index that only pip is told of, pip does the same.
    """
    os.environ.update(PLACE)
    (environment / ".ready").unlink(missing_ok=True)
    emptied = ["--clear"] if anew else []
    subprocess.run([sys.executable, "-m", "venv", *emptied, environment], check=True)
    python = python_of(environment)
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder) / "requirements.txt"
        listed.write_text(PROCESSOR_BUILD, encoding="utf-8")
        # Where there is no such build this fails, and the next line takes the index's.
        # Compiled where it is imported: most of it never is.
        first = "--no-index", "--no-compile"
        subprocess.run([python, *PIP, *first, *LOCKED, listed], capture_output=True)
        lines = INPUTS[0].read_text(encoding="utf-8").splitlines()
        count = sum(line[:1].isalnum() for line in lines)
        print(f"fetching {count} packages, each verified by hash: some minutes", flush=True)
        uv = installer(python, Path(folder) / "uv")

        def add(*wanted: str | Path) -> None:
            # what uv unpacks is compiled at once, as pip does it
            fast = uv and subprocess.run([*uv, "--compile-bytecode", *wanted], capture_output=True)
            if not fast or fast.returncode:
                subprocess.run([python, *PIP, *wanted], check=True)

        add(*LOCKED, ROOT / "requirements.lock")
        if wants_cuda(python):
            add(*LOCKED, ROOT / "cuda.lock")
        # setuptools is in the lock, so the build needs no environment, and no download, of its own.
        add("--no-deps", "--no-build-isolation", "--editable", MACHINERY, "--editable", ROOT)
    noted = {"inputs": wanted(), "packages": packages(environment)}
    (environment / ".ready").write_text(json.dumps(noted), encoding="utf-8")


def needed(environment: Path, version: tuple[int, ...], kept: bool) -> tuple[bool, str | None]:
    """Whether there is anything to install, and why the environment is made anew, if it is.

    kept: an environment of another version will do.
    """
    if not (environment / "pyvenv.cfg").is_file():
        return True, None
    own = version_of(environment)
    why, ready = damage(environment, own), is_ready(environment)
    if own and own != version and not (kept and ready and not why):
        why = f"it has Python {own[0]}.{own[1]}, this one is {version[0]}.{version[1]}"
    return bool(why) or not ready, why


def main() -> int:
    """Install if the locks changed, or the environment is not what it was; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("environment", nargs="?", default=".venv", type=Path)
    parser.add_argument("--kept", action="store_true", help="one of another Python will do")
    asked = parser.parse_args()
    environment, version = asked.environment.absolute(), sys.version_info[:2]
    some, why = needed(environment, version, asked.kept)
    if not some and asked.kept:
        return 0
    problem = refusal(version)
    if problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    if why:
        print(f"making {environment.name} anew: {why}", flush=True)
    try:
        if some:
            install(environment, anew=bool(why))
    except subprocess.CalledProcessError as error:
        print(f"error: {' '.join(map(str, error.cmd[:5]))} … failed", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
