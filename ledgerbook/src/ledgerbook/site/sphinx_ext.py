"""Sphinx extension: the directives that the book's generated parts stand on."""

import re
from pathlib import Path

from sphinx.util.docutils import SphinxDirective

from ledgerbook.chapters import collect
from ledgerbook.chapters.statements import PAPERS, of_docname, statements, written
from ledgerbook.execution import environment, run_records
from ledgerbook.pages import (
    codemap,
    coq_page,
    errata,
    graph,
    ledger_page,
    parts,
    row_tables,
    sharper_page,
    status,
)
from ledgerbook.project import paths
from ledgerbook.references import anchors, mathml, search_index, tooltips
from ledgerbook.site import (
    accessibility,
    cite,
    collapsible,
    page_head,
    parallel_errors,
    reading_path,
    roles,
    sidebar,
    sources,
    stock_build,
    theorems,
)

PARTS: tuple = (accessibility, anchors, cite, collapsible, mathml, page_head, row_tables)
PARTS += (sidebar, sources, search_index, theorems, tooltips)
PARTS += (parallel_errors, reading_path, roles)
HEADING = re.compile(r"^(\([\w-]+\)=\n)?#+ ", re.MULTILINE)


class Generated(SphinxDirective):
    """A directive whose content is Markdown made from the ledger and the list of statements."""

    depends: tuple[Path, ...] = (paths.LEDGER,)

    def run(self):
        for file in (paths.STATEMENTS, *self.depends):
            self.env.note_dependency(str(file))
        return self.content_nodes()

    def content_nodes(self):
        return self.parse_markdown(self.markdown(collect.load()))

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
            listed = paths.relative(paths.STATEMENTS)
            raise self.error(f"{self.env.docname} is not the chapter of any statement in {listed}")
        return row


class Rows(Generated):
    """A page of rows to choose from: its tools, then its tables in the script's hands."""

    page = ""

    def content_nodes(self):
        text = self.markdown(collect.load())
        first = HEADING.search(text) if row_tables.PAGES[self.page]["below"] else None
        at = first.start() if first else 0
        return self.parse_markdown(f"{text[:at]}:::{{row-tools}} {self.page}\n:::\n\n{text[at:]}")


class LedgerPage(Rows):
    page = "ledger"

    def markdown(self, ledger):
        return ledger_page.page(ledger)


class StatusPage(Generated):
    def markdown(self, ledger):
        return status.page(ledger)

    def run(self):
        for row in collect.load()["statements"]:
            self.env.note_dependency(str(run_records.path(row["tag"])))
        return super().run()


class ErrataPage(Rows):
    page = "errata"

    def markdown(self, ledger):
        return errata.page(ledger)


class LetterPage(Generated):
    def markdown(self, ledger):
        return errata.letter(ledger)


class EquationsPage(Rows):
    page = "equations"

    def markdown(self, ledger):
        return ledger_page.equations_page(ledger)


class SharperPage(Generated):
    def markdown(self, ledger):
        return sharper_page.page(ledger)


class YouNeed(Generated):
    depends = ()

    def content_nodes(self):
        uses = reading_path.to_have_read(self.row)
        line, *others = self.parse_markdown(parts.you_need(self.row, uses))
        line["classes"].append("you-need")
        return [line, *others]


class WhatBecame(Generated):
    """The computed verdict of the chapter's statement, or of the one that the argument names."""

    optional_arguments = 1

    def markdown(self, ledger):
        tag = self.arguments[0] if self.arguments else self.row.tag
        record = next(row for row in ledger["statements"] if row["tag"] == tag)
        return parts.what_became({**record, "slips": parts.slips(ledger, tag)}, self.row)


class Kernel(Generated):
    """What the kernel accepted of the chapter's statement, or of the one the argument names."""

    optional_arguments = 1
    depends = (paths.LEDGER, paths.PROOFS / "record.json")

    def markdown(self, ledger):
        tag = self.arguments[0] if self.arguments else self.row.tag
        return coq_page.section(next(row for row in ledger["statements"] if row["tag"] == tag))


class Counts(Generated):
    def markdown(self, ledger):
        return parts.counts_sentence(ledger) + "\n\n" + parts.status_table(ledger)


class Graph(Generated):
    """The dependency graphs, each followed by the same content as a list."""

    def content_nodes(self):
        known = self.env.get_domain("std")
        for row in statements().values():  # so that other pages can refer to a node
            name = parts.address("node", row.tag)
            known.anonlabels[name] = (self.env.docname, name)
            known.labels[name] = (self.env.docname, name, row.number)
        return super().content_nodes()

    def markdown(self, ledger):
        records = {row["tag"]: row for row in ledger["statements"]}
        return "\n\n".join(
            f"## {title}\n\n{graph.svg(paper, records, self.env.docname)}\n\n"
            f"{graph.listing(paper, records, self.env.docname, ledger['errata'])}"
            for paper, title in PAPERS.items()
            if any(row["paper"] == paper for row in records.values())
        )


class CodeMap(Generated):
    """Every module of the companion's code with what stands on it."""

    depends = ()

    def content_nodes(self):
        for file in (*codemap.modules(), *(row.chapter for row in written())):
            self.env.note_dependency(str(file))
        return self.parse_markdown(codemap.page(self.env.docname))


class WhereItSits(Generated):
    depends = (paths.STATUSES,)

    def content_nodes(self):
        return self.parse_markdown(parts.where_it_sits(self.row, collect.statuses()))


class Provenance(Generated):
    depends = ()

    def content_nodes(self):
        return self.parse_markdown(parts.provenance(self.row))


def setup(app):
    """Register the directives and all that the pages stand on."""
    environment.collect_seldom()
    app.add_config_value("made_by", "", "env")
    for name, directive in {
        "ledger-page": LedgerPage,
        "status-page": StatusPage,
        "errata-page": ErrataPage,
        "letter-page": LetterPage,
        "equations-page": EquationsPage,
        "sharper-page": SharperPage,
        "you-need": YouNeed,
        "kernel": Kernel,
        "what-became": WhatBecame,
        "code-map": CodeMap,
        "counts": Counts,
        "dependency-graph": Graph,
        "where-it-sits": WhereItSits,
        "provenance": Provenance,
    }.items():
        app.add_directive(name, directive)
    for part in PARTS:
        part.setup(app)
    stock_build.complete(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
