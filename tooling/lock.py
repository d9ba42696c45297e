"""``make lock``: the versions and hashes of every package, from the list in ``requirements.txt``.

Three files come of it.  ``cuda.lock`` holds what only a torch built for CUDA needs on Linux, some
gigabytes; ``requirements.lock`` holds all the rest; ``tooling/installer.lock`` holds uv, which
resolves the packages here and fetches them in ``tooling/install.py``.  A version that is locked
stays as it is unless ``requirements.txt`` asks for another.
"""

import re
import subprocess
import sys
import venv
from pathlib import Path

from ledgerbook.project.paths import BUILD, LOCKS, ROOT, write_if_changed

UV = "uv==0.13.9"
OPTIONS = (
    "--universal --python-version 3.11 --generate-hashes --no-annotate --no-header"
    " --no-emit-index-url --no-emit-find-links --quiet"
).split()
HEADERS = {
    "requirements.lock": (
        "# Every package of requirements.txt and what it needs, with the hashes that pip verifies;"
        "\n# made by `make lock`.\n"
    ),
    "cuda.lock": "# What a torch built for CUDA needs besides; made by `make lock`.\n",
}
INSTALLER = "tooling/installer.lock", "# What fetches the packages; made by `make lock`.\n"


def entries(text: str) -> dict[str, str]:
    """Name and version of each locked package, with the lines that lock it."""
    blocks = re.split(r"\n(?=[a-z0-9])", text.strip("\n"))
    found = {block.partition(" ")[0]: block for block in blocks if "==" in block.partition(" ")[0]}
    return dict(sorted(found.items()))


def compile_lock(requirements: str, preferred: str) -> dict[str, str]:
    """What uv resolves ``requirements`` to, keeping the versions of ``preferred`` where it can."""
    scratch = BUILD / "lock"
    venv.create(scratch, with_pip=True)
    binaries = scratch / "bin"
    subprocess.run([binaries / "python", "-m", "pip", "install", "--quiet", UV], check=True)
    listed, out = scratch / "requirements.txt", scratch / "out.lock"
    listed.write_text(requirements, encoding="utf-8")
    out.write_text(preferred, encoding="utf-8")
    command: list[str | Path] = [
        binaries / "uv",
        "pip",
        "compile",
        listed,
        "--output-file",
        out,
        *OPTIONS,
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return entries(out.read_text(encoding="utf-8"))


def split(everything: dict[str, str], without_torch: dict[str, str]) -> dict[str, str]:
    """The two locks: what stands only because torch wants it goes into the second."""
    cuda = everything.keys() - without_torch.keys()
    cuda -= {name for name in cuda if name.startswith("torch==")}
    parts = {
        "requirements.lock": [block for name, block in everything.items() if name not in cuda],
        "cuda.lock": [everything[name] for name in sorted(cuda)],
    }
    return {file: HEADERS[file] + "\n".join(blocks) + "\n" for file, blocks in parts.items()}


def main() -> int:
    """Write the three locks."""
    listed = LOCKS[0].read_text(encoding="utf-8")
    files = [ROOT / name for name in HEADERS]
    present = "\n".join(file.read_text(encoding="utf-8") for file in files if file.exists())
    everything = compile_lock(listed, present)
    others = re.sub(r"(?m)^torch==.*\n", "", listed)
    without = compile_lock(others, "\n".join(everything.values()))
    installer, header = INSTALLER
    uv = header + "\n".join(compile_lock(UV + "\n", "").values()) + "\n"
    for name, text in {**split(everything, without), installer: uv}.items():
        write_if_changed(ROOT / name, text)
        print(f"{name}: {len(entries(text))} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
