"""Sphinx extension: the directives that the book's generated parts stand on."""

import json
import re
from pathlib import Path

from sphinx.builders import html as html_builder
from sphinx.util.docutils import SphinxDirective
from sphinx_proof.domain import ProofDomain
from sphinx_proof.nodes import unenumerable_node

from ledgerbook import (
    access,
    addresses,
    codemap,
    collect,
    errata,
    find,
    fold,
    graph,
    kernel_page,
    ledger_page,
    mathml,
    pages,
    paths,
    runs,
    sharper_page,
    slim,
    status,
)
from ledgerbook.statements import PAPERS, of_docname, written


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
        """Parse with the document's own MyST parser; headings stand in the document as if written
        there.
        """
        return self.parse_text_to_nodes(text, allow_section_headings=True)

    @property
    def row(self):
        row = of_docname(self.env.docname)
        if row is None:
            raise self.error(
                f"{self.env.docname} is not the chapter of any statement in"
                f" {paths.relative(paths.STATEMENTS)}"
            )
        return row


class LedgerPage(Generated):
    def markdown(self, ledger):
        return ledger_page.page(ledger)


class StatusPage(Generated):
    def markdown(self, ledger):
        return status.page(ledger)

    def run(self):
        for row in collect.load()["statements"]:
            self.env.note_dependency(str(runs.path(row["tag"])))
        return super().run()


class ErrataPage(Generated):
    def markdown(self, ledger):
        return errata.page(ledger)


class LetterPage(Generated):
    def markdown(self, ledger):
        return errata.letter(ledger)


class EquationsPage(Generated):
    def markdown(self, ledger):
        return ledger_page.equations_page(ledger)


class SharperPage(Generated):
    def markdown(self, ledger):
        return sharper_page.page(ledger)


class YouNeed(Generated):
    depends = ()

    def content_nodes(self):
        return self.parse_markdown(pages.you_need(self.row))


class WhatBecame(Generated):
    """The computed verdict of the chapter's statement, or of the one that the argument names."""

    optional_arguments = 1

    def markdown(self, ledger):
        tag = self.arguments[0] if self.arguments else self.row.tag
        record = next(row for row in ledger["statements"] if row["tag"] == tag)
        slips = [e["id"] for e in ledger["errata"] if e["tag"] == tag]
        slips += [
            e["id"] for e in ledger["errata"] if any(c["tag"] == tag for c in e["consequences"])
        ]
        return pages.what_became({**record, "slips": slips}, self.row)


class Kernel(Generated):
    """What the kernel accepted of the chapter's statement, or of the one the argument names."""

    optional_arguments = 1
    depends = (paths.PROOFS / "record.json",)

    def content_nodes(self):
        tag = self.arguments[0] if self.arguments else self.row.tag
        return self.parse_markdown(kernel_page.section(tag))


class Counts(Generated):
    def markdown(self, ledger):
        return pages.counts_sentence(ledger) + "\n\n" + pages.status_table(ledger)


class Graph(Generated):
    """The dependency graphs, each followed by the same content as a list."""

    def markdown(self, ledger):
        records = {row["tag"]: row for row in ledger["statements"]}
        return "\n\n".join(
            f"## {title}\n\n{graph.svg(paper, records, self.env.docname)}\n\n"
            f"{graph.listing(paper, records, self.env.docname)}"
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
        statuses = json.loads(paths.STATUSES.read_text(encoding="utf-8"))
        return self.parse_markdown(pages.where_it_sits(self.row, statuses))


class Provenance(Generated):
    depends = ()

    def content_nodes(self):
        return self.parse_markdown(pages.provenance(self.row))


def unique_ids(app, doctree):
    """sphinx-proof gives a theorem's id to its title too, and one id to the body of every
    theorem.
    """
    for node in doctree.findall(unenumerable_node):
        title, body = node.children
        title["ids"], body["ids"] = [], [f"{node['label']}-body"]


def open_theorem(self, node):
    """A theorem under its own title: the paper's number, not a counter of this book."""
    self.body.append(self.starttag(node, "div", CLASS="admonition"))


def close_theorem(self, node):
    """The end of a theorem."""
    self.body.append("</div>\n")


# Styles that extensions copy when all pages are written: Sphinx would put a checksum behind their
# names in every build but the first.  Their names or versions tell of a change already.
LATE_STYLES = re.compile(r"(.*/)?(mystnb\..*|proof\.css)")
file_checksum = html_builder._file_checksum


def steady_checksum(outdir, filename):
    """Sphinx' checksum of a style or script, none where it depends on which build this is."""
    return "" if LATE_STYLES.fullmatch(str(filename)) else file_checksum(outdir, filename)


def setup(app):
    """Register the directives, and mend what sphinx-proof 0.4 lacks."""
    html_builder._file_checksum = steady_checksum
    # Its domain keeps no data of its own (env-merge-info merges the list), but without this
    # method Sphinx refuses to read in parallel.
    ProofDomain.merge_domaindata = lambda self, docnames, otherdata: None
    app.connect("doctree-read", unique_ids)
    app.add_node(unenumerable_node, override=True, html=(open_theorem, close_theorem))
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
    for part in (access, addresses, fold, mathml, slim, find):
        part.setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
