"""The look that every figure has, and what a finished one carries beside its picture."""

import base64

import pytest
from ledgerbook.ledger import figures

FIVE, FOUR = "one two three four five", "one two three four"


def test_a_picture_carries_its_words_beside_its_bytes():
    figure, _ = figures.subplots(width=1.0, height=1.0)
    picture = figures.Picture(figure, alt=FIVE, caption="a b c d e")
    data, details = picture._repr_mimebundle_()
    assert data["text/plain"] == repr(picture) == f"[figure] {FIVE}"
    assert base64.b64decode(data["image/png"]) == picture.png
    told = details["image/png"]
    assert base64.b64decode(told.pop("dark")) == picture.dark
    assert told == {"width": 100, "alt": FIVE, "caption": "a b c d e"}
    wild = figures.Picture(figure, FIVE, FIVE, chaotic=True)._repr_mimebundle_()[1]
    assert wild["image/png"]["chaotic"] is True


@pytest.mark.parametrize(
    ("alt", "caption", "named"), [(FOUR, FIVE, "alt"), (FIVE, FOUR, "caption")]
)
def test_both_texts_are_sentences(alt, caption, named):
    with pytest.raises(ValueError, match=f"^{named} = "):
        figures.Picture(None, alt, caption)
