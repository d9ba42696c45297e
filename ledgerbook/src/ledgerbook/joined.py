"""The whole book as one document: the built pages in reading order, as paper shows them.

Each page comes without its scripts and with its folds open. Addresses carry their page's name, so
that links between pages lead within the document; links to anything else of the site go. Where the
document is one part, a link to a page of another part leads to ``ELSEWHERE``.
"""

import functools
import html
import os
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ledgerbook import markup, paths, project
from ledgerbook.validation import require

ARTICLE = re.compile(r"<article\b[^>]*>(.*?)</article>", re.DOTALL)
DROPPED = re.compile(
    r'<script\b.*?</script>|</?noscript\b[^>]*>|<a class="headerlink".*?</a>|<button\b.*?</button>',
    re.DOTALL,
)
TAG = re.compile(r"<(/?)([a-zA-Z][\w:-]*)((?:\"[^\"]*\"|'[^']*'|[^'\">])*)>")
ATTRIBUTE = re.compile(r'(\s)([\w:-]+)="([^"]*)"')
CODE = re.compile(r'<div class="highlight">.*?</pre>', re.DOTALL)
# Of the colours of code those of comments stay: each is an element of the tagged PDF.
COLOUR = re.compile(r'<(span|i) class="?(?!c)[a-z]\w*"?>([^<]*)</\1>|<span></span>')
STYLE = re.compile(r"(<style\b[^>]*>)(.*?)(</style>)", re.DOTALL)
STYLESHEET = re.compile(r'<link (?:rel="stylesheet" [^>]*?)?href="([^"]+\.css[^"]*)"')
NAMES = {"id", "for", "headers", "aria-labelledby", "aria-describedby", "aria-controls"}
FILES = {"src", "poster"}
ELSEWHERE = "https://elsewhere.invalid/#"  # RFC 2606 keeps this name free
DEEPEST = 6  # HTML has six levels of headings


class Place(NamedTuple):
    """A line of the table of contents: a page, or the title of a part."""

    depth: int
    docname: str
    caption: str = ""


def places(table: dict[str, Any], depth: int = 0) -> Iterator[Place]:
    """The lines of a table of contents in reading order; a part's title stands before it."""
    if "root" in table:
        yield Place(0, table["root"])
    if "caption" in table:
        yield Place(depth, "", table["caption"])
    if "file" in table:
        yield Place(depth, table["file"])
    for key in ("parts", "subtrees", "chapters", "entries", "sections"):
        for entry in table.get(key, ()):
            yield from places(entry, depth + (key not in ("parts", "subtrees")))


def name(docname: str) -> str:
    """What the addresses of a page begin with."""
    return re.sub(r"[^\w-]", "-", docname)


class Page:
    """One page on its way into the document.

    here, known: the pages of the document and of the whole book.
    site: the folder of the pages, as the document's own links write it.
    """

    def __init__(self, text: str, place: Place, here: set[str], known: frozenset[str], site: str):
        found = ARTICLE.search(text)
        require(found, f"{place.docname}.html", "no article", "a page of the book")
        body = DROPPED.sub("", found[1] if found else "")
        self.body = CODE.sub(lambda code: COLOUR.sub(r"\2", code[0]), body)
        self.place, self.here, self.known, self.site = place, here, known, site
        self.folder = posixpath.dirname(place.docname)
        self.ids = set(re.findall(r'\sid="([^"]+)"', self.body))

    def names(self) -> set[str]:
        """What a link can lead to here."""
        return {name(self.place.docname), *map(self._name, self.ids)}

    def joined(self) -> str:
        """The page as an article of the document."""
        styled = STYLE.sub(lambda s: s[1] + self._style(s[2]) + s[3], self.body)
        own = name(self.place.docname)
        return f'<article class="bd-article" id="{own}">{TAG.sub(self._tag, styled)}</article>\n'

    def _style(self, text: str) -> str:
        return re.sub(
            r"#([\w-]+)", lambda m: f"#{self._name(m[1])}" if m[1] in self.ids else m[0], text
        )

    def _name(self, one: str) -> str:
        return f"{name(self.place.docname)}--{one}"

    def _tag(self, match: re.Match) -> str:
        close, tag, rest = match.groups()
        if re.fullmatch(r"h[1-6]", tag):
            tag = f"h{min(DEEPEST, int(tag[1]) + self.place.depth)}"
        rest = ATTRIBUTE.sub(self._attribute, rest)
        if tag == "math" and not close:  # one thing with a name, not a hundred letters
            rest += ' role="img"' + re.sub(r'.*?\salttext="([^"]*)".*', r' aria-label="\1"', rest)
        return f"<{close}{tag}{' open' if tag == 'details' and not close else ''}{rest}>"

    def _attribute(self, match: re.Match) -> str:
        space, key, value = match.groups()
        if key in NAMES:
            value = " ".join(map(self._name, value.split()))
        elif key in FILES:
            value = self._file(value)
        elif key in ("href", "xlink:href"):
            target = self.target(html.unescape(value))
            if target is None:
                return ""
            value = html.escape(target)
        elif "url(#" in value:
            value = re.sub(r"url\(#([^)]+)\)", lambda m: f"url(#{self._name(m[1])})", value)
        elif key == "open":
            return ""
        return f'{space}{key}="{value}"'

    def _file(self, value: str) -> str:
        outside = re.match(r"[a-z]+:", value)
        return value if outside else f"{self.site}/{self._inside(value)}"

    def _inside(self, link: str) -> str:
        return posixpath.normpath(posixpath.join(self.folder, link))

    def target(self, link: str) -> str | None:
        """Where a link leads in the document; ``None`` where it would leave it for the site."""
        if re.match(r"(https?|mailto):", link):
            return link
        page, _, place = link.partition("#")
        docname = self._inside(page).removesuffix(".html") if page else self.place.docname
        if docname not in self.known:
            return None
        found = f"{name(docname)}--{place}" if place else name(docname)
        return f"#{found}" if docname in self.here else ELSEWHERE + found


def volumes() -> list[list[Place]]:
    """The lines of the table of contents by part; what stands before the first goes with it."""
    found: list[list[Place]] = []
    for line in places(yaml.safe_load(paths.TOC.read_text(encoding="utf-8"))):
        opens = line.caption and not line.depth
        if not found or (opens and any(before.caption for before in found[-1])):
            found.append([])
        found[-1].append(line)
    return found


def document(folder: Path, lines: list[Place] | None = None, before: int = 0) -> str:
    """The document as a file of ``folder`` would say it; of some lines alone where they are given.

    before: pages of paper that stand before it; its own are numbered from there.
    Raises ``ValueError`` where a page of the table of contents is not built.
    """
    site = Path(os.path.relpath(paths.HTML, folder)).as_posix()
    book = [line for volume in volumes() for line in volume]
    lines, known = lines or book, frozenset(line.docname for line in book if line.docname)
    texts = {line.docname: _read(line.docname) for line in lines if line.docname}
    pages = {
        line.docname: Page(texts[line.docname], line, set(texts), known, site)
        for line in lines
        if line.docname
    }
    first = next(line.docname for line in lines if line.docname)
    styles, up = STYLESHEET.findall(texts[first]), posixpath.dirname(first)
    return markup.render(
        "joined.html.jinja",
        title=project.settings().title,
        before=before,
        styles=[posixpath.normpath(posixpath.join(site, up, link)) for link in styles],
        script=f"{site}/_static/reach.js",
        lines=[
            {
                "depth": line.depth,
                "name": name(line.docname) or name(line.caption),
                "title": title(texts[line.docname]) if line.docname else line.caption,
                "article": pages[line.docname].joined() if line.docname else "",
            }
            for line in lines
        ],
        wanted=sorted(linked(known) & set().union(*(page.names() for page in pages.values()))),
    )


@functools.cache
def linked(known: frozenset[str]) -> frozenset[str]:
    """What the pages of a book link to within it, by the document's names."""
    found = set()
    for docname in known:
        page = Page(_read(docname), Place(0, docname), set(known), known, "")
        links = re.findall(r'\shref="([^"]*)"', page.body)
        found |= {target for link in links if (target := page.target(html.unescape(link)))}
    return frozenset(target[1:] for target in found if target.startswith("#"))


def title(text: str) -> str:
    """The first heading of a page, without its markup."""
    found = re.search(r"<h1[^>]*>(.*?)</h1>", DROPPED.sub("", text[text.index("<article") :]))
    return html.unescape(re.sub(r"<[^>]*>", "", found[1])) if found else ""


def _read(docname: str) -> str:
    file = paths.HTML / f"{docname}.html"
    require(file.is_file(), paths.relative(file), "missing", "a built page: run the command pages")
    return file.read_text(encoding="utf-8")
