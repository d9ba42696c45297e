"""How to cite a statement: as a sentence and for BibTeX, with the version and the commit."""

import shutil
import subprocess
from typing import NamedTuple

from ledgerbook.chapters.statements import Statement, judged_in
from ledgerbook.project import storage
from ledgerbook.project.project import current, per_project


class Commit(NamedTuple):
    """The last commit that changed a file: its short hash, its year."""

    hash: str
    year: str


def git(*words: str) -> str:
    """What git says of the project; nothing where there is no git or no history."""
    if shutil.which("git") is None:
        return ""
    command = ["git", "-C", str(current().root), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


@per_project
def commit(file: str) -> Commit | None:
    """The last commit that changed a file, unless it was changed since or git knows none."""
    if git("status", "--porcelain", "--", file):
        return None
    hash, _, day = git("log", "-1", "--format=%h %cs", "--", file).partition(" ")
    return Commit(hash, day[:4]) if hash else None


def section(row: Statement) -> str:
    """How to cite the statements of a chapter, folded; nothing where the book cannot be cited."""
    cited = storage.table(current().root / "CITATION.cff")
    if not cited:
        return ""
    at = commit(current().relative(row.chapter))
    shown = [_cited(one, cited, at) for one in judged_in(row)]
    return "::::{dropdown} Cite this statement\n" + "\n\n".join(shown) + "\n::::"


def _cited(row: Statement, cited: dict, at: Commit | None) -> str:
    """A statement as a sentence, then for BibTeX."""
    title, version = cited.get("title", current().settings.title), cited.get("version")
    names = [_name(one) for one in cited.get("authors", ())]
    state = [f"version {version}" if version else "", f"commit {at.hash}" if at else ""]
    note = ", ".join(filter(None, [f"statement {row.tag}", *state]))
    shown = note.replace(row.tag, f"`{row.tag}`")
    year = f" ({at.year})" if at else ""
    sentence = f"{'; '.join(names)}{year}. “{row.name}.” In *{title}*, {shown}."
    fields = {
        "author": " and ".join(f"{{{name}}}" for name in names),
        "title": f"{{{row.name}}}",
        "booktitle": f"{{{title}}}",
        "year": at.year if at else "",
        "note": note,
        "url": cited.get("url") or cited.get("repository-code") or "",
    }
    lines = [f"  {name} = {{{_escaped(value)}}}," for name, value in fields.items() if value]
    return "\n".join([sentence, "", "```bibtex", f"@incollection{{{row.tag},", *lines, "}", "```"])


def _name(author: dict) -> str:
    """An author's name, as CITATION.cff has it."""
    return author.get("name") or ", ".join(
        author[part] for part in ("family-names", "given-names") if part in author
    )


def _escaped(text: str) -> str:
    """A value as BibTeX takes it: what TeX would read is escaped, and dashes are its own."""
    for letter, tex in (("&", r"\&"), ("%", r"\%"), ("#", r"\#"), ("_", r"\_"), ("—", "---")):
        text = text.replace(letter, tex)
    return text
