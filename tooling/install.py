"""``make`` runs this first: an environment with exactly the packages of the locks, hashes verified.

Only the standard library: nothing else is there yet.  Run by hand: ``python3 tooling/install.py``.
"""

import json
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


def wanted() -> str:
    """All that decides what is installed; compared as text, so that no clock can mislead it."""
    return "".join(file.read_text(encoding="utf-8") for file in INPUTS)


def is_ready(environment: Path) -> bool:
    """Whether ``environment`` was made from the present locks, to its end."""
    stamp = environment / ".ready"
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted()


def refusal(version: tuple[int, int, int]) -> str | None:
    """Why a Python of this version cannot be used, or ``None``."""
    if VERSIONS[0] <= version[:2] <= VERSIONS[1]:
        return None
    return (
        f"Python {version[0]}.{version[1]} found, 3.11 to 3.13 needed: make PYTHON=python3.12 ..."
    )


def wants_cuda(python: Path) -> bool:
    """Whether the installed torch asks for CUDA's libraries; its processor build does not."""
    code = "import importlib.metadata as m, json; print(json.dumps(m.requires('torch') or []))"
    found = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True)
    return any(name.startswith(("nvidia-", "cuda-")) for name in json.loads(found.stdout))


def install(environment: Path) -> None:
    """Make the environment, or bring it up to date; what is right already is left alone."""
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = environment / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    pip: list[str | Path] = [
        python,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "--quiet",
    ]
    # The locks hold every package, so pip need not look for more.
    locked: list[str | Path] = ["--no-deps", "--require-hashes", "--requirement"]
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder) / "requirements.txt"
        listed.write_text(PROCESSOR_BUILD, encoding="utf-8")
        # Where there is no such build this fails, and the next line takes the index's.
        subprocess.run([*pip, "--no-index", *locked, listed], capture_output=True)
    subprocess.run([*pip, *locked, ROOT / "requirements.lock"], check=True)
    if wants_cuda(python):
        subprocess.run([*pip, *locked, ROOT / "cuda.lock"], check=True)
    # setuptools is in the lock, so the build needs no environment, and no download, of its own.
    here: list[str | Path] = ["--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, *here, "--editable", MACHINERY, "--editable", ROOT], check=True)
    (environment / ".ready").write_text(wanted(), encoding="utf-8")


def main() -> int:
    """Install if the locks changed since; the exit status."""
    environment = Path(sys.argv[1] if len(sys.argv) > 1 else ".venv").absolute()
    problem = refusal(sys.version_info[:3])
    if problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    if not is_ready(environment):
        try:
            install(environment)
        except subprocess.CalledProcessError as error:
            print(f"error: {' '.join(map(str, error.cmd[:5]))} … failed", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
