"""The page of what must be trusted: theorems beside the paper's words, and all below them, once.

The kernel answers for the proofs.  What is left to a reader stands here: what the theorems say,
what their words mean, how these are tied to the code, and what no theorem says at all.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ledgerbook.chapters import notebooks
from ledgerbook.chapters.statements import Statement, statement
from ledgerbook.ledger import coq_record, coq_text, trusted
from ledgerbook.ledger.judgement import STRENGTHS
from ledgerbook.ledger.ledger_table import markdown_table, table_cell
from ledgerbook.pages.coq_page import theorem
from ledgerbook.pages.parts import chip, code_link, link, places, trust
from ledgerbook.pages.reader import moved
from ledgerbook.project import imports
from ledgerbook.project.project import current
from ledgerbook.references.targets import address

HEADER = ["statement", "theorems", "definitions", "by reading alone", "lines", "on trust", "form"]
ENVIRONMENT = re.compile(
    r"^(:{3,})\{prf:\w+\}[^\n]*\n((?::[^\n]*\n)*)(.*?)^\1[ \t]*$", re.DOTALL | re.MULTILINE
)
HOW = """\
The table begins with what a doubter reads first. These are the statements that nobody \
compared with the print, and then those with the most definitions that are tied to the code by \
reading alone.

A definition is *tested at points* where Coq proves, at rational points drawn at random, that \
it and the function of the code differ by no more than is said. It is *tested inside another* \
where such a definition is computed with it. *By reading* is what is left, often because a \
relation or a limit has no value that one could compare. A line is a line of Coq, and what \
several theorems of a statement assume is counted once."""
ONCE = "What several of them assume stands here once, and below by its letter."
JUDGED = ("statement", "remark")
KINDS = {  # of what is taken on trust, and what each is called here
    "textbook": "from textbooks",
    "chapter": "from other chapters",
    "unproved": "proved nowhere here",
}


class Here(NamedTuple):
    """The page, for what writes links."""

    docname: str


def here() -> Here:
    """The page of this companion."""
    return Here(current().document("trust"))


class Surface(NamedTuple):
    """What the page is made of: the ledger's entries by tag and name."""

    rows: dict[str, dict[str, Any]]
    trust: Mapping[str, Any]
    definitions: dict[str, dict[str, Any]]
    texts: dict[str, coq_text.Definition]


def surface(ledger: Mapping[str, Any]) -> Surface:
    """The entries of a ledger, and the definitions with their texts."""
    rows = {row["tag"]: row for row in ledger["statements"]}
    named = {one["name"]: one for one in ledger["trust"]["definitions"]}
    files = coq_text.proofs().files.values()
    texts = {trusted.key(one): one for file in files for one in file.definitions}
    return Surface(rows, ledger["trust"], named, texts)


def page(ledger: Mapping[str, Any]) -> str:
    """The whole page as Markdown."""
    from_ = surface(ledger)
    if not from_.trust["statements"]:
        return "No theorem of this book was proved with a proof assistant so far."
    ordered = sorted(from_.trust["statements"], key=lambda one: doubt(one, from_))
    parts = [counts(from_), HOW, _table(ordered, from_)]
    parts += ["## Statement by statement", *(_statement(one, from_) for one in ordered)]
    parts += ["## The definitions, each once", *_definitions(from_)]
    parts += ["## What Coq brings", _brought(from_)]
    parts += ["## What no theorem in Coq speaks of", _rest(from_)]
    return "\n\n".join(filter(None, parts))


def doubt(one: Mapping[str, Any], from_: Surface) -> tuple:
    """What a doubter reads first: what nobody compared, what is tied to nothing, what is long."""
    return (one["form"] is not None, -len(by_reading(one, from_)), -one["lines"])


def by_reading(one: Mapping[str, Any], from_: Surface) -> list[str]:
    """The definitions below a statement that nothing but reading ties to the code."""
    alone = trusted.TIES[-1]
    return [name for name in one["definitions"] if from_.definitions[name]["tie"] == alone]


def counts(from_: Surface) -> str:
    """What there is to be trusted, in numbers."""
    of, made = from_.trust["statements"], from_.trust["definitions"]
    ties = {tie: sum(one["tie"] == tie for one in made) for tie in trusted.TIES}
    lines = sum(one["lines"] for one in made)
    said = _lines_of_theorems(from_)
    compared = sum(one["form"] is not None for one in of)
    judged = [row for row in from_.rows.values() if row["kind"] in JUDGED]
    measured = sum(bool(trusted.weakest_parts(row)) for row in judged)
    taken = [one["kind"] for row in judged for one in row["trusted"]]
    told = ", ".join(f"{taken.count(kind)} {words}" for kind, words in KINDS.items())
    theorems = sum(len(one["theorems"]) for one in of)
    return "\n".join(
        [
            f"- **{theorems}** theorems of {len(of)} statements were accepted by the kernel of Coq"
            f" {from_.trust['coq']}. Read once, they are {said} lines.",
            f"- They stand on **{len(made)}** definitions of ours, {lines} lines. Of these"
            f" {ties['proved equal']} are proved equal to the code,"
            f" {ties['tested at points']} are tested against it at points,"
            f" {ties['tested inside another']} are tested inside one of those, and"
            f" **{ties['by reading']}** are tied to it by reading alone.",
            f"- For **{compared}** of the {len(of)} statements somebody wrote down how the form in"
            f" Coq differs from the printed one; {len(of) - compared} are not compared.",
            f"- **{len(from_.trust['axioms'])}** axioms, those of Coq's real numbers.",
            f"- What the {len(judged)} statements and remarks take on trust beside that: {told}.",
            f"- **{measured}** of them have a part that is measured and no more.",
        ]
    )


def _lines_of_theorems(from_: Surface) -> int:
    stored = coq_record.record()["statements"]
    found = (stored[one["tag"]]["theorems"] for one in from_.trust["statements"])
    return sum(trusted.to_read([*map(trusted.said, theorems)]) for theorems in found)


def _table(ordered: Iterable[Mapping[str, Any]], from_: Surface) -> str:
    """One line a statement, in the order of doubt."""
    rows = []
    for one in ordered:
        row = statement(one["tag"])
        record = from_.rows[row.tag]
        rows.append(
            [
                f"{_to(row)} {chip(record['status'])} {record['strength'] or ''}",
                str(len(one["theorems"])),
                str(len(one["definitions"])),
                str(len(by_reading(one, from_))),
                str(one["lines"]),
                str(len(record["trusted"])),
                "compared" if one["form"] is not None else trusted.NOT_COMPARED,
            ]
        )
    return markdown_table(HEADER, rows)


def _to(row: Statement) -> str:
    """A link to a statement's entry on this page."""
    return f"[{table_cell(row.name)}](#{address('trust', row.tag)})"


def _statement(one: Mapping[str, Any], from_: Surface) -> str:
    """All that a statement's badge rests on."""
    row, record = statement(one["tag"]), from_.rows[one["tag"]]
    named = ", ".join(
        [link(row, here().docname, "chapter"), *places(row.tag, here().docname, "ledger")]
    )
    form = one["form"] or f"*{trusted.NOT_COMPARED}*"
    parts = [
        f"({address('trust', row.tag)})=\n### {row.name}",
        f"{chip(record['status'])} {record['strength'] or ''} · {one['lines']} lines to read ·"
        f" {named}",
        f"**How the form in Coq differs from the {_print(record)}.** {' '.join(form.split())}",
        _own_words(row, record),
        _theorems(one, record),
        _below(one, from_),
        *_on_trust(record),
    ]
    return "\n\n".join(filter(None, parts))


def _print(record: Mapping[str, Any]) -> str:
    return "print" if record["standing"] == "read" else "chapter's statement"


def _own_words(row: Statement, record: Mapping[str, Any]) -> str:
    """The statement as its chapter has it, with links as seen from here."""
    cells = notebooks.read(row.chapter).cells if row.written else []
    for text in (cell.source for cell in cells if cell.cell_type == "markdown"):
        for _, options, body in ENVIRONMENT.findall(text):
            if re.search(rf"^:label: {re.escape(row.tag)}$", options, re.MULTILINE):
                said = moved(body.strip(), row, here().docname)
                of = "paper" if record["standing"] == "read" else "chapter"
                return f":::::{{dropdown}} The {of}'s statement, in our words\n{said}\n:::::"
    return ""


def _theorems(one: Mapping[str, Any], record: Mapping[str, Any]) -> str:
    """The theorems as Coq has them, those behind the conclusion with their parts, folded."""
    labels = {claim["id"]: claim["label"] for claim in record["claims"]}
    behind = {theorem["name"]: theorem["parts"] for theorem in one["theorems"]}
    theorems = coq_record.theorems(one["tag"])
    shared, texts = coq_text.told_once([*map(trusted.said, theorems)])
    shown = []
    if shared:
        assumed = "\n".join(f"[{letter}]  {text}" for letter, text in shared.items())
        shown.append(f"{ONCE}\n\n```coq\n{assumed}\n```")
    for stored, text in zip(theorems, texts, strict=True):
        name = stored["name"]
        parts = ", ".join(f"“{part}”" for part in behind[name])
        label, more = labels.get(coq_record.row_id(name)), f", for {parts}" * bool(parts)
        shown.append(theorem(stored | {"statement": f"{name}\n: {text}"}, label, more))
    count = f"{len(theorems)} theorems" if len(theorems) > 1 else "One theorem"
    return f"::::{{dropdown}} {count}, as Coq prints\n" + "\n\n".join(shown) + "\n::::"


def _below(one: Mapping[str, Any], from_: Surface) -> str:
    """The definitions of a statement, by how each is tied."""
    lines = []
    for tie in trusted.TIES:
        names = [name for name in one["definitions"] if from_.definitions[name]["tie"] == tie]
        if names:
            lines.append(f"- *{tie}:* {', '.join(map(_named, names))}")
    if not lines:
        return "It stands on no definition of ours."
    return "It stands on these definitions:\n\n" + "\n".join(lines)


def _named(name: str) -> str:
    """A definition's name as a link to its place below."""
    return f"[`{name.partition('#')[2]}`](#{_place(name)})"


def _place(name: str) -> str:
    """An address of a definition; capitals count in Coq, and in no address."""
    tag, _, own = name.partition("#")
    raised = re.sub(r"([A-Z])", r"-capital-\1", own)
    return address("definition", tag, raised)


def _on_trust(record: Mapping[str, Any]) -> list[str]:
    """What a statement takes from elsewhere, and what of it is only measured."""
    said = [f"- {trust(one, here())}" for one in record["trusted"]]
    found = ["Taken on trust:\n\n" + "\n".join(said)] if said else []
    if measured := trusted.weakest_parts(record):
        found.append(f"Measured and no more: {', '.join(f'“{part}”' for part in measured)}.")
    return found


def _definitions(from_: Surface) -> list[str]:
    """Each definition once, those that most statements stand on first, by file."""
    of_file: dict[str, list[dict[str, Any]]] = {}
    for one in from_.trust["definitions"]:
        of_file.setdefault(one["file"], []).append(one)
    users = lambda ones: max(len(one["used_by"]) for one in ones)
    files = sorted(of_file, key=lambda file: (-users(of_file[file]), file))
    proofs = current().relative(coq_record.folder())
    found = []
    for file in files:
        ones = sorted(of_file[file], key=lambda one: one["line"])
        found += [f"### `{proofs}/{file}`", *(_definition(one, from_) for one in ones)]
    return found


def _definition(one: Mapping[str, Any], from_: Surface) -> str:
    """A definition with its tie, who stands on it, and its text."""
    text = from_.texts[one["name"]]
    above = f"(* {text.words} *)\n" if text.words else ""
    used = len(one["used_by"])
    by = _to(statement(one["used_by"][0])) if used == 1 else f"{used} statements"
    return (
        f"({_place(one['name'])})=\n**`{text.name}`**, line {one['line']}, under {by}: {_tie(one)}."
        f"\n\n```coq\n{above}{text.text}\n```"
    )


def _tie(one: Mapping[str, Any]) -> str:
    """How a definition is tied to the code."""
    if one["function"]:
        goals = f"tested at {one['goals']} points, to {one['tolerance']}"
        return f"{goals}, against {_code(one['function'])}"
    if one["inside"]:
        return f"tested inside {_named(one['inside'])}"
    return "tied to the code by reading alone"


def _code(function: str) -> str:
    """A function's name, as a link to the page of its module where it has one."""
    module = function
    while module and not imports.module_file(module):
        module = module.rpartition(".")[0]
    file = imports.module_file(module) if module else None
    return f"`{function}` in {code_link(file, here().docname)}" if file else f"`{function}`"


def _brought(from_: Surface) -> str:
    """The axioms, and the words of Coq's own libraries."""
    said = trusted.table().get(trusted.AXIOMS, {})
    axioms = "\n".join(
        f"- `{name}`: {said.get(name, 'nobody said what')}" for name in from_.trust["axioms"]
    )
    words = [
        [f"`{one['name']}`", one["words"] or "nobody said what"] for one in from_.trust["library"]
    ]
    table = markdown_table(["name", "what it is in Coq's own libraries"], words)
    return f"Axioms:\n\n{axioms}\n\nNames of its libraries that the statements use:\n\n{table}"


def _rest(from_: Surface) -> str:
    """The statements without a theorem: what they take on trust, and what is measured."""
    proved = {one["tag"] for one in from_.trust["statements"]}
    lines = []
    for tag, record in from_.rows.items():
        if tag in proved:
            continue
        said = [trust(one, here()) for one in record["trusted"]]
        row, strength = statement(tag), record["strength"] or "no evidence"
        weak = trusted.weakest_parts(record) if record["kind"] in JUDGED else []
        if weak and strength != STRENGTHS[0]:
            said.append(f"measured: {', '.join(weak)}")
        entry = f'<a id="{address("trust", tag)}"></a>{link(row, here().docname, row.name)}'
        more = f"; on trust: {'; '.join(said)}" if said else ""
        lines.append(f"- {entry} {chip(record['status'])} {strength}{more}")
    return "\n".join(lines)
