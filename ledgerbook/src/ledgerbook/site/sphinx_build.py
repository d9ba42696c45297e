"""The site: offline, in parallel, warnings as errors, made anew only when something changed; by
``make pages``, or by the stock command, ``jupyter-book build .``.
"""

import csv
import io
import os
import sys
from pathlib import Path
from typing import Any

import joblib

from ledgerbook.chapters import collect, data_scripts, fingerprint, toc
from ledgerbook.chapters.statements import require_pages
from ledgerbook.execution import environment
from ledgerbook.ledger.judgement import rows_of
from ledgerbook.pages import graph, parts
from ledgerbook.project import markup, parent_watch, storage
from ledgerbook.project.project import current
from ledgerbook.site import configuration, mathfont

COLUMNS = "statement row kind strength observed relation bound rtol atol passed as_printed claim"


class BuildError(RuntimeError):
    """The pages could not be built; what is wrong has been printed."""


def inputs() -> str:
    """A hash of all that the site is made from."""
    makers = (maker(how["module"]).parent for how in current().settings.extra.values())
    files = sorted(
        file
        for folder in (current().book, Path(__file__).parents[1], *current().packages(), *makers)
        for file in folder.rglob("*")
        if file.is_file() and not {".ipynb_checkpoints", "__pycache__"} & set(file.parts)
        if file.suffix != ".partial"
    )
    described = (
        current().root / "pyproject.toml",
        current().config,
        current().toc,
        current().ledger,
    )
    files += [file for file in described if file.exists()]
    files += sorted(current().runs.glob("*.json"))
    return fingerprint.digest([*files, *map(current().relative, files)])


def build() -> bool:
    """Build the site if its inputs changed; returns whether it did.

    The pages of a book that was there before lie anywhere: Sphinx is asked what is new in them.
    Raises ``BuildError`` on a warning, ``ValueError`` for a page that is not there.  The caller
    holds ``tempdirs.only_run``.
    """
    require_pages()
    collect.renewed()
    write_readme()
    if not current().toc.exists():
        toc.main()
    now = inputs()
    built = current().index.exists() and current().stamp.exists()
    if built and not toc.own() and current().stamp.read_text(encoding="utf-8") == now:
        return False
    current().stamp.unlink(missing_ok=True)
    write_extra()
    write_conf()
    sphinx()
    write_index()
    storage.write_atomically(current().stamp, now)
    return True


def write_readme() -> None:
    """What a README shows of the book: pictures that the companion keeps, and the counts."""
    ledger = collect.load()
    for file, text in graph.pictures(ledger):
        storage.write_if_changed(file, text)
    readme = current().root / "README.md"
    if readme.exists():
        text = readme.read_text(encoding="utf-8")
        storage.write_if_changed(readme, parts.with_counts(text, ledger))


def sphinx() -> None:
    """Sphinx, workers included.  ``BuildError`` on a warning, or an error if not strict."""
    folders = ["-c", current().sphinx, "-d", current().doctrees, current().root, current().html]
    options = ["-b", "html", "-j", str(joblib.cpu_count()), "--keep-going", "-q"]
    options += ["-W"] if current().settings.strict else []
    options += map(str, folders)
    _run("the build of the pages failed; each warning above is an error", "sphinx", *options)


def _run(failed: str, *module: str) -> None:
    """A module with its arguments in a process of its own, dead with this one; else ``failed``."""
    command = [sys.executable, "-m", "ledgerbook.project.parent_watch", *module]
    given = os.environ | environment.quiet()
    # Where a book has its notebooks executed by Sphinx, a picture is what the kernel's own backend
    # puts among the outputs, whatever backend a person or a test has set.
    del given["MPLBACKEND"]
    if parent_watch.run(command, cwd=current().root, env=given):
        raise BuildError(failed)


def write_extra() -> None:
    """What is copied to the root of the site: a font, and what the companion computes for it."""
    for name, how in current().settings.extra.items():
        if (current().book / how["page"]).exists():
            write_computed(name, how["module"])
    mathfont.write_font(current().extra)
    write_data(current().extra / "_data")


def write_data(folder: Path) -> None:
    """The ledger for machines: JSON with its schema, and a table of all rows."""
    storage.write_if_changed(folder / "ledger.json", data_scripts.packed(collect.load()))
    storage.write_if_changed(
        folder / "ledger.schema.json", collect.SCHEMA.read_text(encoding="utf-8")
    )
    storage.write_if_changed(folder / "claims.csv", table(collect.load()))
    licence = current().root / "LICENSE"
    if licence.exists():
        storage.write_if_changed(folder / "LICENSE.txt", licence.read_text(encoding="utf-8"))


def table(ledger: dict[str, Any]) -> str:
    """All rows as comma-separated values."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS.split(), extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for one in ledger["statements"]:
        for row in rows_of(one):
            writer.writerow({"statement": one["tag"], "row": row["id"], **row})
    return text.getvalue()


def write_computed(name: str, module: str) -> None:
    """A folder of the site that a module of the companion writes, when its code changed.

    In a process of its own, because what such a module imports and compiles costs seconds, which
    are nobody else's here.  Raises ``BuildError`` where it fails.
    """
    source = maker(module)
    beside = sorted((source.parent / "templates").glob(f"{name}.*"))
    code = fingerprint.closure(source.read_text(encoding="utf-8"))
    folder, now = current().extra / name, fingerprint.digest([source, *beside, *code])
    stamp = current().build / f"{name}.stamp"
    if not (folder.exists() and stamp.exists() and stamp.read_text() == now):
        failed = f"{module} did not write {current().relative(folder)}, see above"
        _run(failed, module, str(folder))
        stamp.write_text(now)


def maker(module: str) -> Path:
    """The file of a module of the companion's that computes a part of the site."""
    return current().root.joinpath(*module.split(".")).with_suffix(".py")


def write_conf() -> None:
    """The configuration as a file of Sphinx, which knows the styles and scripts that it copies."""
    config = configuration.sphinx()
    # Sphinx copies styles and scripts only when it writes pages: a change of theirs counts as one
    # of the configuration, and so does one of what says where anything that a page names stands.
    shown = [current().ledger, current().statements, current().book / "notation.md"]
    copied = sorted(
        file
        for folder in config["html_extra_path"] + config["html_static_path"]
        for file in Path(folder).rglob("*")
        if file.is_file()
    )
    config["html_context"] = config.get("html_context", {}) | {
        "copied": fingerprint.digest([*copied, *filter(Path.exists, shown)])
    }
    # Pages are made by the code as it is: a change of it reads and writes every page again.
    own = Path(__file__).parents[1]
    files = [*own.glob("*/*.py"), *own.glob("templates/*.*")]  # not __pycache__: check.py has one
    config["made_by"] = fingerprint.digest(sorted(files))
    lines = ["# Generated by ledgerbook.site.sphinx_build"]
    lines += [f"{key} = {config[key]!r}" for key in sorted(config)]
    storage.write_if_changed(current().sphinx / "conf.py", "\n".join(lines) + "\n")


def write_index() -> None:
    """A start page that forwards to the reader's guide, and one for addresses that lead nowhere."""
    start, title = current().start(), current().settings.title
    if start != "index":
        text = markup.render("index.html.jinja", title=title, target=f"{start}.html")
        storage.write_if_changed(current().index, text)
    text = markup.render("404.html.jinja", title=title, folder=current().relative(current().book))
    storage.write_if_changed(current().index.with_name("404.html"), text)


def complete(app: Any) -> None:
    """Prepare a build by the stock command, which knows ``_config.yml`` alone: what this package's
    own command would have said and written is put in before Sphinx reads the configuration.
    """
    if app.config.made_by:
        return
    current().stamp.unlink(missing_ok=True)  # the folder of pages may be ours: build it anew then
    collect.renewed()
    write_extra()
    ours = configuration.sphinx()
    for name in ours.pop("extensions"):
        if name != "ledgerbook.site.sphinx_ext":  # the one that is being set up
            app.setup_extension(name)

    def fill(app: Any, config: Any) -> None:
        for key, value in ours.items():
            config[key] = value
        for listener in sum(app.events.listeners.values(), []):
            if listener.handler.__module__.startswith(configuration.UNWANTED):
                app.disconnect(listener.id)

    app.connect("config-inited", fill, priority=1)
