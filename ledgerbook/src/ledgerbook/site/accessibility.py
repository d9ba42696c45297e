"""For readers by ear and by keyboard: what the theme and the writers leave unnamed or misnamed."""

import html
import importlib.resources
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.application import Sphinx

from ledgerbook.project import paths

if TYPE_CHECKING:  # with it come the databases that it keeps executed notebooks in
    from myst_nb.sphinx_ import HideCodeCellNode

THEME = "pydata_sphinx_theme"
# Template: what it says, what is said instead.
TEMPLATES = {
    # Its visible words, "Search Ctrl+K", are its name; where no script runs it is a plain link.
    "search-button-field.html": (
        """<button class="btn search-button-field search-button__button pst-js-only\""""
        """ title="{{ _('Search') }}" aria-label="{{ _('Search') }}\"""",
        """<noscript><a href="{{ pathto('search') }}">{{ _('Search') }}</a></noscript>\n"""
        """<button class="btn search-button-field search-button__button pst-js-only\"""",
    ),
    # Title and search stand in a named region as the contents do.
    "sections/sidebar-primary.html": (
        '<div class="sidebar-primary-items__start sidebar-primary__section">',
        '<div class="sidebar-primary-items__start sidebar-primary__section"'
        ' role="region" aria-label="This book">',
    ),
}
HIDDEN = {"source": "the code", "outputs": "the output", "content": "code and output"}


def write_templates(folder: Path) -> None:
    """The theme's templates with what they should say; ``ValueError`` if one has changed."""
    theme = importlib.resources.files(THEME) / "theme" / THEME
    for old in list(folder.rglob("*.html")):
        if old.relative_to(folder).as_posix() not in TEMPLATES:
            old.unlink()  # of an earlier version of this package
    for name, (said, instead) in TEMPLATES.items():
        file = theme / name if "/" in name else theme / "components" / name
        text = file.read_text(encoding="utf-8")
        if said not in text:
            raise ValueError(f"{THEME}: {name} does not say {said!r} any more")
        paths.write_if_changed(folder / name, text.replace(said, instead))


def hidden(node: "HideCodeCellNode") -> str:
    """What a folded cell hides: an exercise's answer, or code."""
    if any(section.next_node(nodes.title).astext() == "Exercises" for section in _sections(node)):
        return "the answer"
    return HIDDEN.get(node["prompt_show"].split()[-1], "the code")


def _sections(node: nodes.Node) -> list[nodes.Node]:
    found = []
    while (node := node.parent) is not None:
        if isinstance(node, nodes.section):
            found.append(node)
    return found


def open_cell(self, node: "HideCodeCellNode") -> None:
    """The start of a folded cell, named by the words that are seen."""
    what = html.escape(hidden(node))
    self.body.append(
        f'<details class="admonition hide {" ".join(node["classes"])}">\n<summary>'
        f'<p class="collapsed admonition-title">Show {what}</p>\n'
        f'<p class="expanded admonition-title">Hide {what}</p>\n</summary>\n'
    )


def open_citation(self, node: nodes.citation) -> None:
    """An entry of the bibliography: an item of the list around it.

    Sphinx puts this on the translator itself; its class keeps what is replaced.
    """
    type(self).visit_citation(self, node)
    self.body[-1] = self.body[-1].replace('role="doc-biblioentry"', 'role="listitem"')


def close_citation(self, node: nodes.citation) -> None:
    """The end of an entry."""
    type(self).depart_citation(self, node)


def open_entry(self, node: nodes.entry) -> None:
    """A cell of a table; an empty one above a column heads nothing."""
    type(self).visit_entry(self, node)
    if isinstance(node.parent.parent, nodes.thead) and not node.astext().strip():
        self.body[-1] = self.body[-1].replace("<th", "<td", 1)
        self.context[-1] = self.context[-1].replace("</th", "</td")


def close_entry(self, node: nodes.entry) -> None:
    """The end of a cell."""
    type(self).depart_entry(self, node)


def setup(app: Sphinx) -> None:
    """Register what is written in place of the writers' own."""
    from myst_nb.sphinx_ import HideCodeCellNode, depart_HideCellInput

    app.add_node(HideCodeCellNode, override=True, html=(open_cell, depart_HideCellInput))
    app.add_node(nodes.citation, override=True, html=(open_citation, close_citation))
    app.add_node(nodes.entry, override=True, html=(open_entry, close_entry))
