"""The order of tests, files that take long first so that none ends alone; what a machine lacks; a
shared generator.
"""

import contextlib
from types import SimpleNamespace

import numpy as np
import pytest
from ledgerbook.execution.environment import collect_seldom
from ledgerbook.project.project import current, use

from tests import needed

collect_seldom()


@pytest.fixture
def varied():
    """The function that lets the rest of a test work on this companion with other paths."""
    with contextlib.ExitStack() as stack:
        yield lambda **values: stack.enter_context(use(current().varied(**values)))


@pytest.fixture
def largest_draws():
    """A generator whose every draw is the last number below 1."""
    return SimpleNamespace(random=lambda size=None: np.full(size or (), np.nextafter(1, 0)))


@pytest.hookimpl(tryfirst=True)  # before ``-m needs`` chooses
def pytest_collection_modifyitems(items):
    """Skip what needs a missing program.  Marked files first; all else stays in its order."""
    why = {name: needed.missing(name) for name in needed.PROGRAMS}
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.needs("Chromium"))
        names = [name for mark in item.iter_markers("needs") for name in mark.args]
        for reason in filter(None, map(why.__getitem__, names)):
            item.add_marker(pytest.mark.skip(reason=reason))
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
