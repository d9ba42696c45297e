"""The HTML: offline, in parallel, warnings as errors, and only when something changed."""

import contextlib
import importlib
import importlib.metadata
import io
import os
import shutil
import sys
from pathlib import Path

from ledgerbook import collect, environment, fingerprint, lifeline, markup, paths, project

MATHJAX = "mathjax/tex-svg.js"


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


def sphinx() -> None:
    """Sphinx in a process that dies with this one, workers included."""
    folders = ["-c", str(paths.SPHINX), "-d", str(paths.DOCTREES)]
    options = ["-b", "html", "-j", "auto", "-W", "--keep-going", "-q", *folders]
    command = [sys.executable, "-m", "ledgerbook.lifeline", "sphinx", *options]
    env = os.environ | environment.quiet() | {"PYTHONPATH": paths.python_path()}
    command += [str(paths.ROOT), str(paths.HTML)]
    if lifeline.run(command, cwd=paths.ROOT, env=env):
        raise BuildError("the build of the pages failed; each warning above is an error")


def write_extra() -> None:
    """What is copied to the root of the site: MathJax, and what the companion computes for it."""
    scripts = paths.EXTRA / "_js"
    scripts.mkdir(parents=True, exist_ok=True)
    package = importlib.metadata.distribution("sphinx-mathjax-offline")
    source = next(file for file in package.files or () if file.as_posix().endswith(MATHJAX))
    shutil.copyfile(source.locate(), scripts / "tex-svg.js")
    for name, how in project.settings().extra.items():
        if (paths.BOOK / how["page"]).exists():
            write_computed(name, how["module"])


def write_computed(name: str, module: str) -> None:
    """A folder of the site that a module of the companion writes, when its code changed."""
    source = _source(module)
    beside = sorted((source.parent / "templates").glob(f"{name}.*"))
    code = fingerprint.closure(source.read_text(encoding="utf-8"))
    folder, now = paths.EXTRA / name, fingerprint.digest([source, *beside, *code])
    stamp = paths.BUILD / f"{name}.stamp"
    if not (folder.exists() and stamp.exists() and stamp.read_text() == now):
        # Imported here: what it needs may cost seconds that most runs need not spend.
        importlib.import_module(module).write(folder)
        stamp.write_text(now)


def _source(module: str) -> Path:
    """The file of a module of the companion's that a setting names."""
    return paths.ROOT.joinpath(*module.split(".")).with_suffix(".py")


def _makers() -> list[Path]:
    """Folders of the modules that compute a part of the site."""
    return [_source(how["module"]).parent for how in project.settings().extra.values()]


def write_conf() -> None:
    """The Sphinx configuration that Jupyter Book makes of ``_config.yml``, with absolute paths."""
    from jupyter_book.config import get_final_config

    with contextlib.redirect_stdout(io.StringIO()):
        config, _ = get_final_config(
            user_yaml=paths.CONFIG,
            sourcedir=paths.BOOK,
            cli_config={"latex_individualpages": False},
        )
    config |= {
        "external_toc_path": str(paths.TOC),
        "html_extra_path": [str(paths.EXTRA), str(paths.BOOK / "_extra")],
        "html_static_path": [str(paths.BOOK / "_static")],
        "bibtex_bibfiles": [str(paths.BOOK / "references.bib")],
        "html_logo": "",
        "html_favicon": "",
    }
    # They put scripts on every page that would ask hosts for live kernels and comments.
    config["extensions"] = [
        name
        for name in config["extensions"]
        if name not in ("sphinx_thebe", "sphinx_comments", "sphinx.ext.intersphinx")
    ]
    config["html_theme_options"]["repository_url"] = ""
    # Sphinx copies styles and scripts only when it writes pages: a change of theirs counts as one
    # of the configuration.
    copied = sorted(
        file
        for folder in config["html_extra_path"] + config["html_static_path"]
        for file in Path(folder).rglob("*")
        if file.is_file()
    )
    config["html_context"] = config.get("html_context", {}) | {"copied": fingerprint.digest(copied)}
    lines = [
        "# Generated from _config.yml by ledgerbook.build",
        *(f"{key} = {config[key]!r}" for key in sorted(config)),
    ]
    paths.write_if_changed(paths.SPHINX / "conf.py", "\n".join(lines) + "\n")


def write_index() -> None:
    """A start page that forwards to the reader's guide."""
    text = markup.render(
        "index.html.jinja", title=project.settings().title, target=f"{paths.document('intro')}.html"
    )
    paths.write_if_changed(paths.INDEX, text)
