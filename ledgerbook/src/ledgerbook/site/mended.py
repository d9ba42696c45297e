"""What sphinx-proof 0.4 lacks: ids that stand once, titles and figures without a counter; and what
Sphinx lacks: a page that cannot be written stops the build, in parallel too.
"""

from docutils import nodes
from sphinx.util.parallel import ParallelTasks
from sphinx_proof.domain import ProofDomain
from sphinx_proof.nodes import unenumerable_node

from ledgerbook.chapters import toc

NUMBERING = "sphinx_multitoc_numbering"
_join_one = ParallelTasks._join_one


def join_one(self: ParallelTasks) -> bool:
    """Collect what is done.  A chunk of work that fails while others are still being handed out is
    forgotten by ``ParallelTasks.add_task``, and the build ends well: here it ends.
    """
    try:
        return _join_one(self)
    except Exception as error:
        self.terminate()
        raise SystemExit(f"{type(error).__name__}: {error}") from error


def plain(app, doctree):
    """sphinx-proof gives a theorem's id to its title too, and one id to the body of every theorem;
    what it writes of one has a counter of this book before the paper's own number.
    """
    for node in list(doctree.findall(unenumerable_node)):
        title, body = node.children
        title["ids"], body["ids"] = [], [f"{node['label']}-body"]
        node.replace_self(
            nodes.admonition("", *node.children, ids=node["ids"], classes=node["classes"])
        )


def uncounted(app, config):
    """The papers count their statements and figures; the book counts none of its own beside them.

    sphinx-proof turns the counting on, for which Sphinx opens every page once more.  In a book that
    was there before, its author's ``{numref}`` stay what they were.
    """
    config.numfig = config.numfig and toc.own()


def read_beside(app, config):
    """sphinx-external-toc 1.1 brings an extension that numbers sections, in the main process alone,
    and does not say that pages may be read in parallel: Sphinx would warn, and read serially.
    """
    if NUMBERING in app.extensions:
        app.extensions[NUMBERING].parallel_read_safe = True


def setup(app):
    """Mend all."""
    ParallelTasks._join_one = join_one  # type: ignore[method-assign]
    # Its domain keeps no data of its own (env-merge-info merges the list), but without this
    # method Sphinx refuses to read in parallel.
    ProofDomain.merge_domaindata = lambda self, docnames, otherdata: None
    app.connect("config-inited", uncounted, priority=900)
    app.connect("config-inited", read_beside, priority=900)
    app.connect("doctree-read", plain)
