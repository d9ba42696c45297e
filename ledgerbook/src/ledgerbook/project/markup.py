"""HTML, SVG and Markdown from template files: no markup in code, text escaped in the first two."""

from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from docutils import nodes

TEMPLATES = Path(__file__).parents[1] / "templates"


@cache
def environment(folder: Path) -> jinja2.Environment:
    """The environment of a folder: a name that a template uses and nobody gave is an error."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=lambda name: (name or "").endswith((".html.jinja", ".svg.jinja")),
        undefined=jinja2.StrictUndefined,
    )


def render(template: str, folder: Path = TEMPLATES, /, **values: Any) -> str:
    """A template file of a folder filled with values."""
    return environment(folder).get_template(template).render(**values)


def exchange(text: nodes.Text, *instead: nodes.Node) -> None:
    """Put nodes where a text stands.

    docutils' own ``replace`` looks for the first child that is equal, and texts are equal where
    they say the same: of two commas in one sentence it took the first.
    """
    line = text.parent
    place = next(number for number, child in enumerate(line.children) if child is text)
    line[place : place + 1] = instead
