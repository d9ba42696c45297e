"""The built pages with fewer bytes and fewer elements, and nothing that a reader would see of it.

What Sphinx and the theme write for every link, row, word of code and sign of a formula is said a
hundred thousand times in a book; here stands what no style and no script asks for.  Each rule
leaves what another run finds as it is.
"""

import re
from pathlib import Path

from sphinx.application import Sphinx

from ledgerbook import bundle, paths, slim

KEPT = re.compile(r"(<(pre|script|style|textarea)\b.*?</\2>)", re.DOTALL)
LEAF = r"<(m[in])\b[^>]*>[^<]*</\2>"
RULES = [
    (re.compile(pattern, re.DOTALL), instead)
    for pattern, instead in (
        (r"<!--.*?-->", ""),
        # Of the theme: a place for advertisements, a warning of old versions, a title and contents
        # for paper alone, where the page's own title does.
        (
            r'<div class="sidebar-primary-items__end[^"]*">\s*<div[^>]*>\s*'
            r'<div id="ethical-ad.*?</div>\s*</div>\s*</div>',
            "",
        ),
        (r'<div class="pst-async-banner-revealer[^"]*">.*?</div>', ""),
        (r'<div id="jb-print-docs-body".*?(?=<div id="searchbox")', ""),
        (r"[ \t]*\n\s*", "\n"),
        (r'<span class="pre">([^<]*)</span>', r"\1"),
        (r'<code class="[^"]*\bliteral notranslate"', '<code class="literal"'),
        (r' class="reference (?:internal|external)"', ""),
        (r'(<a class="[^"]*?) ?\breference (?:internal|external)\b', r"\1"),
        (r'<a class=" ?([^"]*)"', r'<a class="\1"'),
        (r'<span class="std std-\w+">', "<span>"),
        (r'<tr class="row-(?:odd|even)"', "<tr"),
        (r'<th class="head"', "<th"),
        (r"(<t[dh]\b[^>]*>)<p>((?:(?!</?p\b).)*)</p>\s*(?=</t[dh]>)", r"\1\2"),
        (r"(</t[dhr]>|<(?:tr|thead|tbody)\b[^>]*>)\n(?=</?t)", r"\1"),  # no text stands there
        (r"\n(?=</?(?:div|section|p|ul|li|h[1-6]|nav|dl|dt|dd|article|noscript|details)\b)", ""),
        (r"</t[dh]>(?=<t[dh]\b|</tr>)", ""),  # HTML asks for no such end
        # As attributes both sizes keep their ratio where a style makes the picture narrower.
        (
            r'(<img\b[^>]*?) style="width: (\d+)px; height: (\d+)px;"',
            r'\1 width="\2" height="\3"',
        ),
        (r"(_images/[^\s\"'/)]+)\.png\b", r"\1.webp"),  # as slim packs them
        (r'<math display="inline"', "<math"),
        (r"(<math\b[^>]*>)<mrow>((?:(?!</math>).)*)</mrow></math>", r"\1\2</math>"),
        (rf"<mrow>({LEAF})</mrow>", r"\1"),
    )
]
CODE = re.compile(r'(?<=<div class="highlight">)<pre\b.*?</pre>', re.DOTALL)
COLOURS = re.compile(r"<(/?)span\b(?: class=\"(\w+)\")?")
SAME = re.compile(r"<i class=(\w+)>([^<]*)</i>(\s+)<i class=\1>")


def lighter(page: str) -> str:
    """A page of the site; code and scripts keep every sign."""
    page = CODE.sub(lambda code: _code(code[0]), page)
    pieces = KEPT.split(page)  # text, what is kept, its name, text, …
    for place in range(0, len(pieces), 3):
        for pattern, instead in RULES:
            pieces[place] = pattern.sub(instead, pieces[place])
    return "".join(piece for place, piece in enumerate(pieces) if place % 3 != 2)


def _code(code: str) -> str:
    """Coloured code with the shortest of elements, and one for neighbours of one colour."""
    code = code.replace("<span></span>", "")
    code = COLOURS.sub(lambda tag: f"<{tag[1]}i" + (f" class={tag[2]}" if tag[2] else ""), code)
    while (joined := SAME.sub(r"<i class=\1>\2\3", code)) != code:
        code = joined
    return code


def write(app: Sphinx, exception: Exception | None) -> None:
    """Make all pages of the site lighter: those that have its one style."""
    if exception is not None or app.builder.name != "html":
        return
    site, named = Path(app.outdir), set()
    for file in sorted(site.glob("**/*.html")):
        page = file.read_text(encoding="utf-8")
        if bundle.STYLE in page:
            page = lighter(page)
            paths.write_if_changed(file, page)
        named |= set(slim.NAMED.findall(page))
    slim.remove_unnamed(site, named)


def setup(app: Sphinx) -> None:
    """Connect it before the styles that pages name are looked for."""
    app.connect("build-finished", write, priority=800)
