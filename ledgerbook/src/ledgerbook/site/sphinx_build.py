"""The HTML: offline, in parallel, warnings as errors, and only when something changed."""

from pathlib import Path

from ledgerbook.chapters import collect, fingerprint, toc
from ledgerbook.pages import graph
from ledgerbook.project import paths, settings, storage


class BuildError(RuntimeError):
    """The pages could not be built; what is wrong has been printed."""


def inputs() -> str:
    """A hash of all that the site is made from."""
    files = sorted(
        file
        for folder in (paths.BOOK, Path(__file__).parents[1], *paths.packages(), *makers())
        for file in folder.rglob("*")
        if file.is_file() and not {".ipynb_checkpoints", "__pycache__"} & set(file.parts)
        if file.suffix != ".partial"
    )
    described = (paths.ROOT / "pyproject.toml", paths.CONFIG, paths.TOC, paths.LEDGER)
    files += [file for file in described if file.exists()]
    files += sorted(paths.RUNS.glob("*.json"))
    return fingerprint.digest([*files, *map(paths.relative, files)])


def build(force: bool = False) -> bool:
    """Build the site if its inputs changed; returns whether it did.

    Raises ``BuildError`` on a warning.  The caller holds ``tempdirs.only_run``.
    """
    collect.write(collect.collect())
    for file, text in graph.pictures(collect.load()):
        paths.write_if_changed(file, text)
    if not paths.TOC.exists():
        toc.main()
    now = inputs()
    built = paths.INDEX.exists() and paths.STAMP.exists()
    if built and not force and paths.STAMP.read_text(encoding="utf-8") == now:
        return False
    from ledgerbook.site import (
        sphinx_project,  # Sphinx and its extensions, half of a run that builds nothing
    )

    paths.STAMP.unlink(missing_ok=True)
    sphinx_project.write_extra()
    sphinx_project.write_conf()
    sphinx_project.sphinx()
    sphinx_project.write_index()
    storage.write_atomically(paths.STAMP, now)
    return True


def maker(module: str) -> Path:
    """The folder that a module, or a package, of the companion's lies in."""
    return paths.ROOT.joinpath(*module.split(".")).parent


def makers() -> list[Path]:
    """Folders of the modules that compute a part of the site."""
    return [maker(how["module"]) for how in settings.settings().extra.values()]
