"""A page that cannot be written stops the build, in parallel too.

Sphinx hands out its work in chunks; a chunk that fails while others are still being handed out is
forgotten (``ParallelTasks.add_task``): the build ends well, and the pages are the old ones or none.
"""

from sphinx.application import Sphinx
from sphinx.util.parallel import ParallelTasks

_join_one, _join = ParallelTasks._join_one, ParallelTasks.join


def join_one(self: ParallelTasks) -> bool:
    """Collect what is done; the first failure is kept."""
    try:
        return _join_one(self)
    except Exception as error:
        vars(self).setdefault("failure", error)
        raise


def join(self: ParallelTasks) -> None:
    """Collect the rest; raises a failure that was met before."""
    _join(self)
    if "failure" in vars(self):
        raise vars(self)["failure"]


def setup(app: Sphinx) -> dict[str, bool]:
    """Put both in the place of Sphinx' own."""
    ParallelTasks._join_one, ParallelTasks.join = join_one, join  # type: ignore[method-assign]
    return {"parallel_read_safe": True, "parallel_write_safe": True}
