"""``ledgerbook start FOLDER``: a companion that builds and tests, with one small chapter."""

import importlib.metadata
import json
import re
from pathlib import Path

import jinja2

from ledgerbook.project.validation import require

TEMPLATE = Path(__file__).parents[1] / "template"
SUFFIX = ".jinja"
PAPER = re.compile(r"[a-z]+(-[a-z]+)*")


def main(
    folder: str,
    title: str = "A companion",
    paper: str = "the-paper",
    paper_title: str = "The paper",
    author: str = "its authors",
    year: str = "",
    install: str = "",
) -> None:
    """Write the companion into a new folder; ``ValueError`` for one that is not empty.

    title: of the book.  paper: the paper's short name, with which every tag begins.  install: what
    pip installs this package from, what it was installed from unless given.
    """
    target = Path(folder)
    require(PAPER.fullmatch(paper), "paper", paper, "lower-case words joined by -")
    empty = not target.exists() or (target.is_dir() and not any(target.iterdir()))
    require(empty, "folder", folder, "a new folder, or an empty one")
    answers = dict(title=title, paper=paper, paper_title=paper_title, author=author, year=year)
    for file, text in rendered(answers | {"install": install or source()}).items():
        (target / file).parent.mkdir(parents=True, exist_ok=True)
        (target / file).write_text(text, encoding="utf-8")
    print(f"wrote {folder}; next: cd {folder} && git init && make book && make test")


def rendered(answers: dict[str, str]) -> dict[str, str]:
    """The files of the companion by their names, those that end in ``.jinja`` rendered."""
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    names = {"PAPER": answers["paper"], "PACKAGE": answers["paper"].replace("-", "_")}
    found = {}
    for file in sorted(TEMPLATE.rglob("*")):
        if file.is_file():
            parts = [names.get(part, part) for part in file.relative_to(TEMPLATE).parts]
            text = file.read_text(encoding="utf-8")
            if file.suffix == SUFFIX:
                text = environment.from_string(text).render(answers)
            found["/".join(parts).removesuffix(SUFFIX)] = text
    return found


def source() -> str:
    """What pip installed this package from: a folder, an address, or its name and version."""
    distribution = importlib.metadata.distribution("ledgerbook")
    direct = json.loads(distribution.read_text("direct_url.json") or "{}")
    url = str(direct.get("url", ""))
    return url.removeprefix("file://") or f"ledgerbook=={distribution.version}"
