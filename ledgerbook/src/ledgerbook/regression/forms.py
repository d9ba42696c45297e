"""The dark form of a picture among what is compared: a picture too, though metadata carries it."""

from typing import Any

from nbformat import NotebookNode

from ledgerbook.ledger.figures import DARK

LIGHT = "image/png"
PICTURES = (LIGHT, f"{LIGHT} in the dark")


def told(output: NotebookNode) -> dict[str, Any]:
    """What an output says of itself, without the dark form."""
    said = output.get("metadata", {})
    words = {key: value for key, value in said.get(LIGHT, {}).items() if key != DARK}
    return {**said, LIGHT: words} if LIGHT in said else {**said}


def pair(one: NotebookNode, other: NotebookNode) -> dict[str, tuple[str, str]]:
    """Both dark forms by what they are called, where one of two outputs has any."""
    dark = [output.get("metadata", {}).get(LIGHT, {}).get(DARK, "") for output in (one, other)]
    return {PICTURES[1]: (dark[0], dark[1])} if any(dark) else {}
