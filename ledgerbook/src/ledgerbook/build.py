"""The HTML: offline, in parallel, warnings as errors, and only when something changed."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ledgerbook import (
    access,
    bundle,
    collect,
    configuration,
    data_scripts,
    downloads,
    environment,
    fingerprint,
    lifeline,
    markup,
    paths,
    project,
    recheck,
    slim,
    toc,
    twin,
)


class BuildError(RuntimeError):
    """The pages could not be built; what is wrong has been printed."""


def inputs() -> str:
    """A hash of all that the site is made from."""
    files = sorted(
        file
        for folder in (paths.BOOK, Path(__file__).parent, *paths.packages(), *_makers())
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

    Raises ``BuildError`` on a warning.  The caller holds ``scratch.only_run``.
    """
    collect.write(collect.collect())
    if not paths.TOC.exists():
        toc.main()
    now = inputs()
    if not force and paths.INDEX.exists() and _stamp() == now:
        return False
    paths.STAMP.unlink(missing_ok=True)
    write_extra()
    write_conf()
    sphinx()
    write_index()
    paths.write_atomically(paths.STAMP, now)
    return True


def _stamp() -> str | None:
    try:
        return paths.STAMP.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def sphinx(builder: str = "html", target: Path | None = None) -> None:
    """Sphinx in a process that dies with this one, workers included; the site unless told.

    Raises ``BuildError`` on a warning.
    """
    # One cache a builder: what one has read anew the other would take for written.
    cache = paths.DOCTREES / builder
    folders = ["-c", str(paths.SPHINX), "-d", str(cache)]
    options = ["-b", builder, "-j", "auto", "-W", "--keep-going", "-q", *folders]
    command = [sys.executable, "-m", "ledgerbook.lifeline", "sphinx", *options]
    command += [str(paths.ROOT), str(target or paths.HTML)]
    if lifeline.run(command, cwd=paths.ROOT, env=os.environ | environment.quiet()):
        raise BuildError("the build of the pages failed; each warning above is an error")


def write_extra() -> None:
    """What is copied to the root of the site: a font, and what the companion computes for it."""
    with ThreadPoolExecutor() as pool:
        computed = [
            pool.submit(write_computed, name, how["module"])
            for name, how in project.settings().extra.items()
            if (paths.BOOK / how["page"]).exists()
        ]
        slim.write_font(paths.EXTRA)
        write_data(paths.EXTRA / "_data")
        twin.write(paths.EXTRA / "_plain", collect.load())
        bundle.write_templates(paths.SPHINX / "templates")
        access.write_templates(paths.SPHINX / "templates")
        for one in computed:
            one.result()


def write_data(folder: Path) -> None:
    """The ledger for machines: JSON with its schema, and a table of all rows."""
    folder.mkdir(parents=True, exist_ok=True)
    paths.write_if_changed(folder / "ledger.json", data_scripts.packed(collect.load()))
    paths.write_if_changed(folder / "ledger.schema.json", paths.SCHEMA.read_text(encoding="utf-8"))
    paths.write_if_changed(folder / "claims.csv", recheck.table(collect.load()))
    downloads.write(folder, collect.load())
    licence = paths.ROOT / "LICENSE"
    if licence.exists():
        paths.write_if_changed(folder / "LICENSE.txt", licence.read_text(encoding="utf-8"))


def write_computed(name: str, module: str) -> None:
    """A folder of the site that a module of the companion writes, when its code changed.

    In a process of its own, beside others.  Raises ``BuildError`` where it fails.
    """
    sources = _sources(module)
    beside = sorted((_maker(module) / "templates").glob(f"{name}.*"))
    code = fingerprint.closure("\n".join(file.read_text(encoding="utf-8") for file in sources))
    folder, now = paths.EXTRA / name, fingerprint.digest([*sources, *beside, *code])
    stamp = paths.BUILD / f"{name}.stamp"
    if not (folder.exists() and stamp.exists() and stamp.read_text() == now):
        command = [sys.executable, "-m", "ledgerbook.lifeline", "ledgerbook.computed", module]
        if lifeline.run(
            [*command, str(folder)], cwd=paths.ROOT, env=os.environ | environment.quiet()
        ):
            raise BuildError(f"{module} did not write {paths.relative(folder)}, see above")
        stamp.write_text(now)


def _sources(module: str) -> list[Path]:
    """The files of a module, or of a package, of the companion's that a setting names."""
    place = paths.ROOT.joinpath(*module.split("."))
    return sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]


def _maker(module: str) -> Path:
    """The folder that a module, or a package, of the companion's lies in."""
    return paths.ROOT.joinpath(*module.split(".")).parent


def _makers() -> list[Path]:
    """Folders of the modules that compute a part of the site."""
    return [_maker(how["module"]) for how in project.settings().extra.values()]


def write_conf() -> None:
    """The configuration as a file of Sphinx, which knows the styles and scripts that it copies."""
    config = configuration.sphinx()
    # Sphinx copies styles and scripts only when it writes pages: a change of theirs counts as one
    # of the configuration.  Not so the plain twins: what they say a page says, which is written.
    shown = paths.STATUSES.read_text(encoding="utf-8")  # beside every page
    copied = sorted(
        file
        for folder in config["html_extra_path"] + config["html_static_path"]
        for file in Path(folder).rglob("*")
        if file.is_file() and not file.is_relative_to(paths.EXTRA / "_plain")
    )
    config["html_context"] = config.get("html_context", {}) | {
        "copied": fingerprint.digest([*copied, shown])
    }
    # Pages are made by the code as it is: a change of it reads and writes every page again.
    own = Path(__file__).parent
    files = [*own.glob("*.py"), *own.glob("templates/*.*")]  # not __pycache__: check.py has one
    config["made_by"] = fingerprint.digest(sorted(files))
    lines = [
        "# Generated by ledgerbook.build",
        *(f"{key} = {config[key]!r}" for key in sorted(config)),
    ]
    paths.write_if_changed(paths.SPHINX / "conf.py", "\n".join(lines) + "\n")


def write_index() -> None:
    """A start page that forwards to the reader's guide."""
    text = markup.render(
        "index.html.jinja", title=project.settings().title, target=f"{paths.document('intro')}.html"
    )
    paths.write_if_changed(paths.INDEX, text)
