"""One style and one script for all pages, of what the theme and the extensions bring.

A page then waits for one style, without the rules that no page of the site names, and for no
script: menus, hints and buttons that copy are fetched when it stands.  The search page, whose own
scripts stand on the others, waits for the first script.
"""

import importlib.resources
import json
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from ledgerbook import configuration, fingerprint, markup, paths

STYLE, SCRIPT, LATER = "_static/site.css", "_static/site.js", "_static/later.js"
THEME = "pydata_sphinx_theme"
FIRST = ("_static/styles/theme.css", "_static/styles/pydata-sphinx-theme.css")
# What a page needs at once, beside our own; menus, hints and buttons come when it stands.
AT_ONCE = {"documentation_options.js", "doctools.js", "sphinx_highlight.js"}
BOOTSTRAP, MENUS = "_static/scripts/bootstrap.js", "_static/scripts/pydata-sphinx-theme.js"
# Measures every block of code, those in closed folds too, whenever the page loads; what scrolls
# is found by reach.js, as it comes into view.
MEASURING = re.compile(
    r',"complete"===document\.readyState\?(\w+)\(\):window\.addEventListener\("load",\1\)'
)
PIECE = re.compile(r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|url\([^"')]*\)|[{};]""")
NESTED = ("@media", "@supports", "@layer", "@container")
WITHIN = re.compile(r":(?:not|is|where|has|matches)\((?:[^()]|\([^()]*\))*\)")
CLASS = re.compile(r"\.(-?[A-Za-z_](?:\\.|[\w-])*)")
MADE = ("bs-",)  # names that a script puts together
OF_ONE_PAGE = "DOCUMENTATION_OPTIONS.pagename"  # nothing of a book without versions asks for it
_listed: dict[str, list[str]] = {}


def put(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Tell the template what it shows in place of the lists; remember the lists."""
    if app.builder.name != "html":
        return
    scripts = sorted(context["script_files"], key=lambda one: one.priority)
    styles = sorted(context["css_files"], key=lambda one: one.priority)
    _listed["styles"] = [*FIRST, *(str(one.filename) for one in styles)]
    _listed["scripts"] = [*filter(None, map(_script, scripts)), MENUS]
    context["bundled"] = fingerprint.digest([app.config.made_by, context.get("copied", "")])
    context["bundled_data"] = {
        key: value
        for one in scripts
        for key, value in one.attributes.items()
        if key.startswith("data-")
    }


def _script(one: Any) -> str:
    """A script's file, or its words behind a line break; nothing for what one page alone says."""
    if one.filename:
        return str(one.filename)
    body = one.attributes.get("body") or ""
    return "" if body.startswith(OF_ONE_PAGE) else f"\n{body}"


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write both, and take away the files that they are made of."""
    if exception is not None or app.builder.name != "html" or not _listed:
        return
    site = Path(app.outdir)
    ours = {file.name for file in configuration.STATIC.iterdir()}
    both: dict[str, list[str]] = {SCRIPT: [], LATER: []}
    for one in _listed["scripts"]:
        both[SCRIPT if posixpath.basename(one) in ours | AT_ONCE else LATER].append(one)
    for name, files in both.items():
        loader = [markup.render("loader.js.jinja", later=(BOOTSTRAP, LATER))] * (name == SCRIPT)
        # Nothing before it: a script's own "use strict" binds nobody else.
        code = ["void 0;", *loader, *(_code(site, one) for one in files)]
        paths.write_if_changed(site / name, "\n;\n".join(code))
    style = "\n".join(_style(site, one) for one in _listed["styles"])
    paths.write_if_changed(site / STYLE, pruned(style, classes(site)))
    for name in (*_listed["styles"], *_listed["scripts"], "_static/basic.css"):
        if not name.startswith("\n"):
            (site / name.partition("?")[0]).unlink(missing_ok=True)


def _code(site: Path, name: str) -> str:
    """A script without its map; the theme's without what measures all code at once."""
    if name.startswith("\n"):
        return name
    text = (site / name.partition("?")[0]).read_text(encoding="utf-8")
    if name == MENUS:
        text, found = MEASURING.subn("", text)
        if not found:
            raise ValueError(f"{THEME}: {name} does not measure blocks of code as it did")
    return re.sub(r"^//# sourceMappingURL=.*$", "", text, flags=re.MULTILINE).strip()


def _style(site: Path, name: str) -> str:
    """A style with what it imports, its addresses as seen from the one style's place."""
    text = (site / name.partition("?")[0]).read_text(encoding="utf-8")
    folder = posixpath.dirname(name)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)

    def imported(found: re.Match) -> str:
        return _style(site, posixpath.normpath(posixpath.join(folder, found[1])))

    def moved(found: re.Match) -> str:
        target = posixpath.join(folder, found[2])
        return f"url({found[1]}{posixpath.relpath(target, posixpath.dirname(STYLE))}{found[1]})"

    text = re.sub(r"""url\((["']?)(?![\w-]+:|/|#|%23)([^"')]+)\1\)""", moved, text)
    return re.sub(r"""@import ["']([^"']+)["'];""", imported, text)


def classes(site: Path) -> set[str]:
    """The names that a page of the site has as a class, or a script as a word."""
    pages = "\n".join(file.read_text(encoding="utf-8") for file in site.glob("**/*.html"))
    said = set(re.findall(r"""class=(?:"([^"]*)"|'([^']*)'|([^\s>"']+))""", pages))
    scripts = [*site.glob("*/*.js"), *re.findall(r"<script>(.*?)</script>", pages, re.DOTALL)]
    words = {
        word
        for one in scripts
        for word in re.findall(r"[\w-]+", one if isinstance(one, str) else one.read_text("utf-8"))
    }
    return words | {name for three in said for some in three for name in some.split()}


def blocks(css: str) -> Iterator[tuple[str, str | None]]:
    """The rules of a style: what stands before the braces, and within; ``None`` without braces."""
    start = depth = opened = 0
    for piece in PIECE.finditer(css):
        if piece[0] == "{":
            depth += 1
            opened = piece.start() if depth == 1 else opened
        elif piece[0] == "}":
            depth -= 1
            if depth == 0:
                yield css[start:opened].strip(), css[opened + 1 : piece.start()].strip()
                start = piece.end()
        elif piece[0] == ";" and depth == 0:
            yield css[start : piece.start()].strip(), None
            start = piece.end()


def pruned(css: str, known: set[str]) -> str:
    """A style without the selectors of classes that nothing has."""
    kept = []
    for before, within in blocks(css):
        if within is None:
            kept.append(f"{before};")
        elif before.startswith(NESTED):
            inside = pruned(within, known)
            kept += [f"{before}{{{inside}}}"] if inside else []
        elif before.startswith("@"):
            kept.append(f"{before}{{{within}}}")
        else:
            matching = [one for one in selectors(before) if _may_match(one, known)]
            kept += [f"{','.join(matching)}{{{within}}}"] if matching and within else []
    return "\n".join(kept)


def selectors(listed: str) -> Iterator[str]:
    """The selectors of a list, cut at its own commas alone."""
    part, depth = "", 0
    for sign in listed:
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and depth == 0:
            yield part.strip()
            part = ""
        else:
            part += sign
    yield part.strip()


def _may_match(selector: str, known: set[str]) -> bool:
    named = (re.sub(r"\\(.)", r"\1", one) for one in CLASS.findall(WITHIN.sub("", selector)))
    return all(name in known or name.startswith(MADE) for name in named)


def write_templates(folder: Path) -> None:
    """The layout with one style and one script; ``ValueError`` if the theme's has other blocks."""
    theme = importlib.resources.files(THEME) / "theme" / THEME / "layout.html"
    text = theme.read_text(encoding="utf-8")
    own = Path(__file__).with_name("templates") / "layout.html"
    made = own.read_text(encoding="utf-8")
    for name in re.findall(r"{%-? block (\w+)", made):
        if f"block {name}" not in text and name != "scripts":
            raise ValueError(f"{THEME}: layout.html has no block {json.dumps(name)} any more")
    paths.write_if_changed(folder / "layout.html", made)


def setup(app: Sphinx) -> None:
    """Connect it: after all have named their files, after all have copied them."""
    app.connect("html-page-context", put, priority=950)
    app.connect("build-finished", write, priority=900)
