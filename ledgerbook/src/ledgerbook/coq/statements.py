"""A theorem's statement in its source beside the one on record, without Coq.

Coq prints a statement closed over its section: what the section assumes comes first, definitions
have got the section's variables as further arguments, and bound names may have got a digit.  So the
words of the source have to end the recorded statement, in order, with nothing but names between.
"""

import re
from collections.abc import Iterator

KINDS = "Theorem|Lemma|Corollary|Remark|Fact"
NAME = re.compile(r"[A-Za-z_][\w']*")
WORD = re.compile(r"[A-Za-z_][\w']*|\d+|[<>=/\\+*:^|-]+|\S")
BINDERS = re.compile(r"\b(?:forall|exists!?|fun)\b[^,=]*?(?:,|=>)")
TYPES = re.compile(r"\s*:\s*(?:R|nat|Z|bool|data|matrix|Prop)\b|%(?:nat|R|Z)\b")
LONGEST = 40  # words that a section's own abbreviation may stand for


def words(text: str) -> list[str]:
    """The words of a statement without binders, types, scopes and parentheses."""
    text = BINDERS.sub(" ", re.sub(r"\(\*.*?\*\)", "", text, flags=re.DOTALL))
    text = re.sub(r"\blet\s+([\w']+)[^:]*:=", r"let \1 :=", TYPES.sub(" ", text))
    return WORD.findall(re.sub(r"[()]", " ", text))


def in_source(text: str, name: str) -> tuple[str, str]:
    """A theorem's statement and proof as a source has them; empty where it has none."""
    head = rf"\b(?:{KINDS})\s+{re.escape(name)}\b([^.]*?):(?!=)"
    body = r"(.*?)\.\s*Proof\b(.*?)\b(?:Qed|Defined)\."
    found = re.search(head + body, text, re.DOTALL)
    return (found[2], found[3]) if found else ("", "")


def ends_with(recorded: list[str], said: list[str], local: frozenset[str]) -> int | None:
    """Where in the recorded words those of the source begin, or ``None`` where they do not end it.

    local: names that stand for a longer text, which the record has in their place.
    """
    places = {len(recorded)}
    for word in reversed(said):
        places = {k for place in places for k in _before(recorded, place, word, local)}
    return max(places, default=None)


def _before(recorded: list[str], place: int, word: str, local: frozenset[str]) -> Iterator[int]:
    """Where ``word`` may begin, in front of ``place``, with nothing but names between."""
    if word in local:
        yield from range(max(0, place - LONGEST), place)
    renamed = re.compile(re.escape(word) + (r"\d*" if NAME.fullmatch(word) else ""))
    for k in range(place - 1, -1, -1):
        if renamed.fullmatch(recorded[k]):
            yield k
        if not NAME.fullmatch(recorded[k]):
            return


def differs(text: str, name: str, recorded: str) -> str | None:
    """What about a recorded statement is not as the source has it, or ``None``."""
    said, proof = in_source(text, name)
    known = words(recorded.partition("\n:")[2])
    local = frozenset(re.findall(r"^\s*Let\s+([\w']+)", text, re.MULTILINE))
    start = ends_with(known, words(said), local) if said else None
    if start is None:
        return "its statement on record is another one than that of the source"
    for hypothesis, assumed in assumptions(text, name):
        used = re.search(rf"\b{re.escape(hypothesis)}\b", proof)
        if used and not _within(known[:start], words(assumed), local):
            return f"{hypothesis}, which its proof uses, is not in its statement on record"
    return None


def assumptions(text: str, name: str) -> list[tuple[str, str]]:
    """What the sections around a theorem assume, by name; of one letter a proof has its own."""
    before = re.split(rf"\b(?:{KINDS})\s+{re.escape(name)}\b", text)[0]
    open_ = re.sub(r"\bSection\s+([\w']+)\..*?\bEnd\s+\1\.", "", before, flags=re.DOTALL)
    found = re.findall(r"^\s*Hypothesis\s+([\w']+)\s*:(.*?)\.\s", open_, re.MULTILINE | re.DOTALL)
    return [(hypothesis, assumed) for hypothesis, assumed in found if len(hypothesis) > 1]


def _within(recorded: list[str], said: list[str], local: frozenset[str]) -> bool:
    """Whether the words of an assumption are somewhere among the recorded ones."""
    ends = range(1, len(recorded) + 1)
    return any(ends_with(recorded[:end], said, local) is not None for end in ends)
