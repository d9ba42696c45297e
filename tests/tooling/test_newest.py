"""Which versions ``make next`` exchanges."""

from ledgerbook.project.project import current

from tooling import newest

TEXT = """# What it is written against.

# core: models
numpy==2.4.6
# book
jupyter-book==1.0.4.post1
sphinx==7.4.7
# test
pytest==9.2.0
# build: makes it
setuptools==1
"""


def test_the_tools_of_pages_and_tests_are_exchanged_and_nothing_else():
    assert newest.listed(TEXT) == {"sphinx": "7.4.7", "pytest": "9.2.0"}
    ours = newest.listed(current().locks[0].read_text(encoding="utf-8"))
    assert {"sphinx", "myst-nb", "nbval"} <= ours.keys() and not {"torch", "numpy"} & ours.keys()
