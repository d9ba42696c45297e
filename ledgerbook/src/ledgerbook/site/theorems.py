"""What sphinx-proof 0.4 and late styles lack: ids that stand once, titles and figures without a
counter, one checksum in every build.
"""

import re

from sphinx.builders import html as html_builder
from sphinx_proof.domain import ProofDomain
from sphinx_proof.nodes import unenumerable_node


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


def uncounted(app, config):
    """The papers count their statements and figures; the book counts none of its own beside them.

    sphinx-proof turns the counting on, for which Sphinx opens every page once more; a companion
    that wants the numbers says ``ledgerbook_numfig: true`` where it configures Sphinx.
    """
    config.numfig = config.ledgerbook_numfig


def setup(app):
    """Mend what sphinx-proof 0.4 lacks."""
    html_builder._file_checksum = steady_checksum
    # Its domain keeps no data of its own (env-merge-info merges the list), but without this
    # method Sphinx refuses to read in parallel.
    ProofDomain.merge_domaindata = lambda self, docnames, otherdata: None
    app.add_config_value("ledgerbook_numfig", False, "env")
    app.connect("config-inited", uncounted, priority=900)
    app.connect("doctree-read", unique_ids)
    app.add_node(unenumerable_node, override=True, html=(open_theorem, close_theorem))
