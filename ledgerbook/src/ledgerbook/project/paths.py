"""Every path and file name of the companion, once."""

import os
from pathlib import Path

from ledgerbook.project import settings, storage

ROOT = settings.root()
BOOK = ROOT / settings.settings().book
PROOFS = ROOT / settings.settings().proofs
IMPORTS = {name: ROOT / folder for name, folder in settings.settings().imports.items()}
DATA = BOOK / "data"
STATEMENTS = BOOK / "statements.toml"
EQUATIONS = BOOK / "equations.toml"  # how many a paper displays, and why one has no row
SCHEMA = Path(__file__).parents[1] / "ledger.schema.json"
ERRATA = BOOK / "errata"  # a file an erratum that runs without the companion's code
CONFIG, TOC = ROOT / "_config.yml", ROOT / "_toc.yml"
LOCKS = tuple(ROOT / name for name in settings.settings().locks)

BUILD = ROOT / "_build"
LEDGER = BUILD / "ledger.json"
STATUSES = BUILD / "statuses.json"
RUNS = BUILD / "runs"  # one record a chapter: fingerprint, cost, outcome
EXECUTED = BUILD / "executed"  # each chapter as this machine executed it, for comparison
HOMES = BUILD / "homes"  # settings of matplotlib and IPython
CHAPTERS = BUILD / "chapters"  # single chapters with parameters of your own
SPHINX = BUILD / "sphinx"  # the generated conf.py
EXTRA = BUILD / "extra"  # copied to the root of the site: a font, the companion's own
DOCTREES = BUILD / "doctrees"  # Sphinx' cache, not part of the site
HTML = BUILD / "html"
INDEX = HTML / "index.html"
STAMP = BUILD / "html.stamp"


def relative(path: Path | str) -> str:
    """A path as people and records should see it: relative to the project, links unfollowed."""
    absolute = Path(os.path.abspath(path))
    if not absolute.is_relative_to(ROOT):
        absolute = absolute.resolve()
    return absolute.relative_to(ROOT).as_posix() if absolute.is_relative_to(ROOT) else str(path)


def packages() -> list[Path]:
    """The folders of the companion's own packages."""
    return [folder / name for name, folder in IMPORTS.items()]


def python_path(root: Path = ROOT) -> str:
    """``PYTHONPATH`` for a process that is to import the packages of a copy of the companion."""
    folders = dict.fromkeys([".", *settings.settings().imports.values()])
    return os.pathsep.join(str(root / folder) for folder in folders)


def document(name: str) -> str:
    """The document name of a generated page, as in ``book/errata``."""
    return relative(BOOK / name)


def start() -> str:
    """The document that a reader begins with."""
    return settings.settings().start or document("intro")


def write_if_changed(path: Path, text: str) -> None:
    """Write atomically, but leave the file and its time alone when it already says this."""
    try:
        same = path.read_text(encoding="utf-8") == text
    except (FileNotFoundError, UnicodeDecodeError):
        same = False
    if not same:
        storage.write_atomically(path, text)
