"""The font of the formulas: STIX Two Math (SIL Open Font License), cut down to their signs."""

import importlib.resources
import io
import string
from functools import cache

from fontTools import subset, ttLib

# Beside plain text: Greek, letterlike signs, arrows, operators, brackets, mathematical alphabets.
RANGES = (
    (0x00A0, 0x00FF),
    (0x0300, 0x036F),
    (0x0391, 0x03F6),
    (0x2010, 0x2044),
    (0x2070, 0x209C),
    (0x20D0, 0x20F0),
    (0x2100, 0x214F),
    (0x2190, 0x21FF),
    (0x2200, 0x22FF),
    (0x2308, 0x230B),
    (0x27E6, 0x27EF),
    (0x27F5, 0x27FA),
    (0x2A7D, 0x2A7E),
    (0x1D400, 0x1D503),
    (0x1D538, 0x1D56B),
    (0x1D6A8, 0x1D7CB),
    (0x1D7CE, 0x1D7D7),
)
LICENCE = (
    "STIX Two Math, copyright 2001-2020 The STIX Fonts Project Authors, here cut down to the"
    " signs of formulas; under the SIL Open Font License 1.1, https://openfontlicense.org\n"
)


def characters() -> list[int]:
    """The code points that stay."""
    ranges = (code for first, last in RANGES for code in range(first, last + 1))
    return [*map(ord, string.printable), *ranges]


@cache
def woff2() -> bytes:
    """The font as a web font, about a fifth of the whole; its MATH table keeps what it needs."""
    source = importlib.resources.files("ziamath").joinpath("fonts/STIXTwoMath-Regular.ttf")
    font = ttLib.TTFont(io.BytesIO(source.read_bytes()), recalcTimestamp=False)
    options = subset.Options()
    options.flavor, options.hinting, options.layout_features = "woff2", False, ["ssty", "dtls"]
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=characters())
    cutter.subset(font)
    font.flavor = "woff2"
    out = io.BytesIO()
    font.save(out)
    return out.getvalue()
