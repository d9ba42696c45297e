"""The font of the formulas: STIX Two Math (SIL Open Font License), cut down to their signs."""

import importlib.resources
from pathlib import Path

# What stays: plain text, Greek, letterlike signs, arrows, operators, brackets, mathematical
# alphabets.
SIGNS = (
    "20-7E,A0-FF,300-36F,391-3F6,2010-2044,2070-209C,20D0-20F0,2100-214F,2190-21FF,2200-22FF,"
    "2308-230B,27E6-27EF,27F5-27FA,2A7D-2A7E,1D400-1D503,1D538-1D56B,1D6A8-1D7CB,1D7CE-1D7D7"
)
LICENCE = (
    "STIX Two Math, copyright 2001-2020 The STIX Fonts Project Authors, here cut down to the"
    " signs of formulas; under the SIL Open Font License 1.1, https://openfontlicense.org\n"
)


def write_font(folder: Path) -> None:
    """The font as a web font, about a fifth of the whole, with its licence; once a site."""
    target = folder / "_fonts" / "stix-two-math.woff2"
    if target.exists():
        return
    from fontTools import subset  # once a site: no other run waits for it

    target.parent.mkdir(parents=True, exist_ok=True)
    (target.parent / "LICENCE.txt").write_text(LICENCE, encoding="utf-8")
    source = importlib.resources.files("ziamath").joinpath("fonts/STIXTwoMath-Regular.ttf")
    partial = target.with_suffix(".partial")
    how = "--flavor=woff2", "--no-hinting", "--layout-features=ssty,dtls"
    subset.main([str(source), f"--unicodes={SIGNS}", *how, f"--output-file={partial}"])
    partial.replace(target)
