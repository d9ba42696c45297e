"""``ledgerbook init``: a ledger in the folder of a Jupyter Book that exists.

The book's own pages and its configuration stay as they are.  What is new are two folders, a table
in ``pyproject.toml``, and a part at the end of the table of contents.
"""

import json
import re
from pathlib import Path
from typing import Any

import yaml

from ledgerbook.project import settings, storage
from ledgerbook.project.project import use
from ledgerbook.project.validation import require

FOLDER = "checked"  # of statements.toml, the chapters and the generated pages
PAGES = {"ledger": "Ledger", "errata": "Errata", "status": "Status"}
TAG = re.compile(r"[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*")
TABLE = """
[tool.ledgerbook]
title = {title}
start = {start}  # the book's own first page; its table of contents stays yours
strict = false  # true: a warning ends the build
book = "{folder}"
papers = {{ {paper} = {name} }}
imports = {{ checks = "." }}
locks = {locks}
"""
STATEMENTS = """# Every statement that is checked.  The chapter of `paper.some-name` is
# {folder}/paper/some_name.ipynb; `ledgerbook new TAG` writes its skeleton.

[[statement]]
tag = "{tag}"
number = {number}
title = {title}
uses = []
"""


def main(tag: str, paper: str = "", number: str = "", title: str = "") -> None:
    """Write the two folders, the table and the part; ``ValueError`` where one is there already.

    tag: of the first statement, ``paper.name``.  paper: the paper's title.  number, title: how the
    statement is called.  What was written is taken back where something fails.
    """
    here = Path.cwd()
    files = planned(here, tag, paper, number, title)
    before = {file: (here / file).read_bytes() for file in files if (here / file).exists()}
    try:
        for file, text in files.items():
            (here / file).parent.mkdir(exist_ok=True)
            (here / file).write_text(text, encoding="utf-8")
        _begin(here, tag)
    except BaseException:
        _take_back(here, files, before)
        raise
    print(f"added {FOLDER}/, checks/, [tool.ledgerbook] in pyproject.toml, a part in _toc.yml")
    short, _, name = tag.partition(".")
    rows = f"checks/{short.replace('-', '_')}/{name.replace('-', '_')}.py"
    print(f"next: ledgerbook book, then open _build/html/{_chapter(tag)}.html")
    print(f"its row, to be replaced by yours: {rows}; its words: {_chapter(tag)}.ipynb")
    print("for `jupyter-book build .`, add ledgerbook.site.sphinx_ext to sphinx: extra_extensions")


def planned(here: Path, tag: str, paper: str, number: str, title: str) -> dict[str, str]:
    """The texts of all files that are new or longer than before, but for chapter and rows."""
    contents = storage.table(here / "_toc.yml")
    where = f"{here.name}/_toc.yml: root"
    require("root" in contents, where, contents.get("root"), "the table of contents of a book")
    require(settings.table(here) is None, "folder", here.name, "one without [tool.ledgerbook]")
    require(TAG.fullmatch(tag), "tag", tag, "paper.name in lower case, as in the-paper.lemma-01")
    for name in (FOLDER, "checks"):
        require(not (here / name).exists(), "folder", name, "a name that is free here")
    short, _, name = tag.partition(".")
    words = " ".join(one.lstrip("0") for one in name.split("-")).capitalize()
    told = {
        "folder": FOLDER,
        "tag": tag,
        "paper": short,
        "name": json.dumps(paper or " ".join(short.split("-")).capitalize()),
        "number": json.dumps(number or words),
    }
    book = storage.table(here / "_config.yml").get("title") or here.name
    locks = json.dumps([one for one in ("requirements.txt",) if (here / one).exists()])
    start = str(contents["root"]).removesuffix(".md").removesuffix(".ipynb")
    table = TABLE.format(title=json.dumps(book), start=json.dumps(start), locks=locks, **told)
    title = title or "The first n odd numbers add up to a square"
    files = {
        "pyproject.toml": _text(here / "pyproject.toml")
        + table.lstrip("\n" if not (here / "pyproject.toml").exists() else ""),
        "_toc.yml": extended(
            _text(here / "_toc.yml"), [_chapter(tag), *(f"{FOLDER}/{p}" for p in PAGES)]
        ),
        f"{FOLDER}/statements.toml": STATEMENTS.format(title=json.dumps(title), **told),
    }
    files |= {f"{FOLDER}/{p}.md": f"# {t}\n\n:::{{{p}-page}}\n:::\n" for p, t in PAGES.items()}
    return files


def _chapter(tag: str) -> str:
    short, _, name = tag.partition(".")
    return f"{FOLDER}/{short}/{name.replace('-', '_')}"


def _text(file: Path) -> str:
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return text if not text or text.endswith("\n") else text + "\n"


def _begin(here: Path, tag: str) -> None:
    """The chapter and its rows, by the settings that have just been written."""
    from ledgerbook.chapters import skeleton

    with use(here):
        skeleton.main(tag, example=True)


def _take_back(here: Path, files: dict[str, str], before: dict[str, bytes]) -> None:
    import shutil

    for file in files:
        if file in before:
            (here / file).write_bytes(before[file])
        else:
            (here / file).unlink(missing_ok=True)
    for name in (FOLDER, "checks"):
        shutil.rmtree(here / name, ignore_errors=True)


def extended(text: str, documents: list[str]) -> str:
    """A table of contents with a part of these documents at its end, its lines left as they are.

    Raises ``ValueError`` where the end of the file is not the list of parts or chapters.
    """
    old = yaml.safe_load(text)
    kind = next((name for name in ("parts", "chapters", "sections") if name in old), None)
    require(kind, "_toc.yml", sorted(old), "parts, chapters or sections")
    lines = re.findall(r"^( *)- ", text[text.index(f"{kind}:") :], re.MULTILINE)
    pad = min(lines, key=len, default="")
    items = [f"- file: {document}\n" for document in documents]
    if kind == "parts":
        added = [f"{pad}- caption: Checked\n", f"{pad}  chapters:\n"]
        added += [f"{pad}    {item}" for item in items]
    else:
        added = [f"{pad}{item}" for item in items]
    new = text + "".join(added)
    try:
        same = _without_last(yaml.safe_load(new), str(kind), len(added) if kind != "parts" else 1)
    except (yaml.YAMLError, TypeError):
        same = None
    require(same == old, "_toc.yml", kind, f"{kind} at the end of the file")
    return new


def _without_last(table: dict[str, Any], kind: str, number: int) -> dict[str, Any]:
    return table | {kind: table[kind][:-number]}
