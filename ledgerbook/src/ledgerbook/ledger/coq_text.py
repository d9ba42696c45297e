"""The definitions of the proofs as their files have them, read without Coq.

A theorem says what its words mean: whoever is to believe it reads the definitions that its
statement names, and those that these name.  A name is looked up as Coq does, in the file itself and
then in what the file imports, the last first.
"""

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from string import ascii_lowercase as LETTERS
from typing import NamedTuple

from ledgerbook.ledger import coq_record

NAME = re.compile(r"(?<![\w.'])[A-Za-z_][\w']*(?:\.[A-Za-z_][\w']*)*")
KEYWORD = re.compile(
    r"(?:Local\s+|Global\s+)?(Definition|Fixpoint|Inductive|Record|Let|Notation|Section|End"
    r"|Variables?|Context|(?:From\s+(\S+)\s+)?Require\s+(?:Import\s+|Export\s+)?)\b\s*(.*)",
    re.DOTALL,
)
BOUND = re.compile(r"\b(?:forall|exists!?|fun)\b(.*?)(?:,|=>)", re.DOTALL)
LOCAL = re.compile(r"\blet\s+([^:=]*?)\s*:")
BRANCH = re.compile(r"\|([^|=]*?)=>", re.DOTALL)
PARAMETERS = re.compile(r"[({]([^:(){}]*):", re.DOTALL)
WORDS = frozenset(
    "forall exists fun let in match with end if then else as struct return Prop Set Type".split()
)
MAKERS = frozenset("O S nil cons true false pair Some None left right".split())
BRIDGE = re.compile(r"\(\*\s*BRIDGE\s+(\S+)\s*\|\s*(\S+)\s*\|", re.DOTALL)


class Definition(NamedTuple):
    """A definition of a proof file.

    tag: of the file.  words: the comment above it.  text: from its keyword to its full stop.
    gives: further names that it brings, of fields and constructors.  own: names that its text
    binds.  line: where it stands.
    """

    tag: str
    name: str
    kind: str
    words: str
    text: str
    gives: frozenset[str]
    own: frozenset[str]
    line: int

    @property
    def lines(self) -> int:
        """Lines of it that are not blank."""
        return lines(self.text)

    @property
    def uses(self) -> list[str]:
        """The names that its text does not bind or bring itself."""
        begin = re.search(rf"\b{re.escape(self.name)}(?![\w'])", self.text)
        text = self.text[begin.end() :] if begin else self.text
        return named(text, self.own | self.gives | {self.name})


def lines(text: str) -> int:
    """Lines of a text that are not blank."""
    return sum(bool(line.strip()) for line in text.splitlines())


class File(NamedTuple):
    """A proof file: its definitions, the tags that it imports in their order, its bridges."""

    tag: str
    text: str
    definitions: tuple[Definition, ...]
    imports: tuple[str, ...]
    bridges: tuple[tuple[str, str], ...]


def code(text: str) -> tuple[str, list[tuple[int, int]]]:
    """A file with blanks for its comments, and where the outermost of these begin and end."""
    depth, start, spans = 0, 0, []
    for found in re.finditer(r"\(\*|\*\)", text):
        if found[0] == "(*":
            start = start if depth else found.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                spans.append((start, found.end()))
    blank = list(text)
    for begin, end in spans:
        blank[begin:end] = [" " if letter != "\n" else letter for letter in text[begin:end]]
    return "".join(blank), spans


def sentences(bare: str) -> Iterator[tuple[int, str]]:
    """The sentences of a file without comments, each with its place."""
    begin = 0
    for stop in re.finditer(r"\.(?=\s|$)", bare):
        sentence = bare[begin : stop.end()]
        yield begin + len(sentence) - len(sentence.lstrip()), sentence.strip()
        begin = stop.end()


def bound(text: str) -> frozenset[str]:
    """The names that quantifiers, functions, ``let`` and ``match`` bind in a text."""
    found = [name for one in BOUND.findall(text) for name in _binders(one)]
    found += [name for one in LOCAL.findall(text) for name in NAME.findall(one)]
    branches = [name for one in BRANCH.findall(text) for name in NAME.findall(one)]
    return frozenset(found) | (frozenset(branches) - MAKERS)


def _binders(text: str) -> list[str]:
    """The names before the colon of ``(a b : T) (c : U)`` or of ``a b : T``."""
    groups = PARAMETERS.findall(text) or [text.partition(":")[0]]
    return [name for group in groups for name in NAME.findall(group)]


def _head(kind: str, rest: str) -> str:
    """What stands before the body of a definition: its name and its parameters."""
    return re.split(r":=", rest, maxsplit=1)[0] if kind != "Inductive" else rest.partition(":=")[0]


def _gives(kind: str, rest: str) -> frozenset[str]:
    """The fields of a record with its constructor, the constructors of an inductive type."""
    body = rest.partition(":=")[2]
    if kind == "Record":
        maker, _, inside = body.partition("{")
        fields = re.findall(r"(?:^|;)\s*([\w']+)\s*:", inside, re.MULTILINE)
        return frozenset([*NAME.findall(maker), *fields])
    if kind == "Inductive":
        return frozenset(re.findall(r"\|\s*([\w']+)\s*:", body))
    return frozenset()


def parsed(tag: str, text: str) -> File:
    """What the text of a tag's file says."""
    bare, spans = code(text)
    found: list[Definition] = []
    imports: list[str] = []
    sections: list[list[str]] = [[]]
    for start, sentence in sentences(bare):
        said = KEYWORD.match(sentence)
        if said is None:
            continue
        kind, library, rest = said.groups()
        if kind == "Section":
            sections.append([])
        elif kind == "End":
            sections.pop()
        elif kind.startswith(("Variable", "Context")):
            sections[-1] += _binders(rest.rstrip("."))
        elif "Require" in kind:
            names = rest.rstrip(".").split()
            imports += [f"{_folder(library)}.{name.replace('_', '-')}" for name in names]
        else:
            above = [text[a + 2 : b - 2] for a, b in spans if text[b:start].strip(" ") == "\n"]
            name = NAME.search(rest.strip('"'))
            if name is None:
                continue
            parameters = _binders(_head(kind, rest)[name.end() :])
            outside = [one for section in sections for one in section]
            own = bound(sentence) | {*parameters, *outside} - {name[0]}
            words = " ".join(above[-1].split()) if above else ""
            line = text.count("\n", 0, start) + 1
            gives = _gives(kind, rest)
            found.append(Definition(tag, name[0], kind, words, sentence, gives, own, line))
    bridges = tuple(BRIDGE.findall(text))
    return File(tag, text, tuple(found), tuple(imports), bridges)


def _folder(library: str | None) -> str:
    """The folder of a library: ``TwoWords`` is ``two-words``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", library or "").lower()


class Proofs:
    """All proof files of a companion, read once."""

    def __init__(self, files: Iterable[File]) -> None:
        self.files = {file.tag: file for file in files}
        self._meanings: dict[tuple[str, str], Definition | None] = {}

    def imported(self, tag: str) -> list[File]:
        """What a file imports, the last first, and what these import in turn."""
        todo, found = [*reversed(self.files[tag].imports)], dict[str, File]()
        while todo:
            one = todo.pop(0)
            if one in self.files and one not in found:
                found[one] = self.files[one]
                todo += reversed(self.files[one].imports)
        return [*found.values()]

    def meaning(self, name: str, tag: str) -> Definition | None:
        """What a name means in a file, or ``None`` for what Coq's own libraries define."""
        if (name, tag) not in self._meanings:
            self._meanings[name, tag] = self._looked_up(name.rpartition(".")[2], tag)
        return self._meanings[name, tag]

    def _looked_up(self, last: str, tag: str) -> Definition | None:
        for file in (self.files[tag], *self.imported(tag)):
            for one in reversed(file.definitions):
                if last == one.name or last in one.gives:
                    return one
        return None

    def basis(self, statements: Iterable[str], tag: str) -> list[Definition]:
        """The definitions that statements of a file stand on, each once, as one comes to them."""
        found: dict[tuple[str, str], Definition] = {}
        todo = [(name, tag) for said in statements for name in named(said)]
        while todo:
            one = self.meaning(*todo.pop(0))
            if one is not None and (one.tag, one.name) not in found:
                found[one.tag, one.name] = one
                todo += [(name, one.tag) for name in one.uses]
        return [*found.values()]

    def foreign(self, statements: Iterable[str], tag: str) -> list[str]:
        """The names of Coq's own libraries that statements and their definitions use."""
        statements = [*statements]
        used = [(name, tag) for said in statements for name in named(said)]
        used += [(name, one.tag) for one in self.basis(statements, tag) for name in one.uses]
        return sorted({name for name, where in used if self.meaning(name, where) is None})


def named(said: str, own: frozenset[str] = frozenset()) -> list[str]:
    """The names of a statement that it does not bind itself, each once."""
    text = code(said)[0]
    inside = own | bound(text) | WORDS
    return [name for name in dict.fromkeys(NAME.findall(text)) if name not in inside]


def premises(said: str) -> tuple[str, list[str], str]:
    """A statement in three: its first quantifier, what it assumes before the next, the rest."""
    comma = re.match(r"forall\b[^,]*,", said)
    head, rest = (comma[0], said[comma.end() :]) if comma else ("", said)
    found: list[str] = []
    depth = begin = 0
    for at in re.finditer(r"[({]|[)}]|(?<!<)->", rest):
        if at[0] in "({":
            depth += 1
        elif at[0] in ")}":
            depth -= 1
        elif not depth:
            one = rest[begin : at.start()]
            if re.match(r"\s*(?:forall|exists|let)\b", one):
                break
            found.append("\n".join(line.strip() for line in one.strip().splitlines()))
            begin = at.end()
    return head, found, textwrap.dedent(rest[begin:].strip("\n")).strip()


def told_once(statements: list[str]) -> tuple[dict[str, str], list[str]]:
    """What at least two statements assume, each once and by a letter; the statements with letters.

    Nothing and the statements as they are where that is no shorter.
    """
    split = [premises(one) for one in statements]
    every = [one for _, assumed, _ in split for one in dict.fromkeys(assumed)]
    shared = [one for one, number in Counter(every).items() if number > 1]
    names = {one: LETTERS[k % 26] + str(k // 26) * (k > 25) for k, one in enumerate(shared)}
    shown = [
        _lettered(*one, names) if names.keys() & {*one[1]} else whole
        for one, whole in zip(split, statements, strict=True)
    ]
    if sum(map(lines, [*shared, *shown])) >= sum(map(lines, statements)):
        return {}, statements
    return {letter: one for one, letter in names.items()}, shown


def _lettered(head: str, assumed: list[str], rest: str, names: dict[str, str]) -> str:
    """A statement with the letters of what it shares before what it assumes alone."""
    letters = " ".join(names[one] for one in assumed if one in names)
    own = [f"{one} ->" for one in assumed if one not in names]
    return "\n".join([head, f"[{letters}] ->", *own, rest]).strip()


def proofs() -> Proofs:
    """The proof files of the companion."""
    found = sorted(coq_record.folder().glob("*/*.v"))
    tags = (f"{path.parent.name}.{path.stem.replace('_', '-')}" for path in found)
    return Proofs(
        parsed(tag, path.read_text(encoding="utf-8")) for tag, path in zip(tags, found, strict=True)
    )
