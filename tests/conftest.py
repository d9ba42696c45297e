"""The order of the tests: files that take long come first, so that no worker ends alone."""


def pytest_collection_modifyitems(items):
    """Marked files first; all else stays in its order."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
