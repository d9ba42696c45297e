"""Sphinx extension: the directives that the book's generated parts stand on."""

import base64
import hashlib
import os
import re
from collections.abc import Callable

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from ledgerbook.chapters import collect
from ledgerbook.chapters.statements import of_docname, statement, written
from ledgerbook.execution import environment
from ledgerbook.ledger.figures import DARK
from ledgerbook.pages import (
    cite,
    codemap,
    coq_page,
    errata,
    graph,
    ledger_page,
    parts,
    reader,
    sharper_page,
    status,
    trust_page,
)
from ledgerbook.project import storage
from ledgerbook.project.project import current
from ledgerbook.references import anchors, mathml, search_index, tooltips
from ledgerbook.site import (
    collapsible,
    mended,
    page_head,
    panels,
    reading_path,
    roles,
    sources,
    sphinx_build,
)

PARTS: tuple = (anchors, collapsible, mathml, page_head)
PARTS += (panels, sources, search_index, mended, tooltips, reading_path, roles)
HEADING = re.compile(r"^(\([\w-]+\)=\n)?#+ ", re.MULTILINE)


class Generated(SphinxDirective):
    """A directive that is made anew when the ledger or the list of statements changes."""

    depends: tuple[str, ...] = ()  # files of the build folder
    optional_arguments = 1
    final_argument_whitespace = True

    def run(self):
        files = [
            current().statements,
            current().ledger,
            current().proofs / "record.json",
            *(current().build / name for name in self.depends),
        ]
        files += [row.chapter for row in written()] if self.name in OF_CHAPTERS else []
        for file in files:
            self.env.note_dependency(str(file))
        if self.name in ANEW:
            self.env.note_reread()
        return self.content_nodes()

    def content_nodes(self):
        return self.parse_markdown(WRITTEN[self.name](self, collect.load()))

    def parse_markdown(self, text):
        """Parse with the document's own MyST parser; headings become the document's.

        The parser puts sections into the document at once, whatever else after the directive has
        run: what stands before the first heading would end below the last section.
        """
        first = HEADING.search(text)
        if first is not None and first.start():
            at = first.start() + len(first[1] or "")  # a label stands before its section
            self.state._renderer.current_node.extend(self.parse_text_to_nodes(text[:at]))
            text = text[at:]
        return self.parse_text_to_nodes(text, allow_section_headings=True)

    @property
    def row(self):
        row = of_docname(self.env.docname)
        if row is None:
            listed = current().relative(current().statements)
            raise self.error(f"{self.env.docname} is not the chapter of any statement in {listed}")
        return row

    @property
    def tag(self):
        """The tag that the argument names, or that of the page's own statement."""
        return self.arguments[0] if self.arguments else self.row.tag


# What a directive writes, as Markdown, from itself and the ledger.
WRITTEN: dict[str, Callable[[Generated, dict], str]] = {
    "ledger-page": lambda _, ledger: ledger_page.page(ledger),
    "errata-page": lambda _, ledger: errata.page(ledger),
    "equations-page": lambda _, ledger: ledger_page.equations_page(ledger),
    "sharper-page": lambda _, ledger: sharper_page.page(ledger),
    "trust-page": lambda _, ledger: trust_page.page(ledger),
    "status-page": lambda _, ledger: status.page(ledger),
    "counts": lambda _, ledger: f"{parts.counts_sentence(ledger)}\n\n{parts.status_table(ledger)}",
    "dependency-graph": lambda here, ledger: graph.page(ledger, here.env.docname),
    "code-map": lambda here, _: codemap.page(here.env.docname),
    "part-map": lambda here, ledger: reader.part_map(here.arguments[0], here.env.docname, ledger),
    "self-test": lambda here, _: reader.self_test(here.env.docname, *here.arguments),
    "what-became": lambda here, ledger: parts.what_became(parts.record(ledger, here.tag), here.row),
    "kernel": lambda here, ledger: coq_page.section(parts.record(ledger, here.tag)),
    "where-it-sits": lambda here, _: parts.where_it_sits(here.row, collect.statuses()),
    "provenance": lambda here, _: f"{parts.provenance(here.row)}\n\n{cite.section(here.row)}",
}
# They read what no list of files tells: every run, every module.
ANEW = {"status-page", "code-map"}
OF_CHAPTERS = {"part-map", "self-test", "chapter-picture"}


class YouNeed(Generated):
    def content_nodes(self):
        uses = reading_path.to_have_read(self.row)
        line, *others = self.parse_markdown(parts.you_need(self.row, uses))
        line["classes"].append("you-need")
        return [line, *others]


class ChapterPicture(Generated):
    """The first picture of a chapter, with its caption, on another page."""

    def content_nodes(self):
        row = statement(self.tag)
        png, details = reader.first_picture(row)
        caption = f"{details['caption']} (From {parts.link(row, self.env.docname)}.)"
        forms = {"by-day": png, "by-night": details[DARK]} if DARK in details else {"": png}
        images = [self.image(form, details["alt"], theme) for theme, form in forms.items()]
        return [
            nodes.container("", *images, *self.parse_markdown(caption), classes=["chapter-picture"])
        ]

    def image(self, png, alt, theme):
        """One form of a picture, as base64, for the pages of a theme, or of both."""
        data = base64.b64decode(png)
        file = current().build / "jupyter_execute" / f"{hashlib.sha256(data).hexdigest()}.png"
        if not file.exists():  # the one that its own chapter's page shows
            storage.write_atomically(file, data)
        uri = f"/{os.path.relpath(file, self.env.srcdir)}"
        image = nodes.image("", uri=uri, alt=alt, classes=[theme, "dark-light"] if theme else [])
        return image if theme != "by-night" else nodes.image("", **image.attributes, loading="lazy")


def setup(app):
    """Register the directives and all that the pages stand on."""
    environment.collect_seldom()
    app.add_config_value("made_by", "", "env")
    for name in WRITTEN:
        app.add_directive(name, Generated)
    app.add_directive("you-need", YouNeed)
    app.add_directive("chapter-picture", ChapterPicture)
    for part in PARTS:
        part.setup(app)
    sphinx_build.complete(app)
    # It numbers nothing here; where it is, a later Sphinx would read the pages one by one for it.
    if "sphinx_multitoc_numbering" in app.extensions:
        app.extensions["sphinx_multitoc_numbering"].parallel_read_safe = True
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
