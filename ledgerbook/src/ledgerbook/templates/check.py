#!/usr/bin/env python3
"""Claims of this crate, checked from nothing but Python: python3 check.py [C12 C40 ...]

Makes an environment in source/.venv from the lock files (once; where the project has no command
for it, this Python has to do), executes the chapters of the chosen claims and compares with
ledger.json.  Ten claims at random unless some are named.
"""

import argparse
import json
import random
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "source"
INSTALL = json.loads((HERE / "install.json").read_text(encoding="utf-8"))


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("claims", nargs="*", help="as numbered in ARTIFACT.md")
    options.add_argument("--number", type=int, default=10, help="how many at random")
    options.add_argument("--seed", type=int, default=None, help="which; a new one each time")
    given = options.parse_args()
    listed = {one["number"]: one for one in json.loads((HERE / "claims.json").read_text("utf-8"))}
    seed = random.SystemRandom().randrange(10**6) if given.seed is None else given.seed
    drawn = random.Random(seed).sample(list(listed), min(given.number, len(listed)))
    chosen = given.claims or drawn
    unknown = [name for name in chosen if name not in listed]
    if unknown:
        options.error(f"{', '.join(unknown)}: no such claim, allowed: C1 to C{len(listed)}")
    print("claims " + " ".join(chosen) + ("" if given.claims else f" (seed {seed})"), flush=True)
    seconds = {listed[name]["statement"]: listed[name]["seconds"] or 0 for name in chosen}
    print(f"about {sum(seconds.values()):.0f} s, after the environment is made", flush=True)
    python = sys.executable
    if INSTALL["command"]:
        subprocess.run([sys.executable, *INSTALL["command"]], cwd=SOURCE, check=True)
        python = SOURCE / INSTALL["python"]
    command = [python, "-m", "ledgerbook", "recheck", "--ledger", HERE / "ledger.json", *chosen]
    return subprocess.run(command, cwd=SOURCE).returncode


if __name__ == "__main__":
    sys.exit(main())
