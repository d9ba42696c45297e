"""HTML and SVG from the template files beside this module: text is escaped, no markup in code."""

from functools import cache
from pathlib import Path
from typing import Any

import jinja2

TEMPLATES = Path(__file__).with_name("templates")


@cache
def environment() -> jinja2.Environment:
    """The one environment: a name that a template uses and nobody gave is an error."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=False,
    )


def render(template: str, **values: Any) -> str:
    """A template file filled with values."""
    return environment().get_template(template).render(**values)
