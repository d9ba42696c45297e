"""What the search of the pages looks through: pages, statements, equations, errata, words, signs.

Sphinx' own index knows no digits, no other names and no slip of the finger.  This one is a script
that a page loads when somebody searches, so it works from a folder too; ``static/find.js`` asks it
through MiniSearch.  Other names stand in ``book/aliases.toml``.
"""

import html
import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from ledgerbook.chapters import data_scripts, equations, toc
from ledgerbook.chapters.statements import judged_in, of_docname, parts, statements, written
from ledgerbook.project import storage
from ledgerbook.project.project import current
from ledgerbook.references import mathml, notation, targets, tooltips

EXCERPT = 140  # characters
COMMON = 0.2  # share of the pages above which a word tells none of them from the others
# How a place counts: a page of the main path, another page, a part of one, an entry of a glossary.
PATH, BESIDE, WITHIN, LISTED = 1.3, 1.0, 0.5, 0.1
PARAGRAPH = re.compile(r"^(?![#:%|>`({-]|\d+\. ).+(?:\n.+)*", re.MULTILINE)  # of Markdown
TAG = re.compile(r"<[^>]*>")
FORMULA = re.compile(r"<math\b.*?</math>", re.DOTALL)
UNSAID = re.compile(r"\$[^$]*\$|```.*?```|\{[\w:-]+\}|\]\([^)]*\)|https?:\S+", re.DOTALL)
WORD = re.compile(r"[^\W\d_]{3,}")
Place = dict[str, Any]


def said(markdown: str) -> str:
    """A line of Markdown as a reader sees it, its formulas as letters, cut between two words."""
    line = FORMULA.sub(lambda one: mathml.on_a_line(one[0]), tooltips.inline(markdown))
    words = html.unescape(TAG.sub("", line))
    return words if len(words) <= EXCERPT else words[:EXCERPT].rsplit(" ", 1)[0] + " …"


def about(docname: str) -> str:
    """The first words of a page."""
    source = targets.source(docname)
    found = PARAGRAPH.search(source.text)
    return said(source.sentence or (found[0] if found else ""))


def place(url: str, title: str, about: str, names: list[str], rank: float) -> Place:
    """One thing that may be found."""
    return {"url": url, "title": title, "about": about, "names": names, "rank": rank}


def title(docname: str, env: BuildEnvironment) -> str:
    """What a page is called."""
    return " ".join(env.titles[docname].astext().split())


def pages(env: BuildEnvironment) -> Iterator[Place]:
    """Every page, by number, other names and the words that it says and not every other does."""
    path = {document for part in parts() if part.path for document in toc.documents(part)}
    said = {name: UNSAID.sub(" ", targets.source(name).text) for name in sorted(env.found_docs)}
    texts = {name: {*map(str.lower, WORD.findall(text))} for name, text in said.items()}
    spread = Counter(chain.from_iterable(texts.values()))
    given = storage.table(
        current().book / "aliases.toml"
    )  # by tag, or by document where no statement is judged
    for docname, words in texts.items():
        row = of_docname(docname)
        here = judged_in(row) if row else []
        names = [*(row.number for row in here[:1]), *(one.title for one in here)]
        for key in (*(one.tag for one in here), docname.removeprefix("book/")):
            names += given.get(key, [])
        rank = PATH if docname in path else BESIDE
        found = place(f"{docname}.html", title(docname, env), about(docname), names, rank)
        telling = sorted(word for word in words if spread[word] <= COMMON * len(texts))
        yield found | {"text": " ".join(telling)}


def of_homes(env: BuildEnvironment) -> Iterator[Place]:
    """The statements that the chapter of another judges."""
    for row in statements().values():
        if row.home and row.written:
            where = "{}.html#{}".format(*targets.anchor(row))
            yield place(where, row.name, title(row.docname, env), [row.number], WITHIN)


def of_equations(env: BuildEnvironment) -> Iterator[Place]:
    """For each number where the equation stands best, elsewhere, and the chapter that states it."""
    numbers = {*targets.numbers(), *targets.shown()}
    stated = {row.docname: {*map(str, equations.numbers(row.equations))} for row in written()}
    for number in sorted(numbers):
        best = targets.equation(number, "")
        places = [f"{best.docname}.html#{best.place}"] if best else []
        places += [f"{one}.html#eq-{number}" for one in targets.shown().get(number, {})]
        places += [f"{one}.html" for one, its in stated.items() if number in its]
        for k, where in enumerate(dict.fromkeys(places)):
            page, rank = title(where.partition(".html")[0], env), BESIDE if not k else WITHIN
            yield place(where, f"Equation ({number})", page, [number, f"({number})"], rank)


def of_lists() -> Iterator[Place]:
    """Errata, and the words and symbols of the notation page."""
    for id, slip in targets.errata().items():
        where, names = (
            f"{current().document('errata')}.html#{id.lower()}",
            [id, f"erratum {id[1:]}"],
        )
        yield place(where, f"{id}, {said(slip['location'])}", said(slip["printed"]), names, WITHIN)
    here = f"{current().document('notation')}.html#"
    for word in notation.words():
        yield place(here + word.place, word.forms[0], said(word.meaning), [*word.forms], LISTED)
    for row in notation.symbols():
        sign, *others = map(said, row.cells)
        yield place(here + row.place, sign, others[-1], others[:-1], LISTED)


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the index as a script, when the site is built."""
    if exception is None:
        env = app.env
        found = [*pages(env), *of_homes(env), *of_equations(env), *of_lists()]
        data_scripts.write(Path(app.outdir), "found", found)


def setup(app: Sphinx) -> None:
    """Connect it."""
    app.connect("build-finished", write)
