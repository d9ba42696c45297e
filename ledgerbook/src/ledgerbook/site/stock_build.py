"""``jupyter-book build .``: what a stock build is missing, filled in from the one configuration.

The stock command knows ``_config.yml`` alone.  Where this package's own command did not write the
configuration, what it would have said is put in before Sphinx reads it, and what the pages stand on
is written first: the ledger, its data, the companion's own folders.
"""

from sphinx.application import Sphinx

from ledgerbook.chapters import collect
from ledgerbook.project import paths
from ledgerbook.site import configuration, sphinx_project


def complete(app: Sphinx) -> None:
    """Prepare a build that knows nothing of ours; leave one that was configured here alone."""
    if app.config.made_by:
        return
    paths.STAMP.unlink(missing_ok=True)  # the folder of pages may be ours: build it anew then
    collect.write(collect.collect())
    sphinx_project.write_extra()
    ours = configuration.sphinx()
    for name in ours.pop("extensions"):
        if name != "ledgerbook.site.sphinx_ext":  # the one that is being set up
            app.setup_extension(name)

    def fill(app: Sphinx, config) -> None:
        for key, value in ours.items():
            config[key] = value
        for listener in sum(app.events.listeners.values(), []):
            if listener.handler.__module__.startswith(configuration.UNWANTED):
                app.disconnect(listener.id)

    app.connect("config-inited", fill, priority=1)
