"""The configuration of the site: what every companion has, with the companion's own before it."""

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import yaml
from traitlets.config.manager import recursive_update

from ledgerbook.chapters import toc
from ledgerbook.project import storage
from ledgerbook.project.project import current

COMMON = Path(__file__).parents[1] / "config.yml"
STATIC = Path(__file__).parents[1] / "static"
# They put scripts on every page that would ask hosts for live kernels and comments, or that ours
# stand in for.
UNWANTED = (
    *("sphinx_thebe", "sphinx_comments", "sphinx.ext.intersphinx"),
    *("sphinx_copybutton", "sphinx_togglebutton"),
    "sphinx_multitoc_numbering",  # numbers nothing here, and a later Sphinx reads serially for it
)


def described() -> dict[str, Any]:
    """What a ``_config.yml`` of Jupyter Book that said everything would say."""
    whole = {"title": current().settings.title} | storage.table(COMMON)
    recursive_update(whole, storage.table(current().config))
    bibliography = current().book / "references.bib"
    if bibliography.exists():  # a stock build reads it beside the configuration
        whole["bibtex_bibfiles"] = [str(bibliography)]
    elif whole.get("bibtex_bibfiles"):  # beside _config.yml, and Sphinx' own is in another folder
        whole["bibtex_bibfiles"] = [str(current().root / name) for name in whole["bibtex_bibfiles"]]
    return whole


def sphinx() -> dict[str, Any]:
    """The configuration of Sphinx that Jupyter Book makes of it, with absolute paths."""
    from jupyter_book.config import get_final_config

    whole = current().sphinx / "_config.yml"
    said = described()
    storage.write_if_changed(whole, yaml.safe_dump(said))
    home = current().root if toc.own() else current().book  # of _static
    pictures = {"html_logo": said.get("logo"), "html_favicon": said.get("html", {}).get("favicon")}
    with contextlib.redirect_stdout(io.StringIO()):
        config, _ = get_final_config(
            user_yaml=whole,
            sourcedir=home,
            cli_config={"latex_individualpages": None},  # has to be there, for LaTeX alone
        )
    config |= {
        "project": current().settings.title,
        "external_toc_path": str(current().toc),
        "html_extra_path": _existing(current().extra, current().book / "_extra"),
        "html_static_path": _existing(STATIC, home / "_static"),
        "templates_path": [str(STATIC.parent / "templates")],
        **{name: str(current().root / file) if file else "" for name, file in pictures.items()},
        "extensions": [name for name in config["extensions"] if name not in UNWANTED],
    }
    config["html_theme_options"]["repository_url"] = ""
    cited = storage.table(current().root / "CITATION.cff")
    config["html_context"] = config.get("html_context", {}) | {
        "citation": json.loads(json.dumps(cited, default=str)),  # a date as text
        "book": current().settings.title,
        "licence": (current().root / "LICENSE").exists(),
    }
    # Jupyter Book adds those of the book's own _static by itself.
    scripts = [(file.name, {"defer": ""}) for file in sorted(STATIC.glob("*.js"))]
    config["html_js_files"] = [*scripts, *config.get("html_js_files", [])]
    config["html_css_files"] = ["book.css", *config.get("html_css_files", [])]
    return config


def _existing(*files: Path) -> list[str]:
    return [str(file) for file in files if file.exists()]
