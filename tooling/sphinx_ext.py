"""Sphinx extension: the directives that the book's generated parts stand on."""

import json

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from tooling import collect, graph, pages, paths, runs
from tooling.statements import PAPERS, of_docname


class Generated(SphinxDirective):
    """A directive whose content is Markdown made from the ledger and the list of statements."""

    depends = (paths.LEDGER,)

    def run(self):
        for file in (paths.STATEMENTS, *self.depends):
            self.env.note_dependency(str(file))
        return self.content_nodes()

    def content_nodes(self):
        return self.parse_markdown(self.markdown(collect.load()))

    def parse_markdown(self, text):
        """Parse with the document's own MyST parser, headings allowed."""
        container = nodes.Element()
        self.state.nested_parse(text.splitlines(), self.content_offset, container, match_titles=True)
        return container.children

    @property
    def row(self):
        row = of_docname(self.env.docname)
        if row is None:
            raise self.error(f"{self.env.docname} is not the chapter of any statement in {paths.relative(paths.STATEMENTS)}")
        return row


class LedgerPage(Generated):
    def markdown(self, ledger):
        return pages.ledger_page(ledger)


class StatusPage(Generated):
    def markdown(self, ledger):
        return pages.status_page(ledger)

    def run(self):
        for row in collect.load()["statements"]:
            self.env.note_dependency(str(runs.path(row["tag"])))
        return super().run()


class ErrataPage(Generated):
    def markdown(self, ledger):
        return pages.errata_page(ledger)


class Counts(Generated):
    def markdown(self, ledger):
        return pages.counts_sentence(ledger) + "\n\n" + pages.status_table(ledger)


class Graph(Generated):
    """The dependency graphs, each followed by the same content as a list."""

    def content_nodes(self):
        statuses = {row["tag"]: row["status"] for row in collect.load()["statements"]}
        found = []
        for paper, title in PAPERS.items():
            picture = nodes.raw("", graph.svg(paper, statuses, self.env.docname), format="html")
            found += self.parse_markdown(f"## {title}")
            found[-1] += picture
            found[-1] += self.parse_markdown(graph.listing(paper, statuses, self.env.docname))
        return found


class WhereItSits(Generated):
    """Also plants the tag itself as an anchor, dots and all."""

    depends = (paths.STATUSES,)

    def content_nodes(self):
        statuses = json.loads(paths.STATUSES.read_text(encoding="utf-8"))
        anchor = nodes.raw("", f'<span id="{self.row.tag}"></span>', format="html")
        return [anchor, *self.parse_markdown(pages.where_it_sits(self.row, statuses))]


class Provenance(Generated):
    depends = ()

    def content_nodes(self):
        self.env.note_dependency(str(runs.path(self.row.tag)))
        return self.parse_markdown(pages.provenance(self.row))


def setup(app):
    """Register the directives."""
    for name, directive in {"ledger-page": LedgerPage, "status-page": StatusPage, "errata-page": ErrataPage, "counts": Counts,
                            "dependency-graph": Graph, "where-it-sits": WhereItSits, "provenance": Provenance}.items():
        app.add_directive(name, directive)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
