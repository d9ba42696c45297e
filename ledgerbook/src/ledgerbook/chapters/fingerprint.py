"""What a chapter's results depend on: its code, the modules it reaches, data, the lock."""

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path

from nbformat import NotebookNode

from ledgerbook.chapters import notebooks, registry
from ledgerbook.chapters.statements import written
from ledgerbook.ledger import coq_record
from ledgerbook.project import imports, reach, seals
from ledgerbook.project.imports import closure
from ledgerbook.project.project import current
from ledgerbook.project.validation import require


def require_listed(sources: Iterable[str]) -> None:
    """Refuse an import of a package of the project that ``imports`` does not list."""
    tops = {module.partition(".")[0] for one in sources for module, *_ in imports.named(one)}
    for name in sorted(tops - current().imports.keys()):
        here = current().root / name / "__init__.py"
        allowed = f"a package listed under [tool.ledgerbook.imports]; add {name}"
        require(not here.exists(), "import", name, allowed)


def digest(parts: Iterable[str | Path]) -> str:
    """One short hash of texts and files."""
    sha = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part.read_bytes()
        sha.update(len(data).to_bytes(8, "big") + data)
    return sha.hexdigest()[:16]


def fingerprint(notebook: NotebookNode) -> str:
    """Hash of all that results depend on: not prose, not outputs, nor Python's version.

    Of the modules that are reached those statements count that the chapter can run, without
    comments and layout, and with docstrings in the folder of the rows alone, whose words they are.
    """
    code = notebooks.code(notebook)
    files = closure(code)
    require_listed([code, *(file.read_text(encoding="utf-8") for file in files)])
    locks = [file for file in current().locks if file.exists()]
    known = coq_record.record().get("statements", {})
    accepted = [json.dumps(known[tag], sort_keys=True) for tag in judged(code) if tag in known]
    run = reach.reached(code, documented=[registry.folder().name]).values()
    return digest([code, *run, *tables(notebook), *proofs(code), *accepted, *locks])


def stale() -> list[str]:
    """The tags of the chapters whose stored outputs are of another state of the code."""
    found = []
    for row in written():
        notebook = notebooks.read(row.chapter)
        if notebook.metadata.get("book", {}).get("inputs") != fingerprint(notebook):
            found.append(row.tag)
    return found


def main() -> int:
    """Print the tags of the stale chapters; status 1 where there are some."""
    found = stale()
    last = f"{len(found)} of {len(written())} chapters are stored of another state of the code"
    print("\n".join([*found, last]))
    return 1 if found else 0


def tables(notebook: NotebookNode) -> list[Path]:
    """The stored tables that a chapter reads: those whose file names occur in its code."""
    code = notebooks.code(notebook)
    texts = [code, *(file.read_text(encoding="utf-8") for file in closure(code))]
    stored = [*current().data.rglob("*")]
    for name, folder in current().imports.items():
        stored += [*(folder / name).rglob("*.csv"), *(folder / name).rglob("*.json")]
    found = (file for file in stored if file.is_file() and any(file.name in text for text in texts))
    return sorted(file for file in found if file.name != seals.NAME)


def reads(notebook: NotebookNode) -> dict[str, str]:
    """The hash of each stored table that a chapter reads, by the file's name."""
    return {file.name: digest([file]) for file in tables(notebook)}


def judged(code: str) -> list[str]:
    """The tags that a chapter judges: those of the classes of rows that it imports or declares.

    Raises ``ValueError`` where it closes a statement and none is found: its proofs would be inputs
    that nobody sees.
    """
    homes = map(imports.module_file, sorted(imports.imported_modules(code)))
    files = [file for file in homes if file and file.is_relative_to(registry.folder())]
    texts = [code, *(file.read_text(encoding="utf-8") for file in files)]
    found = [tag for text in texts for tag in registry.tags(text)]
    closes = re.search(r"\.close\(\)\s*$", code)
    require(found or not closes, "statements", found, "those whose rows the chapter closes")
    return found


def proofs(code: str) -> list[Path]:
    """The proof files of the statements that a chapter judges."""
    files = [coq_record.source(tag) for tag in judged(code)]
    return [file for file in files if file.exists()]
