"""From a row to whatever else speaks of it: its slip, its claims, its equation, and back."""

import os

from docutils import nodes
from sphinx.application import Sphinx

from ledgerbook.chapters import collect
from ledgerbook.project import paths
from ledgerbook.references import anchors, targets


def slip_of(tag: str, name: str, errata: list[dict]) -> str | None:
    """The number of the erratum whose evidence, or a consequence's, a row is."""
    for erratum in errata:
        for one in [erratum, *erratum["consequences"]]:
            if one["tag"] == tag and name in one["evidence"]:
                return erratum["id"]
    return None


def relative(name: str, docname: str) -> str:
    """A generated page as seen from a document."""
    return os.path.relpath(paths.document(name), os.path.dirname(docname)) + ".html"


def connect(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Add the links of a page whose rows have their addresses."""
    if app.builder.format != "html":
        return
    if docname == paths.document("equations"):
        _equations(doctree)
    elif docname != paths.document("errata") and paths.document("errata") in app.env.found_docs:
        _slips(doctree, docname)


def _slips(doctree: nodes.document, docname: str) -> None:
    """Behind the verdict of a row that an erratum rests on, the erratum's number."""
    errata = list(targets.errata().values())
    for row, name, _ in list(anchors.rows(doctree)):
        number = slip_of(row.get("tag", ""), name, errata) if "tag" in row else None
        if number is not None:
            target = f"{relative('errata', docname)}#{number.lower()}"
            verdict = row[-1].next_node(nodes.paragraph)
            verdict += [nodes.Text(" · "), reference(number, target)]


def _equations(doctree: nodes.document) -> None:
    """Each claim's name leads to its row in the ledger."""
    entries = {entry["number"]: entry for entry in collect.load()["equations"]}
    ledger = relative("ledger", paths.document("equations"))
    for row in doctree.findall(nodes.row):
        entry = entries.get(row[0].astext())
        if entry is not None:
            literals = list(row.findall(nodes.literal))
            for literal, claim in zip(literals, entry["claims"], strict=False):
                tag, _, name = claim.partition("#")
                anchors.link_to(literal, f"{ledger}#{anchors.in_ledger(tag, name)}")


def reference(words: str, target: str) -> nodes.reference:
    """A link as a node."""
    return nodes.reference("", words, refuri=target, internal=True)


def setup(app: Sphinx) -> None:
    """Connect it after the addresses, before the evidence is folded."""
    app.connect("doctree-resolved", connect, priority=450)
