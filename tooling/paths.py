"""Every path and file name of the project, once."""

from pathlib import Path

from lib import storage

ROOT = Path(__file__).resolve().parents[1]
BOOK = ROOT / "book"
LIB = ROOT / "lib"
DATA = BOOK / "data"
STATEMENTS = BOOK / "statements.toml"
EQUATIONS = BOOK / "equations.toml"  # how many a paper displays, and why one has no row
ANSWERS = BOOK / "answers.toml"  # what the authors said to an erratum
RESOLUTION = BOOK / "resolution.json"  # what each claim can see
ERRATA = BOOK / "errata"  # a file an erratum that runs without lib
CONFIG, TOC = ROOT / "_config.yml", ROOT / "_toc.yml"
LOCKS = (ROOT / "requirements.txt", ROOT / "requirements.lock")
SANITIZE = ROOT / "tests" / "sanitize.cfg"

BUILD = ROOT / "_build"
LEDGER = BUILD / "ledger.json"
STATUSES = BUILD / "statuses.json"
RUNS = BUILD / "runs"  # one record a chapter: fingerprint, cost, outcome
EXECUTING = BUILD / "executing"  # notebooks under execution, renamed into BOOK when whole
CHAPTERS = BUILD / "chapters"  # single chapters with parameters of your own
LOCK = BUILD / "book.lock"
SPHINX = BUILD / "sphinx"  # the generated conf.py
EXTRA = BUILD / "extra"  # copied to the root of the site: MathJax, the explorable's grid
DOCTREES = BUILD / "doctrees"  # Sphinx' cache, not part of the site
HTML = BUILD / "html"
INDEX = HTML / "index.html"
STAMP = BUILD / "html.stamp"


def relative(path):
    """A path as people and records should see it: relative to the project."""
    return Path(path).resolve().relative_to(ROOT).as_posix()


def write_atomically(path, text):
    """Write ``text`` whole or not at all, prepared where the next run sweeps up after a killed
    one.
    """
    storage.write_atomically(path, text.encode(), scratch_dir=EXECUTING)


def write_if_changed(path, text):
    """Write atomically, but leave the file and its time alone when it already says this."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        write_atomically(path, text)
