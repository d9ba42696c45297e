"""The HTML: offline, in parallel, warnings as errors, and only when something changed."""

import contextlib
import importlib.metadata
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tooling import collect, fingerprint, paths

MATHJAX = "mathjax/tex-svg.js"


def inputs():
    """A hash of all that the site is made from."""
    files = sorted(
        file
        for pattern in ("book/**/*", "lib/**/*", "tooling/*.py")
        for file in paths.ROOT.glob(pattern)
        if file.is_file() and ".ipynb_checkpoints" not in file.parts
    )
    runs = sorted(paths.RUNS.glob("*.json"))
    return fingerprint.digest(
        [paths.CONFIG, paths.TOC, paths.LEDGER, *files, *runs, *map(str, files)]
    )


def build(force=False):
    """Build the site if its inputs changed.  Returns whether it did; raises ``SystemExit`` on a
    warning.
    """
    now = inputs()
    if (
        not force
        and paths.INDEX.exists()
        and paths.STAMP.exists()
        and paths.STAMP.read_text() == now
    ):
        return False
    paths.STAMP.unlink(missing_ok=True)
    collect.write(collect.collect())
    write_extra()
    write_conf()
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-b",
        "html",
        "-j",
        "auto",
        "-W",
        "--keep-going",
        "-q",
        "-c",
        str(paths.SPHINX),
        "-d",
        str(paths.DOCTREES),
        str(paths.ROOT),
        str(paths.HTML),
    ]
    if subprocess.run(
        command, cwd=paths.ROOT, env=os.environ | {"PYTHONPATH": str(paths.ROOT)}
    ).returncode:
        raise SystemExit("the build of the pages failed; each warning above is an error")
    write_index()
    if not paths.INDEX.exists():
        raise SystemExit(f"no {paths.relative(paths.INDEX)}: the build made no pages")
    paths.STAMP.write_text(now)
    return True


def write_extra():
    """What is copied to the root of the site: MathJax, and what is computed for the explorable."""
    scripts = paths.EXTRA / "_js"
    scripts.mkdir(parents=True, exist_ok=True)
    package = importlib.metadata.distribution("sphinx-mathjax-offline")
    source = next(file for file in package.files if file.as_posix().endswith(MATHJAX))
    shutil.copyfile(source.locate(), scripts / "tex-svg.js")
    writer = Path(__file__).with_name("explorable.py")
    made_by = [writer, *fingerprint.closure(writer.read_text(encoding="utf-8"))]
    grid, now = paths.EXTRA / "explorable", fingerprint.digest(made_by)
    stamp = paths.BUILD / "explorable.stamp"
    if not (grid.exists() and stamp.exists() and stamp.read_text() == now):
        from tooling import explorable  # torch and numba: seconds that most runs need not spend

        explorable.write(grid)
        stamp.write_text(now)


def write_conf():
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
        "# Generated from _config.yml by tooling/build.py",
        *(f"{key} = {config[key]!r}" for key in sorted(config)),
    ]
    paths.write_if_changed(paths.SPHINX / "conf.py", "\n".join(lines) + "\n")


def write_index():
    """A start page that forwards to the reader's guide."""
    target = "book/intro.html"
    paths.write_atomically(
        paths.INDEX,
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>What One Attention Layer'
        f' Learns</title><meta http-equiv="refresh" content="0; url={target}"><a'
        f' href="{target}">What One Attention Layer Learns</a></html>\n',
    )
