"""What the search of the pages looks through: pages, statements, equations, errata, words, signs.

Sphinx' own index knows no digits, no other names and no slip of the finger.  This one is a script
that a page loads when somebody searches, so it works from a folder too; ``static/search/rank.js``
asks it, with MiniSearch.  What a page is called otherwise stands in ``book/aliases.toml``, what a
reader may ask that it answers in ``book/questions.toml``.
"""

import html
import re
from collections import Counter
from collections.abc import Container, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from ledgerbook.chapters import data_scripts, equations
from ledgerbook.chapters.statements import judged_in, of_docname, statements, written
from ledgerbook.project import storage
from ledgerbook.project.project import current
from ledgerbook.references import mathml, notation, targets, tooltips

EXCERPT = 140  # characters
RITUAL = 3  # pages whose heading is the same, from where on it tells none from the others
PARAGRAPH = re.compile(r"^(?![#:%|>`({-]|\d+\. ).+(?:\n.+)*", re.MULTILINE)  # of Markdown
TAG = re.compile(r"<[^>]*>")
FORMULA = re.compile(r"<math\b.*?</math>", re.DOTALL)
UNSAID = re.compile(
    r"\$\$.*?\$\$|\$[^$]*\$|```.*?```|\{[\w:-]+\}|\]\([^)]*\)|https?:\S+", re.DOTALL
)
SIGNS = re.compile(r"\$\$(.*?)\$\$|\$([^$]+)\$", re.DOTALL)
STATED = re.compile(r"^## Statement$.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
WORD = re.compile(r"[^\W\d_]{3,}|\d[\d,]*\d\d")
HEADING = re.compile(r"^##+ (.+)$", re.MULTILINE)
LEADING = re.compile(
    r"\*In one sentence\.\* (.+(?:\n.+)*)|^\*\*([^*\n]+)\*\*"
    r"|^## What you may believe\n+(.+(?:\n.+)*)",
    re.MULTILINE,
)
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


def place(url: str, title: str, about: str, names: list[str], whole: bool = False) -> Place:
    """One thing that may be found: a page as a whole, or a part of one or an entry of a list."""
    return {"url": url, "title": title, "about": about, "names": names, "whole": whole}


def title(docname: str, env: BuildEnvironment) -> str:
    """What a page is called."""
    return " ".join(env.titles[docname].astext().split())


def vocabulary(text: str) -> str:
    """The words of a text, each once."""
    return " ".join(sorted({*map(str.lower, WORD.findall(UNSAID.sub(" ", text)))}))


def formulas(text: str) -> str:
    """The formulas that a page states, or where it states nothing those that it displays, a line
    each; one letter between dollars is no formula."""
    stated = STATED.search(text)
    found = SIGNS.findall(stated[0] if stated else text)
    lines = (" ".join((display or (inline if stated else "")).split()) for display, inline in found)
    return "\n".join(dict.fromkeys(line for line in lines if len(line) > 3))


def leading(docname: str, rituals: Container[str]) -> str:
    """What a page says first and in bold: its sentence, its verdict, its own headings."""
    source = targets.source(docname)
    first = PARAGRAPH.search(source.text)
    found = [source.sentence or (first[0] if first else "")]
    found += ["".join(groups) for groups in LEADING.findall(source.text)]
    found += [head for head in HEADING.findall(source.text) if head not in rituals]
    return " ".join(UNSAID.sub(" ", " ".join(found)).split())


def pages(env: BuildEnvironment) -> Iterator[Place]:
    """Every page: its names, what it says first, questions that it answers, and all its words."""
    given = storage.table(
        current().book / "aliases.toml"
    )  # by tag, or by document where no statement is judged
    questions = storage.table(current().book / "questions.toml")
    docnames = sorted(env.found_docs)
    heads = Counter(
        chain.from_iterable(HEADING.findall(targets.source(name).text) for name in docnames)
    )
    rituals = {head for head, times in heads.items() if times >= RITUAL}
    for docname in docnames:
        row, short = of_docname(docname), docname.removeprefix("book/")
        here = judged_in(row) if row else []
        names = [*(row.number for row in here[:1]), *(one.title for one in here)]
        for key in (*(one.tag for one in here), short):
            names += given.get(key, [])
        names.append(Path(docname).name.replace("_", " "))
        yield place(f"{docname}.html", title(docname, env), about(docname), names, True) | {
            "lead": leading(docname, rituals),
            "asked": questions.get(short, ""),
            "text": vocabulary(targets.source(docname).text),
            "formulas": formulas(targets.source(docname).text),
        }


def of_homes(env: BuildEnvironment) -> Iterator[Place]:
    """The statements that the chapter of another judges."""
    for row in statements().values():
        if row.home and row.written:
            where = "{}.html#{}".format(*targets.anchor(row))
            yield place(where, row.name, title(row.docname, env), [row.number])


def of_equations(env: BuildEnvironment) -> Iterator[Place]:
    """For each number where the equation stands best, elsewhere, and the chapter that states it."""
    numbers = {*targets.numbers(), *targets.shown()}
    stated = {row.docname: {*map(str, equations.numbers(row.equations))} for row in written()}
    for number in sorted(numbers):
        best, shown = targets.equation(number, ""), targets.shown().get(number, {})
        places = [f"{best.docname}.html#{best.place}"] if best else []
        places += [f"{one}.html#eq-{number}" for one in shown]
        chapters = [f"{one}.html" for one, its in stated.items() if number in its]
        # Where no page displays it, its chapter comes before the table of equations.
        places = places + chapters if shown else chapters + places
        for k, where in enumerate(dict.fromkeys(places)):
            page = title(where.partition(".html")[0], env)
            yield place(where, f"Equation ({number})", page, [number, f"({number})"], not k)


def of_lists() -> Iterator[Place]:
    """Errata, and the words and symbols of the notation page."""
    for id, slip in targets.errata().items():
        where, names = (
            f"{current().document('errata')}.html#{id.lower()}",
            [id, f"erratum {id[1:]}"],
        )
        yield place(where, f"{id}, {said(slip['location'])}", said(slip["printed"]), names)
    here = f"{current().document('notation')}.html#"
    for word in notation.words():
        yield place(here + word.place, word.forms[0], said(word.meaning), [*word.forms])
    for row in notation.symbols():
        sign, *others = map(said, row.cells)
        signs = [one.strip() for one in sign.split(",")]  # each is a name where a row has several
        names = [*others[:-1], *(signs if len(signs) > 1 else [])]
        yield place(here + row.place, sign, others[-1], names)


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the index as a script, when the site is built."""
    if exception is None:
        env = app.env
        found = [*pages(env), *of_homes(env), *of_equations(env), *of_lists()]
        data_scripts.write(Path(app.outdir), "found", {"places": found})


def setup(app: Sphinx) -> None:
    """Connect it."""
    app.connect("build-finished", write)
