"""The styles of all pages as one file, without the rules of what no page and no script names."""

import posixpath
import re
from pathlib import Path

JOINT = "site.css"  # beside the styles that it is made of
# Before those that Sphinx knows by name.
FIRST = "_static/basic.css", "_static/styles/pydata-sphinx-theme.css"
RULE = re.compile(r"([^{};]+)\{([^{}]*)\}")
CLASS = re.compile(r"\.(-?[A-Za-z_][\w-]*)")
INSIDE = r"\((?:[^()]|\([^()]*\))*\)"  # brackets, in which what is not there may be named
COMMA = re.compile(r",(?![^()]*(?:\([^()]*\)[^()]*)*\))")  # outside of brackets
SIGN = r'(?:content|--fa):"\\([ef][0-9a-f]{3})"'  # until Font Awesome 6, and from 7 on
VALUE = re.compile(r"(--[\w-]+)\s*:[^;{}]*;?")


def join(site: Path, names: list[str]) -> None:
    """Write the joint style of a built site, and keep of the theme's icons (Font Awesome Free, SIL
    Open Font License) those that it shows.

    names: the styles as Sphinx lists them; they are gone afterwards.  A site whose styles were not
    copied anew keeps the joint one.
    """
    static = site / "_static"
    there = [file for name in dict.fromkeys((*FIRST, *names)) if (file := site / name).is_file()]
    if site / FIRST[1] not in there:
        return
    style = "".join(_read(file, static) for file in there)
    classes, words = _named(site)
    style = shaken(style, classes, words)
    (static / JOINT).write_text(style, encoding="utf-8")
    for file in {*there, *static.glob("styles/*.css")}:
        file.unlink()
    signs = re.findall(SIGN, style)
    for font in static.glob("**/fa-solid-*.woff2") if signs else ():
        from fontTools import subset  # once a site

        partial = font.with_suffix(".partial")
        given = f"--unicodes={','.join(signs)}", "--flavor=woff2", f"--output-file={partial}"
        subset.main([str(font), *given])
        partial.replace(font)


def _read(file: Path, static: Path) -> str:
    """A style without comments and imports, its addresses as seen from the joint one."""
    text = file.read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/|@(?:import|charset)[^;]*;", "", text, flags=re.DOTALL)
    folder = posixpath.dirname(file.relative_to(static).as_posix())
    if folder:
        text = re.sub(r"url\(([\"']?)(?!data:|#)", rf"url(\g<1>{folder}/", text)
    return re.sub(r"\s+", " ", text)


def _named(site: Path) -> tuple[set[str], set[str]]:
    """The classes of all pages with the words of all scripts, and the values that are asked for."""
    classes: set[str] = set()
    values: set[str] = set()
    scripts = (file for file in site.glob("*/**/*.js") if file.name != "searchindex.js")
    for file in (*site.rglob("*.html"), *scripts, *site.glob("[!_]*/**/*.css")):
        text = file.read_text(encoding="utf-8")
        said = re.findall(r'class="([^"]*)', text) if file.suffix == ".html" else [text]
        classes.update(*(re.findall(r"[\w-]+", one) for one in said))
        values.update(re.findall(r"--[\w-]+", text))
    return classes, values


def shaken(style: str, classes: set[str], values: set[str]) -> str:
    """A style without the selectors that ask for a class which is not among those given, and
    without the values (``--name``) that nothing asks for.
    """

    def kept(rule: re.Match) -> str:
        if rule[1].lstrip().startswith("@"):
            return rule[0]
        parts = COMMA.split(rule[1])
        seen = [one for one in parts if classes.issuperset(CLASS.findall(re.sub(INSIDE, "", one)))]
        return rule[0] if seen == parts else f"{','.join(seen)}{{{rule[2]}}}" if seen else ""

    def asked_for(value: re.Match) -> str:
        return value[0] if value[1] in asked else ""

    style, before = RULE.sub(kept, style), ""
    while style != before:
        before, asked = style, {*re.findall(r"var\(\s*(--[\w-]+)", style), *values}
        style = re.sub(r"[^{};]+\{\s*\}", "", VALUE.sub(asked_for, style))
    return style
