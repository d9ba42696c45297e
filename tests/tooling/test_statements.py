"""The list of statements."""

import pytest
from ledgerbook.statements import statement


def test_unknown_tag_names_neighbours():
    with pytest.raises(ValueError, match="scan-snap.lemma-05"):
        statement("scan-snap.lemma-5")
