"""The contents beside a page: parts that fold, only the page's own open; each chapter's status."""

from collections.abc import Callable
from functools import cache
from typing import Any

from bs4 import BeautifulSoup, Tag
from docutils import nodes
from sphinx.application import Sphinx

from ledgerbook.chapters import collect
from ledgerbook.chapters.statements import of_docname
from ledgerbook.ledger.ledger_table import SYMBOLS
from ledgerbook.references import anchors
from ledgerbook.site import reading_path


def folded(contents: str, pagename: str, status_of: dict[str, str]) -> str:
    """The theme's list of parts with each part as a fold, and before each chapter its number on the
    path and its status.

    contents: captions, each followed by a list of links as seen from ``pagename``.
    """
    soup = BeautifulSoup(contents, "html.parser")
    for caption in soup.select("p.caption"):
        listed = caption.find_next_sibling("ul")
        if listed is not None:
            _fold(soup, caption, listed)
    first = soup.select_one("details.part")
    if first is not None and pagename == next(iter(reading_path.documents()), None):
        first["open"] = ""  # the landing page shows where the path begins
    for link in soup.select("li a[href]"):
        document = anchors.document(str(link["href"]), pagename)
        if document in reading_path.interludes() and link.parent is not None:
            kept = (str(name) for name in link.parent.get_attribute_list("class") if name)
            link.parent["class"] = " ".join((*kept, "opens"))
        row = of_docname(document)
        if row is not None and row.tag in status_of:
            link.insert(0, _mark(soup, status_of[row.tag]))
        if place := reading_path.count(document):
            mark = soup.new_tag("span", attrs={"class": "number"})
            mark.string = place
            link.insert(0, mark)
    if status_of:
        soup.append(_legend(soup, status_of))
    return str(soup)


def _fold(soup: BeautifulSoup, caption: Tag, listed: Tag) -> None:
    """Put a caption and its list into a fold; the current page's is open."""
    fold = soup.new_tag("details", attrs={"class": "part"})
    if listed.select_one(".current"):
        fold["open"] = ""
    summary = soup.new_tag("summary", attrs={"class": "caption"})
    caption.replace_with(fold)
    summary.extend(list(caption.contents))
    fold.extend([summary, listed.extract()])


def _mark(soup: BeautifulSoup, status: str) -> Tag:
    """A status as a sign for the eye, a word for the ear and the pointer."""
    mark = _chip(soup, status, SYMBOLS[status])
    mark["role"], mark["title"] = "img", status
    return mark


def _chip(soup: BeautifulSoup, status: str, words: str) -> Tag:
    chip = soup.new_tag("span", attrs={"class": f"chip {nodes.make_id(status)}"})
    chip.string = words
    return chip


def _legend(soup: BeautifulSoup, status_of: dict[str, str]) -> Tag:
    """The signs with their words, in a fold below the contents."""
    fold = soup.new_tag("details", attrs={"class": "part legend"})
    summary = soup.new_tag("summary", attrs={"class": "caption"})
    summary.string = "What the signs mean"
    used = set(status_of.values())
    chips = [_chip(soup, one, f"{sign} {one}") for one, sign in SYMBOLS.items() if one in used]
    fold.extend([summary, *chips])
    return fold


def put(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Stand in for the theme's function that makes the contents."""
    theirs: Callable[..., Any] | None = context.get("generate_toctree_html")
    if theirs is None:
        return

    @cache  # the theme asks twice: whether there is anything, and for it
    def ours(**options: Any) -> str:
        made = theirs(**options)
        if options.get("kind") != "sidebar" or not made:
            return made
        return folded(str(made), pagename, collect.statuses())

    context["generate_toctree_html"] = ours


def setup(app: Sphinx) -> None:
    """Connect it after the theme has given its function."""
    app.connect("html-page-context", put, priority=900)
