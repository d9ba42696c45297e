"""Words of pages that say again what is declared or computed, as somebody read them beside it.

A page words the hypotheses that a class declares and the verdict that rows decide, and names the
row of each ``{value}``: none of this moves a row.  So they are kept, and what is no longer as it
was read is named; so are the ranges of ties, and the files in which nothing is computed.
"""

import ast
import contextlib
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ledgerbook.chapters import notebooks, registry
from ledgerbook.chapters.statements import written
from ledgerbook.coq import conformance
from ledgerbook.ledger import coq_record
from ledgerbook.project import storage
from ledgerbook.project.project import current

DIRECTIVE = re.compile(r"^:::.*?^:::$", re.DOTALL | re.MULTILINE)
ENVIRONMENT = re.compile(
    r"^:::\{prf:\w+\}[^\n]*\n:label: (\S+)\n.*?^:::$", re.DOTALL | re.MULTILINE
)
HYPOTHESIS = re.compile(r"\*\*(H\d+)\*\*\s*(.*?)(?=\*\*H\d|\n\s*\n|\n- |\n:::|\Z)", re.DOTALL)
BELIEVE = re.compile(r"^## What you may believe$(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
SENTENCE = re.compile(r"\*In one sentence\.\*.*?(?=\n\s*\n|\Z)", re.DOTALL)
VALUE = re.compile(r"\{value\}`([^`]*)`")
RENEW = "read both, then `python -m ledgerbook.regression.beside`"


def file() -> Path:
    """Where the words are kept, beside the classes of rows."""
    return registry.folder() / "beside.json"


def _digest(text: str) -> str:
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:12]


def _prose(page: Path) -> str:
    """What people read of a page: its Markdown."""
    if page.suffix == ".md":
        return page.read_text(encoding="utf-8")
    cells = (cell for cell in notebooks.read(page).cells if cell.cell_type == "markdown")
    return "\n\n".join(cell.source for cell in cells)


def hypotheses(text: str, tag: str) -> dict[str, str]:
    """How a page words the hypotheses of a statement, by id: in its environment, or anywhere."""
    parts = [found[0] for found in ENVIRONMENT.finditer(text) if found[1] == tag]
    found: dict[str, str] = {}
    for part in (*parts, text):
        for one in HYPOTHESIS.finditer(part):
            found.setdefault(one[1], " ".join(one[2].split()))
    return found


def verdict(text: str) -> str:
    """What a page gives as the answer: headline, one sentence, and what one may believe."""
    headline = text.lstrip().split("\n\n## ", 1)[0]
    told = [*SENTENCE.findall(text), *BELIEVE.findall(text)]
    return DIRECTIVE.sub("", "\n".join([headline, *told]))


def values(text: str) -> dict[str, list[str]]:
    """The rows that a page's sentences take numbers from, by the sentence without them."""
    told = (one for one in re.split(r"(?<=[.!?|])\s+|\n\s*\n", text) if VALUE.search(one))
    return {_digest(VALUE.sub("", one)): VALUE.findall(one) for one in told}


def declared(tag: str) -> dict[str, str]:
    """The hypotheses that a statement's class declares, by id; read where they are literals."""
    kind = registry.tags(registry.declared()[tag].read_text(encoding="utf-8"))[tag]
    for line in kind.body:
        if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "hypotheses":
            with contextlib.suppress(ValueError):
                return ast.literal_eval(line.value)
    inherits = [ast.unparse(base) for base in kind.bases] != ["Checks"]
    assigned = any("hypotheses" in ast.unparse(line).partition("=")[0] for line in kind.body)
    if not (inherits or assigned):
        return {}
    return {**registry.classes([tag])[tag].hypotheses}  # a base's, or computed


def _unmoved() -> list[Path]:
    """The files in which nothing is computed: locks, lists, symbols, how to cite, what is cited."""
    here = {*current().locks, *current().root.glob("*.lock"), current().root / "CITATION.cff"}
    here |= {
        *current().book.glob("*.bib"),
        *current().book.glob("*.toml"),
        current().book / "notation.md",
    }
    return sorted(one for one in here if one.is_file())


def _axioms() -> dict[str, str]:
    """What the theorems of each statement rest on, which Coq alone could say again."""
    known = coq_record.record().get("statements", {})
    told = {
        tag: [(one["name"], one["axioms"]) for one in coq_record.theorems(tag)] for tag in known
    }
    return {f"{tag}, axioms": _digest(repr(found)) for tag, found in told.items()}


def gathered() -> dict[str, Any]:
    """All of it as it is now."""
    pages = {row.tag: row.chapter for row in written()}
    prose = {
        page: _prose(page) for page in sorted({*pages.values(), *current().book.glob("**/*.md")})
    }
    worded = {
        tag: {
            name: {"declared": words, "page": hypotheses(prose[pages[tag]], tag).get(name, "")}
            for name, words in own.items()
        }
        for tag in sorted(registry.declared().keys() & pages.keys())
        if (own := declared(tag))
    }
    named = {current().relative(page): text for page, text in prose.items()}
    told = {current().relative(page): _digest(verdict(prose[page])) for page in pages.values()}
    landing = f"{storage.table(current().toc).get('root', '')}.md"  # all of it is what was found
    told |= {landing: _digest(named[landing])} if landing in named else {}
    return {
        "hypotheses": worded,
        "verdicts": told,
        "values": {page: found for page, text in named.items() if (found := values(text))},
        "ties": {
            f"{one.tag} {one.name}": _digest(repr((one.coq, one.python, one.arguments)))
            for one in conformance.ties()
        }
        | _axioms(),
        "files": {
            current().relative(one): _digest(one.read_text(encoding="utf-8")) for one in _unmoved()
        },
    }


def problems(then: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """A line for each thing that is not as it was read."""
    was, are = ({**kept.get("hypotheses", {})} for kept in (then, now))
    for tag in sorted({*was, *are}):
        for name in sorted({*was.get(tag, {}), *are.get(tag, {})}):
            pair = [some.get(tag, {}).get(name, {}) for some in (was, are)]
            for side in ("declared", "page"):
                one, other = (some.get(side, "") for some in pair)
                if one != other:
                    yield f"{tag} {name}, {side}: {one!r} -> {other!r}; {RENEW}"
    for kind, what in (
        ("verdicts", "the answer (headline, *In one sentence*, *What you may believe*)"),
        ("ties", "the tie, or the axioms,"),
        ("files", "the file"),
    ):
        old, new = then.get(kind, {}), now.get(kind, {})
        for name in sorted({*old, *new}):
            if old.get(name) != new.get(name):
                yield f"{name}: {what} is not as it was read; {RENEW}"
    for page, sentences in now.get("values", {}).items():
        old = then.get("values", {}).get(page, {})
        for sentence, rows in sentences.items():
            if old.get(sentence, rows) != rows:
                yield f"{page}: a sentence takes {rows}, it took {old[sentence]}; {RENEW}"


def main() -> int:
    """Keep everything as it is now; what is another than before is told, to be read."""
    now = gathered()
    print("\n".join(line.removesuffix(f"; {RENEW}") for line in problems(stored(), now)))
    text = json.dumps(now, indent=1, ensure_ascii=False, sort_keys=True)
    storage.write_atomically(file(), text + "\n")
    return 0


def stored() -> dict[str, Any]:
    """All of it as it was read."""
    return storage.table(file())


if __name__ == "__main__":
    raise SystemExit(main())
