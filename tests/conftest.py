"""The order of tests, files that take long first so that none ends alone; a shared generator."""

from types import SimpleNamespace

import numpy as np
import pytest
from ledgerbook.execution.environment import collect_seldom

collect_seldom()


@pytest.fixture
def largest_draws():
    """A generator whose every draw is the last number below 1."""
    return SimpleNamespace(random=lambda size=None: np.full(size or (), np.nextafter(1, 0)))


def pytest_collection_modifyitems(items):
    """Marked files first; all else stays in its order."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
