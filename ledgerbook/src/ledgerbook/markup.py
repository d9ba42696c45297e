"""HTML and SVG from template files: text is escaped, no markup in code."""

from functools import cache
from pathlib import Path
from typing import Any

import jinja2

TEMPLATES = Path(__file__).with_name("templates")


@cache
def environment(folder: Path) -> jinja2.Environment:
    """The environment of a folder: a name that a template uses and nobody gave is an error."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=False,
    )


def render(template: str, folder: Path = TEMPLATES, /, **values: Any) -> str:
    """A template file of a folder filled with values."""
    return environment(folder).get_template(template).render(**values)
