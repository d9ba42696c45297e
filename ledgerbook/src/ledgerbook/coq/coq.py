"""Coq at work: compiling, asking for statements and axioms, checking a second time."""

import graphlib
import hashlib
import json
import re
import shutil
import subprocess
import textwrap
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from ledgerbook.coq.proofs import Failed, Source, logical
from ledgerbook.ledger import coq_record
from ledgerbook.project import paths, storage

SCRATCH = paths.BUILD / "prove"
TOOLS = ("coqc", "coqchk", "coqdep")
PACKAGES = "coq libcoq-coquelicot libcoq-interval"
JOBS = 2
LIMIT = 600  # seconds for one command
WIDTH = 90  # columns of a statement as Coq prints it
AXIOMS = frozenset(
    {
        "ClassicalDedekindReals.sig_not_dec",
        "ClassicalDedekindReals.sig_forall_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
)


def missing_tools() -> list[str]:
    """The programs of Coq that this machine lacks."""
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def run(*command: str) -> str:
    """All that a command in the scratch folder says; ``Failed`` with its last words on error."""
    done = subprocess.run(command, cwd=SCRATCH, capture_output=True, text=True, timeout=LIMIT)
    if done.returncode:
        raise Failed("\n".join((done.stderr + done.stdout).strip().splitlines()[-12:]))
    return done.stdout + done.stderr


def mapping(sources: Iterable[Source]) -> list[str]:
    """The options that give every folder its Coq name."""
    folders = sorted({source.folder for source in sources})
    return [word for folder in folders for word in ("-Q", folder, logical(folder))]


def coqc(file: str, options: list[str]) -> str:
    """Compile one file of the scratch folder."""
    return run("coqc", "-q", "-noglob", "-w", "none", *options, file)


def copy_sources(sources: list[Source]) -> None:
    """Bring the scratch folder to the present sources, leaving what is unchanged alone."""
    wanted = {SCRATCH / source.place: source.text for source in sources}
    for stale in set(SCRATCH.glob("*/*.v")) - wanted.keys():
        if (coq_record.folder() / stale.parent.name).is_dir():
            stale.unlink()
    for target, text in wanted.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")


def dependencies(sources: list[Source]) -> dict[str, set[str]]:
    """``{tag: tags that it needs}``, direct ones, as coqdep says."""
    if not sources:
        return {}
    tags = {source.place.removesuffix(".v") + ".vo": source.tag for source in sources}
    found: dict[str, set[str]] = {}
    for line in run("coqdep", *mapping(sources), *(one.place for one in sources)).splitlines():
        targets, _, needed = line.partition(":")
        tag = next((tags[word] for word in targets.split() if word in tags), None)
        if tag:
            found[tag] = {tags[word] for word in needed.split() if word in tags}
    return found


def digest(*parts: str) -> str:
    """One hash of several texts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def keys(version: str, sources: list[Source], needs: dict[str, set[str]]) -> dict[str, str]:
    """A hash a tag of all that its result depends on."""
    found: dict[str, str] = {}
    by_tag = {source.tag: source for source in sources}
    for tag in graphlib.TopologicalSorter(needs).static_order():
        above = (found[name] for name in sorted(needs[tag]))
        found[tag] = digest(version, by_tag[tag].text, by_tag[tag].place, *above)
    return found


def closure(tag: str, needs: dict[str, set[str]]) -> list[str]:
    """All tags that a tag needs, directly or not."""
    direct = needs[tag]
    return sorted(direct.union(*(closure(name, needs) for name in direct)))


def compile_source(source: Source, options: list[str]) -> dict[str, Any]:
    """Compile a file and ask Coq for its theorems: ``{name: {statement, axioms}}``."""
    try:
        coqc(source.place, options)
    except Failed as failure:
        raise Failed(f"{source.place}: {failure}") from None
    return ask(source, options) if source.theorems else {}


def ask(source: Source, options: list[str]) -> dict[str, Any]:
    """Statement of every main theorem, and the axioms that they rest on together.

    Together, because Coq reads through all that lies below each time that it is asked: ten seconds
    where ``interval`` is among it.  It is asked before anything is imported, so that the axioms
    come with their full names.
    """
    stem = f"ask_{source.library.replace('.', '_')}"
    names = [theorem.name for theorem in source.theorems]
    bundle = ", ".join(f"@{source.library}.{name}" for name in names)
    lines = [f"Require {source.library}.", f"Definition together := ({bundle})."]
    lines += [f'Redirect "{stem}" Print Assumptions together.', source.header]
    lines += [f"Import {source.library}.", f"Set Printing Width {WIDTH}."]
    lines += [f'Redirect "{stem}.{name}" Check {name}.' for name in names]
    (SCRATCH / f"{stem}.v").write_text("\n".join(lines) + "\n", encoding="utf-8")
    coqc(f"{stem}.v", options)
    found = axioms(source.place, (SCRATCH / f"{stem}.out").read_text(encoding="utf-8"))
    said = {name: (SCRATCH / f"{stem}.{name}.out").read_text(encoding="utf-8") for name in names}
    return {name: {"statement": statement(said[name]), "axioms": found} for name in names}


def statement(answer: str) -> str:
    """``name : type`` as Coq prints it, without the indentation under the name."""
    name, end, rest = answer.rstrip().partition("\n")
    return name + end + textwrap.dedent(rest)


def axioms(name: str, answer: str) -> list[str]:
    """The axioms that a theorem rests on; ``Failed`` for one that real analysis does not bring."""
    found = sorted(re.findall(r"^(\w[\w.']*)\s*(?::|$)", answer.partition("Axioms:")[2], re.M))
    if "Closed under the global context" not in answer and not found:
        raise Failed(f"{name}: cannot read its axioms in {answer!r}")
    beyond = [axiom for axiom in found if axiom not in AXIOMS]
    if beyond:
        more = f" and {len(beyond) - 3} more" if len(beyond) > 3 else ""
        raise Failed(f"{name} rests on {', '.join(beyond[:3])}{more}, which nobody has proved")
    return found


def in_order(needs: dict[str, set[str]], work: Callable[[str], Any]) -> dict[str, Any]:
    """``{tag: work(tag)}``, each after what it needs, two at a time; every failure is collected."""
    sorter, results, failures = graphlib.TopologicalSorter(needs), {}, []
    sorter.prepare()
    with ThreadPoolExecutor(JOBS) as pool:
        running: dict[Future, str] = {}
        while True:
            running |= {pool.submit(work, tag): tag for tag in sorter.get_ready()}
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                tag = running.pop(future)
                if isinstance(future.exception(), Failed):
                    failures.append(str(future.exception()))
                    continue
                results[tag] = future.result()
                sorter.done(tag)
    if failures:
        raise Failed("\n".join(sorted(failures)))
    return results


def cached(file: Path, key: str, work: Callable[[], Any]) -> tuple[Any, bool]:
    """``work()``'s result, or that in ``file`` under the same key; and whether it ran."""
    stored = storage.table(file)
    if stored.get("key") == key:
        return stored["result"], False
    result = work()
    storage.write_atomically(file, json.dumps({"key": key, "result": result}))
    return result, True


def recheck(version: str, sources: list[Source], current: dict[str, str]) -> bool:
    """Let coqchk read all compiled files, unless it has; returns whether it did."""
    key = digest(version, *sorted(current.values()))

    def work() -> None:
        libraries = [one.library for one in sources]
        coqchk_says(run("coqchk", "-silent", "-o", *mapping(sources), *libraries), sources)

    return cached(SCRATCH / "rechecked.json", key, work)[1]


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
