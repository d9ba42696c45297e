"""The font of the formulas: STIX Two Math (SIL Open Font License), cut down to their signs."""

import importlib.resources
import io
import string
from functools import cache
from pathlib import Path

from ledgerbook.project import storage

# The first and the last sign of what stays beside plain text: Greek, letterlike signs, arrows,
# operators, brackets, mathematical alphabets.
RANGES = (
    ("\u00a0", "\u00ff"),
    ("\u0300", "\u036f"),
    ("\u0391", "\u03f6"),
    ("\u2010", "\u2044"),
    ("\u2070", "\u209c"),
    ("\u20d0", "\u20f0"),
    ("\u2100", "\u214f"),
    ("\u2190", "\u21ff"),
    ("\u2200", "\u22ff"),
    ("\u2308", "\u230b"),
    ("\u27e6", "\u27ef"),
    ("\u27f5", "\u27fa"),
    ("\u2a7d", "\u2a7e"),
    ("\U0001d400", "\U0001d503"),
    ("\U0001d538", "\U0001d56b"),
    ("\U0001d6a8", "\U0001d7cb"),
    ("\U0001d7ce", "\U0001d7d7"),
)
LICENCE = (
    "STIX Two Math, copyright 2001-2020 The STIX Fonts Project Authors, here cut down to the"
    " signs of formulas; under the SIL Open Font License 1.1, https://openfontlicense.org\n"
)


def characters() -> list[int]:
    """The code points that stay."""
    ranges = (code for first, last in RANGES for code in range(ord(first), ord(last) + 1))
    return [*map(ord, string.printable), *ranges]


@cache
def woff2() -> bytes:
    """The font as a web font, about a fifth of the whole; its MATH table keeps what it needs."""
    from fontTools import subset, ttLib  # once a site: no other run waits for it

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


def write_font(folder: Path) -> None:
    """The font of the formulas, with its licence."""
    target = folder / "_fonts" / "stix-two-math.woff2"
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        (target.parent / "LICENCE.txt").write_text(LICENCE, encoding="utf-8")
        storage.write_atomically(target, woff2())
