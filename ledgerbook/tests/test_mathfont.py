"""The font of the formulas: which signs stay."""

import pytest
from ledgerbook.site import mathfont


@pytest.mark.parametrize("first, last", ["Αω", "⁰₉", "←⇿", "∀⋿", "𝐀𝓏", "𝔸𝕫", "𝟎𝟗"])
def test_a_family_of_signs_stays_whole(first, last):
    assert set(range(ord(first), ord(last) + 1)) <= set(mathfont.characters())


def test_the_neighbours_of_a_family_go():
    assert not set(map(ord, "ĀͰ⤀𝔄")) & set(mathfont.characters())
