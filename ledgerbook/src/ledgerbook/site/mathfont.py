"""The font of the formulas: STIX Two Math (SIL Open Font License), cut down to their signs."""

import html
import importlib.resources
import re
import shutil
from pathlib import Path
from unicodedata import normalize

from ledgerbook.chapters import fingerprint

# What stays: plain text, Greek, letterlike signs, arrows, operators, brackets, mathematical
# alphabets.
SIGNS = (
    "20-7E,A0-FF,300-36F,391-3F6,2010-2044,2070-209C,20D0-20F0,2100-214F,2190-21FF,2200-22FF,"
    "2308-230B,27E6-27EF,27F5-27FA,2A7D-2A7E,1D400-1D503,1D538-1D56B,1D6A8-1D7CB,1D7CE-1D7D7"
)
FILE = "_fonts/stix-two-math.woff2"
HOW = "--flavor=woff2", "--no-hinting", "--layout-features=ssty,dtls"
FORMULA = re.compile(r"<math\b.*?</math>", re.DOTALL)
TAG = re.compile(r"<[^>]*>")
# What a browser makes of a letter that stands alone.
ITALIC = {
    normalize("NFKD", one): one
    for one in map(chr, [*range(0x1D434, 0x1D468), *range(0x1D6E2, 0x1D71C), 0x210E])
}
LICENCE = (
    "STIX Two Math, copyright 2001-2020 The STIX Fonts Project Authors, here cut down to the"
    " signs of formulas; under the SIL Open Font License 1.1, https://openfontlicense.org\n"
)


def write_font(folder: Path) -> None:
    """The font as a web font, about a fifth of the whole, with its licence; once a site."""
    target = folder / FILE
    if target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    (target.parent / "LICENCE.txt").write_text(LICENCE, encoding="utf-8")
    source = importlib.resources.files("ziamath").joinpath("fonts/STIXTwoMath-Regular.ttf")
    _subset(Path(str(source)), SIGNS, target)


def shown(page: str) -> set[str]:
    """The signs of a page's formulas, letters also as a browser slants them."""
    signs = {*html.unescape(TAG.sub("", "".join(FORMULA.findall(page))))}
    return signs | {ITALIC[one] for one in signs & ITALIC.keys()}


def cut(folder: Path, signs: set[str], kept: Path) -> None:
    """Leave of a built site's font the signs that its pages show, and plain text: a third.

    A page is painted when the font is there.  ``kept`` has the last cut, which takes seconds.
    """
    target = folder / FILE
    wanted = ",".join(["20-7E", *(f"{ord(one):X}" for one in sorted(signs))])
    if not target.exists():
        return
    cut = kept / f"{fingerprint.digest([wanted])}.woff2"
    if not cut.exists():
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        _subset(target, wanted, cut)
    shutil.copyfile(cut, target)


def _subset(source: Path, signs: str, target: Path) -> None:
    from fontTools import subset  # once a site: no other run waits for it

    partial = target.with_suffix(".partial")
    subset.main([str(source), f"--unicodes={signs}", *HOW, f"--output-file={partial}"])
    partial.replace(target)
