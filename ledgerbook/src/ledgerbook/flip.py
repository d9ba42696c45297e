"""``make flip``: a sign flipped in proof steps drawn at random; does each turn red?

A step is a theorem of the Coq files or a row that a chapter proves (kinds ``PROVED``).  The sign
stands in what the step concludes, never in what it assumes: a stronger assumption would leave a
true step true.  A step turns red when Coq refuses it, when the row no longer holds, or when its
computation stops.
"""

import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ledgerbook import coq, flip_rows, notebooks, proofs
from ledgerbook.proofs import Source
from ledgerbook.statements import Statement, written

LIMIT = 600  # seconds for one step with the cells before it
STEP = 60  # seconds for its own computation: a flipped identity may keep SymPy busy for ever
SIGN = re.compile(r"(?<=[\w)'] )([+-])(?= [\w(/-])|(?<=[(=<,] )-(?= [\w(/])|(?<=\()-(?=[ \w])")
RUN = """
import json, os, signal, sys
from ledgerbook.judgement import compare
def late(*given):
    raise TimeoutError
signal.signal(signal.SIGALRM, late)
task, scope = json.load(sys.stdin), {"__name__": "__main__", "compare": compare}
exec(compile(task["before"], "before", "exec"), scope)
def judged(text):
    signal.alarm(task["seconds"])
    try:
        exec(compile(text, "step", "exec"), scope)
    except Exception as error:
        return f"stops: {type(error).__name__}"
    finally:
        signal.alarm(0)
    return "holds" if scope[task["result"]] else "fails"
def held(text):  # in a process of its own: what a cell records or changes the next must not see
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, judged(text).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        word = pipe.read()
    os.waitpid(child, 0)
    return word or "stops: killed"
print(json.dumps([held(text) for text in task["texts"]]))
"""


@dataclass(frozen=True)
class Step:
    """A step that can be flipped: its name, its signs, and how it is judged."""

    name: str
    signs: int
    place: Any  # a Source and a theorem's span, or a ``flip_rows.Row``


def theorem_steps() -> Iterator[Step]:
    """The announced theorems whose conclusion has a sign."""
    for source in proofs.find():
        for theorem in source.theorems:
            span = conclusion(source.text, theorem.name)
            yield Step(
                f"{source.tag}: theorem {theorem.name}",
                len(SIGN.findall(source.text[slice(*span)])),
                (source, span),
            )


def conclusion(text: str, name: str) -> tuple[int, int]:
    """Where a theorem's conclusion stands: behind its last arrow that no bracket holds."""
    found = re.search(
        rf"^(?:Theorem|Lemma|Corollary) {name}\b.*?\.(?=\s+Proof\b)", text, re.DOTALL | re.MULTILINE
    )
    if not found:
        raise ValueError(f"theorem = {name!r}, allowed: one followed by its proof")
    statement, depth = found.group(), 0
    start = found.start() + statement.index(":")
    for place, sign in enumerate(statement):
        depth += (sign in "([{") - (sign in ")]}")
        if depth == 0 and statement.startswith(" ->", place):
            start = found.start() + place + 3
    return start, found.end()


def row_steps() -> Iterator[Step]:
    """The proved rows of all chapters whose value has a sign."""
    for chapter in written():
        for row in flip_rows.rows(notebooks.read(chapter.chapter)):
            yield Step(f"{chapter.tag}: row {row.id}", row.signs, (chapter, row))


def flipped(text: str, span: tuple[int, int], index: int) -> tuple[int, str]:
    """A text with one sign of a span flipped; the line it stands in."""
    found = list(SIGN.finditer(text[slice(*span)]))[index]
    place = span[0] + found.end() - 1
    other = {"+": "-", "-": "+" if found.group(1) else " "}[text[place]]
    return text[:place].count("\n") + 1, text[:place] + other + text[place + 1 :]


def judge_theorem(source: Source, span: tuple[int, int], index: int) -> tuple[str, str, str]:
    """Let Coq read the file with one sign flipped: where, what it says of it, what before."""
    line, text = flipped(source.text, span, index)
    options = [str(coq.SCRATCH / word) if word in folders() else word for word in mapping()]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, source.path.name)
        file.write_text(text, encoding="utf-8")
        command = ["coqc", "-q", "-noglob", "-w", "none", *options, str(file)]
        done = subprocess.run(command, capture_output=True, timeout=LIMIT)
    return f"line {line}", "refused" if done.returncode else "holds", "holds"


def folders() -> set[str]:
    """The folders of the Coq files."""
    return {source.folder for source in proofs.find()}


def mapping() -> list[str]:
    """The options that give every folder its Coq name."""
    return coq.mapping(proofs.find())


def judge_row(chapter: Statement, row: flip_rows.Row, index: int) -> tuple[str, str, str]:
    """Compute a row with one sign flipped: where, what becomes of it, what it was before."""
    words, text = row.flipped(index)
    task: dict[str, Any] = {"before": row.before, "texts": [row.text, text]}
    task |= {"result": flip_rows.RESULT, "seconds": STEP}
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        input=json.dumps(task),
        cwd=chapter.chapter.parent,
        env=flip_rows.environment(),
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    if done.returncode:
        raise ValueError(f"{chapter.tag}: its cells stop: {done.stderr.strip().splitlines()[-1]}")
    before, after = json.loads(done.stdout.splitlines()[-1])
    return words, after, before


def judge(step: Step, rng: random.Random) -> tuple[str, str]:
    """Flip one sign of a step: "red", "GREEN" or "no step", and a line that says what was seen.

    A row that fails as it stands shows a slip of the paper: no step.
    """
    index, (home, part) = rng.randrange(step.signs), step.place
    ask = judge_theorem if isinstance(home, Source) else judge_row
    words, after, before = ask(home, part, index)
    verdict = "no step" if before != "holds" else "GREEN" if after == "holds" else "red"
    return verdict, f"{verdict} {step.name}, {words}: {before}, flipped {after}"


def main(number: int, seed: int) -> int:
    """Flip a sign in ``number`` steps drawn without replacement; 1 if one of them stayed green."""
    if missing := coq.missing_tools():
        raise ValueError(f"no {', '.join(missing)} here: make prove says how to get them")
    if not all((coq.SCRATCH / s.place).with_suffix(".vo").exists() for s in proofs.find()):
        raise ValueError("some proofs are not compiled here: make prove does it")
    steps = [*theorem_steps(), *row_steps()]
    able = [step for step in steps if step.signs]
    rng = random.Random(seed)
    rng.shuffle(able)
    print(f"{len(steps)} steps, {len(able)} with a sign; {number} of them drawn with seed {seed}")
    seen: Counter[str] = Counter()
    for step in able:
        if seen["red"] + seen["GREEN"] == number:
            break
        verdict, line = judge(step, rng)
        seen[verdict] += 1
        print(line, flush=True)
    print(f"{seen['red']} of {seen['red'] + seen['GREEN']} turned red")
    return 1 if seen["GREEN"] else 0
