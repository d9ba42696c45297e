"""``make prove``: every proof through Coq's kernel, and what was proved into one record.

All of it is sources in a scratch folder, of which Coq's own makefile compiles what is new: the
proofs; for each a file that asks for its statements and axioms; and one of the goals that tie its
definitions to ``lib``.
"""

import json
import os
import re
import shutil
import subprocess
import textwrap
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import joblib
import networkx as nx

from ledgerbook.coq import conformance, proofs
from ledgerbook.coq.proofs import SHARED, Failed, Source, logical
from ledgerbook.ledger import coq_record, trusted
from ledgerbook.project import seals, storage
from ledgerbook.project.project import current
from ledgerbook.project.validation import require

TOOLS = ("coqc", "coqchk", "coqdep", "coq_makefile")
PACKAGES = "coq libcoq-coquelicot libcoq-interval"
LIMIT = 3600  # seconds for one command
WIDTH = 90  # columns of a statement as Coq prints it
ASKED, TIED = "asked", "tied"  # folders of the scratch folder
ERROR = re.compile(r'^File "\./([^"]+)", line (\d+).*?\n(.*?)(?=^File "|^make|\Z)', re.M | re.S)
AXIOMS = frozenset(
    {
        "ClassicalDedekindReals.sig_not_dec",
        "ClassicalDedekindReals.sig_forall_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
)


def scratch() -> Path:
    """The folder in which Coq works."""
    return current().build / "prove"


def missing_tools() -> list[str]:
    """The programs of Coq that this machine lacks."""
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def run(*command: str, meanwhile: Callable[[], object] = lambda: None) -> str:
    """All that a command in the scratch folder says; ``meanwhile`` is called now and then.

    Raises ``Failed`` with each error of Coq, below the goal that it is about, or the last words.
    """
    env = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    pipe, ends = subprocess.PIPE, time.monotonic() + LIMIT
    with subprocess.Popen(
        command, cwd=scratch(), env=env, text=True, stdout=pipe, stderr=pipe
    ) as process:
        try:
            while (said := _communicated(process)) is None:
                meanwhile()
                if time.monotonic() > ends:
                    raise Failed(f"{command[0]} took more than {LIMIT} s")
        except BaseException:
            process.terminate()  # make ends what it has started
            raise
    meanwhile()
    stdout, stderr = said
    if process.returncode:
        errors = [failure(*found) for found in ERROR.findall(stderr)]
        raise Failed("\n".join(errors or (stderr + stdout).strip().splitlines()[-12:]))
    return stdout + stderr


def _communicated(process: subprocess.Popen[str]) -> tuple[str, str] | None:
    """What a process has said when it ended, or ``None`` where it has not within a second."""
    try:
        return process.communicate(timeout=1)
    except subprocess.TimeoutExpired:  # what it said until now comes with the next answer
        return None


def compile_new() -> None:
    """Let Coq's makefile compile what is new, a line for each file as it is finished."""
    asked = run("make", "--dry-run", "--keep-going")
    waiting = {file: _written(file) for file in re.findall(r"COQC (\S+)\.v\b", asked)}
    count, start = len(waiting), time.monotonic()

    def tell() -> None:
        for file in [one for one, before in waiting.items() if _written(one) != before]:
            del waiting[file]
            passed = f"{time.monotonic() - start:.0f} s"
            print(f"{count - len(waiting)}/{count} compiled {file}.v ({passed})", flush=True)

    run("make", "--keep-going", f"--jobs={joblib.cpu_count()}", meanwhile=tell)


def _written(file: str) -> int:
    """When a file was compiled last; 0 for never."""
    compiled = scratch() / f"{file}.vo"
    return compiled.stat().st_mtime_ns if compiled.exists() else 0


def failure(place: str, line: str, words: str) -> str:
    """An error of Coq with its place; of a goal, which no file of ours shows, the goal."""
    lines = (scratch() / place).read_text(encoding="utf-8").splitlines()
    goal = f": {lines[int(line) - 1]}" if place.startswith(TIED) else ""
    return f"{place}, line {line}{goal}: {' '.join(words.split())}"


def library(source: Source) -> str:
    """The name of the files that are written for a source."""
    return source.library.replace(".", "_")


def question(source: Source) -> str:
    """What asks for the statement of every main theorem, and the axioms they rest on together.

    Together, because Coq reads through all that lies below each time that it is asked: ten seconds
    where ``interval`` is among it.  It is asked before anything is imported, so that the axioms
    come with their full names.
    """
    stem, names = f"{ASKED}/{library(source)}", [theorem.name for theorem in source.theorems]
    bundle = ", ".join(f"@{source.library}.{name}" for name in names)
    lines = [f"Require {source.library}.", f"Definition together := ({bundle})."]
    lines += [f'Redirect "{stem}" Print Assumptions together.', source.header]
    lines += [f"Import {source.library}.", f"Set Printing Width {WIDTH}."]
    lines += [f'Redirect "{stem}.{name}" Check {name}.' for name in names]
    return "\n".join(lines) + "\n"


def theorems(source: Source) -> list[dict[str, Any]]:
    """The main theorems of a source with the statements and axioms that Coq answered."""
    answer = scratch() / ASKED / f"{library(source)}.out"
    found = axioms(source.place, answer.read_text(encoding="utf-8"))
    said = ((one, answer.with_suffix(f".{one.name}.out")) for one in source.theorems)
    return [vars(one) | {"statement": statement(file), "axioms": found} for one, file in said]


def statement(answer: Path) -> str:
    """``name : type`` as Coq printed it, without the indentation under the name."""
    name, end, rest = answer.read_text(encoding="utf-8").rstrip().partition("\n")
    return name + end + textwrap.dedent(rest)


def axioms(name: str, answer: str) -> list[str]:
    """The axioms that a theorem rests on; ``Failed`` for one that real analysis does not bring."""
    found = sorted(re.findall(r"^(\w[\w.']*)\s*(?::|$)", answer.partition("Axioms:")[2], re.M))
    if "Closed under the global context" not in answer and not found:
        raise Failed(f"{name}: cannot read its axioms in {answer!r}")
    beyond = [axiom for axiom in found if axiom not in AXIOMS]
    if beyond:
        raise Failed(f"{name} rests on {', '.join(beyond)}, which nobody has proved")
    return found


def write_sources(sources: list[Source], entries: list[conformance.Tie]) -> list[str]:
    """Write what is to be compiled, the unchanged left alone, and remove the rest; the files."""
    wanted = {source.place: source.text for source in sources}
    wanted |= {f"{ASKED}/{library(one)}.v": question(one) for one in sources if one.theorems}
    for one in sources:
        if own := [tie for tie in entries if tie.tag == one.tag]:
            wanted[f"{TIED}/{library(one)}.v"] = conformance.goals_file(one, own)
    for stale in {*scratch().glob("*/*.v")} - {scratch() / place for place in wanted}:
        stale.unlink()
        stale.with_suffix(".vo").unlink(missing_ok=True)
    for place, text in wanted.items():
        (scratch() / place).parent.mkdir(parents=True, exist_ok=True)
        storage.write_if_changed(scratch() / place, text)
    return [*wanted]


def required(sources: list[Source], mapping: list[str]) -> dict[str, list[str]]:
    """``{tag: tags that it needs}``, directly or not, as coqdep says."""
    graph = nx.DiGraph()
    tags = {source.place.removesuffix(".v") + ".vo": source.tag for source in sources}
    graph.add_nodes_from(tags.values())
    for line in run("coqdep", *mapping, *(one.place for one in sources)).splitlines():
        targets, _, needed = line.partition(":")
        own = [tags[word] for word in targets.split() if word in tags]
        graph.add_edges_from((tag, tags[w]) for tag in own for w in needed.split() if w in tags)
    return {tag: sorted(nx.descendants(graph, tag)) for tag in graph}


def recheck(sources: list[Source], mapping: list[str]) -> None:
    """Let coqchk read all compiled proofs, unless it has since the last was compiled."""
    stamp = scratch() / "rechecked"
    compiled = [(scratch() / one.place).with_suffix(".vo") for one in sources]
    if stamp.exists() and stamp.stat().st_mtime >= max(one.stat().st_mtime for one in compiled):
        return
    libraries = [one.library for one in sources]
    print(f"all compiled; coqchk reads {len(libraries)} files a second time", flush=True)
    coqchk_says(run("coqchk", "-silent", "-o", *mapping, *libraries), sources)
    stamp.touch()


def coqchk_says(summary: str, sources: list[Source]) -> None:
    """``Failed`` if the second checker's summary names an axiom of ours, or a rule switched off."""
    sections = re.split(r"^\* ", summary, flags=re.MULTILINE)[1:]
    if not any(section.startswith("Axioms:") for section in sections):
        raise Failed(f"coqchk gave no summary: {summary[-300:]}")
    ours = {source.library for source in sources}
    for section in sections:
        title, _, body = section.partition(":")
        for name in body.split() if title != "Theory" else ():
            if any(name.startswith(f"{library}.") for library in ours):
                raise Failed(f"coqchk: {title.lower()}: {name}")


def prove(sources: list[Source], entries: list[conformance.Tie]) -> None:
    """Compile what is new, ask, prove the goals, check a second time, record."""
    scratch().mkdir(parents=True, exist_ok=True)
    version = run("coqc", "-print-version").split()[0]
    places = write_sources(sources, entries)
    folders = sorted({place.partition("/")[0] for place in places})
    mapping = [word for folder in folders for word in ("-Q", folder, logical(folder))]
    run("coq_makefile", "-arg", "-w", "-arg", "none", *mapping, "-o", "Makefile", *places)
    compile_new()
    recheck(sources, mapping)
    write_record(version, sources, required(sources, mapping))


def write_record(version: str, sources: list[Source], requires: dict[str, list[str]]) -> None:
    """Write the record; the same proofs give the same bytes on every machine with this Coq."""
    content = {
        "coq": version,
        "shared": {one.tag: one.sha256 for one in sources if one.folder == SHARED},
        "statements": {
            one.tag: {
                "sha256": one.sha256,
                "requires": requires[one.tag],
                "theorems": theorems(one),
            }
            for one in sources
            if one.folder != SHARED
        },
    }
    text = json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    for line in seals.problems([coq_record.file()]):
        print(f"MADE AGAIN {line}")
    storage.write_if_changed(coq_record.file(), text)
    seals.seal(coq_record.file())


def without_coq(sources: list[Source]) -> int:
    """Say that nothing was re-checked, and which proofs the record does not speak of."""
    print(
        f"no {', '.join(missing_tools())} here, so no proof was re-checked; Debian has them:"
        f" apt-get install --no-install-recommends {PACKAGES}"
    )
    own = {one.tag: one for one in sources if one.folder != SHARED}
    gone = sorted(coq_record.record().get("statements", {}).keys() - own.keys())
    wrong = [f"{tag}: the record speaks of a file that is not there" for tag in gone]
    for tag, one in own.items():
        why = coq_record.outdated(tag)
        wrong += [f"{tag}: {why}"] if why else proofs.contradictions(one)
    wrong += seals.problems([coq_record.file()])
    return refused(wrong)


def refused(lines: Iterable[str]) -> int:
    """Name what does not hold; the exit status."""
    said = [f"NOT PROVED {line}" for line in lines]
    print("\n".join(said), end="\n" * bool(said))
    return int(bool(said))


def main() -> int:
    """Check everything that changed; returns the exit status."""
    start, sources, entries = time.monotonic(), proofs.find(), conformance.ties()
    folder = current().relative(coq_record.folder())
    require(sources, "proofs", folder, "a folder of the project that holds part/name.v")
    try:
        wrong = [line for source in sources for line in proofs.problems(source)]
        wrong += conformance.unmatched(sources, entries)
        if wrong:
            raise Failed("\n".join(wrong))
        if missing_tools():
            return without_coq(sources)
        prove(sources, entries)
    except Failed as failed:
        return refused(str(failed).splitlines())
    for line in trusted.outdated():
        print(f"READ AGAIN {line}")
    counts = f"{sum(len(one.theorems) for one in sources)} theorems in {len(sources)} files"
    goals = sum(tie.goals for tie in entries)
    print(f"proved: {counts}, {goals} bridge goals, {time.monotonic() - start:.0f} s")
    return 0
