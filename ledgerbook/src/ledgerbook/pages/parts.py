"""The generated parts of a chapter and of the reader's guide, as Markdown."""

import os
import re
import textwrap
from collections import Counter

from ledgerbook.chapters import fingerprint, notebooks, parameters
from ledgerbook.chapters.statements import statement, statements
from ledgerbook.ledger.judgement import BEYOND, STRENGTHS, controls
from ledgerbook.ledger.ledger_table import SYMBOLS, markdown_table
from ledgerbook.project.project import current
from ledgerbook.project.validation import require
from ledgerbook.references.anchors import page
from ledgerbook.references.targets import address, code_page

END_OF_COUNTS = "<!-- end of counts -->"
WIDTH = 100  # columns of a text file
UNTRUE = ("assumption", "setting")  # kinds that are neither true nor false
ORIGIN = {"ours": "this book's own statement"}  # where a statement that was not read comes from


def link(row, from_docname, text=None):
    """A Markdown link to a chapter as seen from another document; plain text if it is not
    written.
    """
    text = text or row.number
    if not row.written:
        return f"{text} (not written yet)"
    return f"[{text}]({os.path.relpath(row.docname, os.path.dirname(from_docname))}.ipynb)"


def chip(status):
    """A status as a chip."""
    return f"{{status}}`{status}`"


def you_need(row, uses):
    """One line: the chapters to have read, each a link."""
    names = (f"{link(one, row.docname)} *{one.title}*" for one in map(statement, uses))
    return f"*You need:* {'; '.join(names) or 'nothing from this book'}."


def what_became(record, row):
    """Status, evidence, standing, errata by number; conditions; what is taken on trust, folded.

    What has no truth value has no evidence: its rows are remarks on it.
    """
    guide = generated("how_it_is_checked", "evidence")
    words = [chip(record["status"])]
    if record["kind"] not in UNTRUE:
        words.append(f"{guide}: {evidence(record, '**')}")
    if record["standing"] != "read":
        unread = f"statement {record['standing']}, not read in print"
        words.append(ORIGIN.get(record["standing"], unread))
    slips = ", ".join(map(slip, record["slips"]))
    below = places(record.get("tag", row.tag), row.docname, "trust", words="what this rests on")
    line = " · ".join([*words, *([f"errata {slips}"] if slips else []), *below])
    if conditions := extra_conditions(record, row):
        line += f"\n\n*Extra conditions:* {conditions}."
    if not record["trusted"]:
        return line
    trusted = "\n".join(f"- {trust(one, row)}" for one in record["trusted"])
    fold = f":::{{dropdown}} What this page uses without checking it\n{trusted}\n:::"
    return f"{line}\n\n{fold}"


def evidence(record, mark=""):
    """How strong a statement's evidence is, ``mark`` around it, and how strong that of the rest.

    Beside a statement that does not hold stand the rows that say so.
    """
    own = f"{mark}{record['strength'] or 'no evidence'}{mark}"
    if record["status"] == "does not hold":
        against = ", ".join(f"`{id}`" for id in record["against"])
        return f"{own} (decided by {against})"
    if record["kind"] not in ("statement", "remark") or not record["parts"]:
        return own
    known = {part["part"]: STRENGTHS.index(part["strength"]) for part in record["parts"]}
    least = max(min(known.values()) + 1, STRENGTHS.index("proved"))
    if least == len(STRENGTHS):
        return f"{own} (all parts)" if len(known) > 1 else own
    missing = [part for part, reached in known.items() if reached < least]
    if len(missing) == len(known):
        return own
    return f"{own} for {named_parts(missing)}, {STRENGTHS[least]} for all else"


def trust(one, row):
    """What is taken on trust, where it comes from, and the parts of a statement that need it."""
    origin = {"textbook": "from textbooks", "unproved": "not proved in this book"}.get(one["kind"])
    words = f"{one['words']} ({origin or 'from ' + link(statement(one['of']), row.docname)})"
    if BEYOND in one["parts"]:
        return f"{words}, for what this book adds to the print"
    return words + (f", for {named_parts(one['parts'])}" if one["parts"] else "")


def extra_conditions(record, row):
    """What a statement needs beside its hypotheses, its own and what comes with what it trusts."""
    if record["kind"] not in ("statement", "remark"):
        return ""
    come = (
        f"{words} (a condition of {link(statement(of), row.docname)}, which is used here)"
        for words, of in record["inherited"].items()
    )
    return "; ".join([*record["conditions"], *come])


def named_parts(names):
    """Parts of a conclusion in running text, each in quotation marks."""
    *others, last = (f"“{name}”" for name in names)
    return f"the parts {', '.join(others)} and {last}" if others else f"the part {last}"


def generated(name, text=None):
    """A link to a page of the whole book; its words alone where the companion has no such page."""
    return f"[{text or name}](/{current().document(name)}.md)" if _has(name) else text or name


def record(ledger, tag):
    """A statement's entry of the ledger, with the ``slips`` that its rows are evidence of, its own
    or another's.
    """
    slips = [
        erratum["id"]
        for erratum in ledger["errata"]
        if tag in (erratum["tag"], *(one["tag"] for one in erratum["consequences"]))
    ]
    return {**next(row for row in ledger["statements"] if row["tag"] == tag), "slips": slips}


def slip(id):
    """A link to an erratum, wherever the companion lists them."""
    return f"{{ref}}`{id} <{id.lower()}>`"


def places(tag, docname, *names, words=""):
    """Links to where a statement stands on generated pages: ``graph``, ``ledger``, ``trust``; in
    words of their own where one is given.
    """
    labels = {"graph": "node", "ledger": "rows", "trust": "trust"}
    return [
        inside(current().document(name), address(labels[name], tag), docname, words or name)
        for name in names
        if _has(name)
    ]


def inside(target, place, docname, words):
    """A link to a place within a page, in the element's own words: of any other Sphinx would ask
    whether it leads to a document.
    """
    return f'<a href="{page(target, docname)}#{place}">{words}</a>'


def _has(name):
    return (current().book / f"{name}.md").exists()


def where_it_sits(row, statuses):
    """What a statement uses and what uses it."""

    known = lambda one: chip(statuses.get(one.tag, "not checked"))

    def names(rows):
        found = (f"{link(one, row.docname)} *{one.title}* {known(one)}" for one in rows)
        return "; ".join(found) or "nothing in this book"

    equations = f"- **Equations of the paper:** {row.equations}"
    beside = ", ".join([*places(row.tag, row.docname, "graph", "ledger"), generated("errata")])
    return "\n".join(
        [
            f"- **Uses:** {names(map(statement, row.uses))}",
            f"- **Used by:** {names(one for one in statements().values() if row.tag in one.uses)}",
            *([equations] if row.equations else []),
            f"- **Status, as computed:** {known(row)} — {beside}",
        ]
    )


def row_link(row, id, docname):
    """A row's name, as a link to it on its chapter's page where that is written."""
    if not row.written:
        return f"`{id}`"
    return inside(row.docname, address("claim", id), docname, f"<code>{id}</code>")


def code_link(file, docname):
    """A module's name, as a link to its page where it has one."""
    name = current().relative(file)
    if current().relative(file.parent) not in current().settings.modules:
        return f"`{name}`"
    return f'<a href="{page(code_page(file), docname)}"><code>{name}</code></a>'


def provenance(row):
    """Parameters, the modules of the code, and the command that re-runs this chapter alone."""
    notebook = notebooks.read(row.chapter)
    values = notebooks.parameters(notebook)
    files = ", ".join(
        code_link(file, row.docname)
        for file in fingerprint.closure(notebooks.code(notebook))
        if file.name != "__init__.py"
    )
    return "\n".join(
        [
            f"- **Tag:** `{row.tag}`",
            f"- **Parameters:** `{parameters.shown(values)}`",
            f"- **Built on:** {files}",
            f"- **Run this chapter alone:** `{parameters.command(row)}`, with other parameters "
            f"`{parameters.command(row, values)}`",
        ]
    )


def counts_sentence(ledger):
    """What is known, in a few sentences, from the ledger."""
    rows = ledger["statements"]
    claims = [claim for row in rows for claim in row["claims"]]
    held = sum(len(controls(one)) for row in rows for one in row["hypotheses"])
    checked = sum(row["status"] != "not checked" for row in rows)
    light = sum(erratum["misprint"] for erratum in ledger["errata"])
    slips = len(ledger["errata"]) - light
    stated = [row for row in rows if row["kind"] in ("statement", "remark")]
    at_least = [sum(row["strength"] in STRENGTHS[k:] for row in stated) for k in (2, 3)]
    return (
        f"At the last build **{checked}** of {len(rows)} statements and experiments had been"
        f" checked by **{len(claims)}** claims and {held} controls. **{slips}** formulas or"
        f" sentences did not hold as printed, and {light} more are misprints that no argument uses;"
        f" each is listed, with evidence, under {generated('errata')}. Of the {len(stated)} that"
        f" are statements or remarks **{at_least[0]}** are proved for all that they speak of, and"
        f" for {at_least[1]} of these a proof assistant has checked the proof."
    )


def with_counts(text, ledger):
    """A README's text with the sentences of ``counts_sentence`` between its two markers.

    The markers are ``<!-- counts: ... -->`` and ``<!-- end of counts -->``, each a line; a text
    without them stays as it is.  Raises ``ValueError`` for the first without the second.
    """
    begin = re.search(r"<!-- counts:.*-->\n", text)
    if not begin:
        return text
    end = text.find(END_OF_COUNTS, begin.end())
    require(end >= 0, "README.md", begin[0].strip(), f"with {END_OF_COUNTS} below it")
    words = counts_sentence(ledger).replace("](/", "](")  # from the folder of the README
    lines = textwrap.fill(words, WIDTH, break_long_words=False, break_on_hyphens=False)
    return f"{text[: begin.end()]}{lines}\n{text[end:]}"


def status_table(ledger):
    """How many statements of each paper have which status."""
    counts = Counter((row["paper"], row["status"]) for row in ledger["statements"])
    papers = current().settings.papers
    used = [name for name in SYMBOLS if any(counts[paper, name] for paper in papers)]
    rows = [[papers[paper], *(str(counts[paper, name]) for name in used)] for paper in papers]
    return markdown_table(["paper", *map(chip, used)], rows)
