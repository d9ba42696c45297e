"""A made-up text whose words walk at random, and its table of pairs."""

import pytest

from lib.real_text.token_effects import pair_table
from tests.real_text.walk import walk


@pytest.fixture(scope="module")
def corpus():
    return walk()


@pytest.fixture(scope="module")
def table(corpus):
    return pair_table(corpus, corpus.held_out)
