"""What a page says of the kernel's verdicts: in the words of what was at hand."""

import pytest

from ledgerbook import kernel_page

ROW = {"name": "f", "verdict": "holds-as-printed", "words": "it is so", "statement": "1 = 1"}


@pytest.mark.parametrize("standing, word", [("read", "printed"), ("reconstructed", "established")])
def test_a_statement_that_nobody_read_holds_as_established(standing, word):
    assert f"**holds as {word}** (`f`): it is so" in kernel_page._theorem(ROW, standing)
