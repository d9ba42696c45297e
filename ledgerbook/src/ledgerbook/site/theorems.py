"""What sphinx-proof 0.4 lacks: ids that stand once, titles and figures without a counter."""

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


def uncounted(app, config):
    """The papers count their statements and figures; the book counts none of its own beside them.

    sphinx-proof turns the counting on, for which Sphinx opens every page once more.
    """
    config.numfig = False


def setup(app):
    """Mend what sphinx-proof 0.4 lacks."""
    # Its domain keeps no data of its own (env-merge-info merges the list), but without this
    # method Sphinx refuses to read in parallel.
    ProofDomain.merge_domaindata = lambda self, docnames, otherdata: None
    app.connect("config-inited", uncounted, priority=900)
    app.connect("doctree-read", unique_ids)
    app.add_node(unenumerable_node, override=True, html=(open_theorem, close_theorem))
