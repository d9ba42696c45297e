"""``make lock``: the versions and hashes of every package, from the list in ``requirements.txt``.

Three files come of it.  ``cuda.lock`` holds what only a torch built for CUDA needs on Linux, some
gigabytes; ``requirements.lock`` holds all the rest; ``tooling/installer.lock`` holds uv, which
resolves the packages here and fetches them in ``tooling/install.py``.  A version that is locked
stays as it is unless ``requirements.txt`` asks for another.
"""

import re
import subprocess
import venv

from ledgerbook.project.project import current
from ledgerbook.project.storage import write_if_changed

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
    "tooling/installer.lock": "# What fetches the packages; made by `make lock`.\n",
}


def entries(text: str) -> dict[str, str]:
    """Name and version of each locked package, with the lines that lock it."""
    blocks = re.split(r"\n(?=[a-z0-9])", text.strip("\n"))
    found = {block.partition(" ")[0]: block for block in blocks if "==" in block.partition(" ")[0]}
    return dict(sorted(found.items()))


def compile_lock(requirements: str, preferred: str) -> dict[str, str]:
    """What uv resolves ``requirements`` to, keeping the versions of ``preferred`` where it can."""
    scratch = current().build / "lock"
    venv.create(scratch, with_pip=True)
    binaries = scratch / "bin"
    subprocess.run([binaries / "python", "-m", "pip", "install", "--quiet", UV], check=True)
    listed, out = scratch / "requirements.txt", scratch / "out.lock"
    listed.write_text(requirements, encoding="utf-8")
    out.write_text(preferred, encoding="utf-8")
    asked = ["pip", "compile", str(listed), "--output-file", str(out), *OPTIONS]
    subprocess.run([binaries / "uv", *asked], check=True, stdout=subprocess.DEVNULL)
    return entries(out.read_text(encoding="utf-8"))


def texts(everything: dict[str, str], without_torch: dict[str, str], uv: dict[str, str]) -> dict:
    """The three locks: what stands only because torch wants it goes into the second."""
    kept = [name for name in everything if name in without_torch or name.startswith("torch==")]
    cuda = [block for name, block in everything.items() if name not in kept]
    parts = ([everything[name] for name in kept], cuda, list(uv.values()))
    made = zip(HEADERS.items(), parts, strict=True)
    return {file: head + "\n".join(blocks) + "\n" for (file, head), blocks in made}


def main() -> int:
    """Write the three locks."""
    listed = current().locks[0].read_text(encoding="utf-8")
    files = [current().root / name for name in ("requirements.lock", "cuda.lock")]
    present = "\n".join(file.read_text(encoding="utf-8") for file in files if file.exists())
    everything = compile_lock(listed, present)
    others = re.sub(r"(?m)^torch==.*\n", "", listed)
    without = compile_lock(others, "\n".join(everything.values()))
    for name, text in texts(everything, without, compile_lock(UV + "\n", "")).items():
        write_if_changed(current().root / name, text)
        print(f"{name}: {len(entries(text))} packages")
    return 0
