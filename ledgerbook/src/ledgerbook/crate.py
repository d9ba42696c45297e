"""``make crate``: the evidence in one folder that stands alone (RO-Crate, process runs).

The folder holds the source as git has it, the ledger with its schema, the record of every run on
this machine, what to type to check any claim, and what only a person or a registry can give.
"""

import hashlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import yaml
from rocrate.model.contextentity import ContextEntity
from rocrate.rocrate import ROCrate

from ledgerbook import collect, markup, paths, project, runs
from ledgerbook.recheck import Numbered, described, numbered, table
from ledgerbook.statements import Statement, written

PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
SOURCE = "source"  # the folder of the crate that holds the project
CHECK = Path(__file__).parent / "templates" / "check.py"
# What no program can make up.
MISSING = {
    "identifier": "a DOI: an archive (Zenodo, Software Heritage, ...) gives one on deposit",
    "author": "ORCIDs of the authors",
    "publisher": "an archive or a journal",
    "certificate": "of an artifact evaluation or a codecheck",
}


def main(target: Path | None = None) -> int:
    """Write the crate as ``target``, a folder that is not there yet or is replaced as a whole."""
    target = paths.BUILD / "crate" if target is None else target
    write(target)
    print(f"{paths.relative(target)}: start with ARTIFACT.md")
    return 0


def write(target: Path) -> None:
    """The crate.  Raises ``ValueError`` where git or this machine's runs are behind the book."""
    changed = git("status", "--porcelain", "--untracked-files=no")
    if changed:
        raise ValueError(f"uncommitted changes, a crate is made from a commit: {changed}")
    if target.exists() and not (target / "ro-crate-metadata.json").is_file():
        raise ValueError(f"OUT = {str(target)!r}, allowed: a new folder, or an older crate")
    missing = [row.tag for row in written() if not runs.is_fresh(row)]
    if missing:
        raise ValueError(f"not executed on this machine (make book does it): {', '.join(missing)}")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        draft = Path(folder) / "crate"
        files = Path(folder) / "files"
        _write_files(files)
        _metadata(files).write(draft)
        if target.exists():
            shutil.rmtree(target)
        draft.rename(target)


def git(*command: str) -> str:
    """What git prints.  Raises ``ValueError`` outside a repository."""
    found = subprocess.run(["git", *command], cwd=paths.ROOT, capture_output=True, text=True)
    if found.returncode:
        raise ValueError(f"git {command[0]}: {found.stderr.strip() or 'failed'}")
    return found.stdout.strip()


def identifiers() -> dict[str, str]:
    """Software hash identifiers: git's own hashes of the commit, the tree and each package."""
    found = {"commit": f"swh:1:rev:{git('rev-parse', 'HEAD')}"}
    found["source"] = f"swh:1:dir:{git('rev-parse', 'HEAD^{tree}')}"
    for folder in paths.packages():
        name = paths.relative(folder)
        found[name] = f"swh:1:dir:{git('rev-parse', f'HEAD:{name}')}"
    return found


def _write_files(folder: Path) -> None:
    """Everything but the metadata of the crate itself."""
    settings = project.settings()
    source = folder / SOURCE
    source.mkdir(parents=True)
    archive = subprocess.run(
        ["git", "archive", "HEAD"], cwd=paths.ROOT, check=True, capture_output=True
    ).stdout
    subprocess.run(["tar", "-x"], cwd=source, input=archive, check=True)
    ledger = collect.collect()
    collect.validate(ledger)
    rows = numbered(ledger)
    _json(folder / "ledger.json", ledger)
    shutil.copyfile(paths.SCHEMA, folder / "ledger.schema.json")
    shutil.copyfile(CHECK, folder / "check.py")
    _json(folder / "install.json", {"command": settings.install, "python": settings.python})
    for row in written():
        _json(folder / "runs" / f"{row.tag}.json", runs.load(row.tag))
    _json(folder / "claims.json", [_claim(one) for one in rows])
    _json(folder / "codemeta.json", codemeta())
    (folder / "claims.csv").write_text(table(ledger), encoding="utf-8")
    appendix = markup.render("artifact.md.jinja", **_appendix(ledger, rows))
    (folder / "ARTIFACT.md").write_text(appendix, encoding="utf-8")


def _json(file: Path, value: Any) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _claim(one: Numbered) -> dict[str, Any]:
    return {**described(one), "seconds": runs.load(_home(one)).get("seconds")}


def _home(one: Numbered) -> str:
    """The tag of the chapter that a row was measured in."""
    return next(row.tag for row in written() if one.statement["chapter"] == _place(row))


def _place(row: Statement) -> str:
    return paths.relative(row.chapter)


def codemeta() -> dict[str, Any]:
    """CodeMeta 3.0, from ``CITATION.cff`` and ``pyproject.toml``."""
    citation = yaml.safe_load((paths.ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    return {
        "@context": "https://w3id.org/codemeta/3.0",
        "@type": "SoftwareSourceCode",
        "name": citation["title"],
        "version": citation["version"],
        "license": f"https://spdx.org/licenses/{citation['license']}",
        "programmingLanguage": "Python",
        "identifier": identifiers()["source"],
        "author": [{"@type": "Person", **_person(one)} for one in citation["authors"]],
        "referencePublication": [one["title"] for one in citation.get("references", [])],
        "softwareRequirements": [paths.relative(lock) for lock in paths.LOCKS],
    }


def _person(author: dict[str, str]) -> dict[str, str]:
    names = {"family-names": "familyName", "given-names": "givenName", "name": "name"}
    return {names[key]: value for key, value in author.items() if key in names}


def _appendix(ledger: dict[str, Any], rows: list[Numbered]) -> dict[str, Any]:
    experiments: list[dict[str, Any]] = []
    for count, row in enumerate(written(), 1):
        numbers = [one.number for one in rows if one.statement["chapter"] == _place(row)]
        record = runs.load(row.tag)
        experiments.append({"number": f"E{count}", "row": row, "claims": numbers, "record": record})
    return {
        "title": project.settings().title,
        "command": project.settings().command,
        "source": SOURCE,
        "identifiers": identifiers(),
        "experiments": experiments,
        "claims": [_claim(one) for one in rows],
        "errata": ledger["errata"],
        "seconds": sum(one["record"]["seconds"] for one in experiments),
        "missing": MISSING,
    }


def _metadata(files: Path) -> ROCrate:
    """The crate's own description: every file, every run with its times and environment."""
    crate = ROCrate()
    citation = codemeta()
    crate.name = citation["name"]
    crate.description = "Executed chapters, their ledger, and what re-checks each claim"
    crate.license = citation["license"]
    crate.datePublished = datetime.fromisoformat(git("log", "-1", "--format=%cI"))
    crate.root_dataset["conformsTo"] = {"@id": PROFILE}
    crate.add(ContextEntity(crate, PROFILE, {"@type": "CreativeWork", "name": "Process Run Crate"}))
    crate.add_directory(files / SOURCE, SOURCE, properties={"identifier": identifiers()["source"]})
    for file in sorted(path for path in files.iterdir() if path.is_file()):
        crate.add_file(file, file.name, properties={"encodingFormat": _format(file)})
    crate.root_dataset["mentions"] = [run for row in written() for run in _run(crate, files, row)]
    return crate


def _format(file: Path) -> str:
    formats = {".json": "application/json", ".md": "text/markdown", ".csv": "text/csv"}
    return formats.get(file.suffix, "text/x-python")


def _run(crate: ROCrate, files: Path, row: Statement) -> Iterator[ContextEntity]:
    """One execution: the notebook as it is in the source, what it read, what it stored."""
    record = runs.load(row.tag)
    end = datetime.strptime(record["time"], "%Y-%m-%d %H:%M UTC")
    notebook = crate.add_file(
        files / SOURCE / _place(row),
        f"{SOURCE}/{_place(row)}",
        properties={
            "@type": ["File", "SoftwareSourceCode"],
            "name": row.name,
            "sha256": hashlib.sha256(row.chapter.read_bytes()).hexdigest(),
        },
    )
    result = crate.add_file(files / "runs" / f"{row.tag}.json", f"runs/{row.tag}.json")
    yield crate.add(
        ContextEntity(
            crate,
            f"#run-{row.tag}",
            {
                "@type": "CreateAction",
                "name": f"{row.number} executed and compared with what is stored",
                "instrument": notebook,
                "object": notebook,
                "result": result,
                "startTime": (end - timedelta(seconds=record["seconds"])).isoformat() + "Z",
                "endTime": end.isoformat() + "Z",
                "actionStatus": "http://schema.org/CompletedActionStatus",
                "description": f"{record['environment']}; inputs {record['inputs']}",
            },
        )
    )
