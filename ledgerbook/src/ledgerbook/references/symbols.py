"""Symbols in formulas: which row of the notation page explains the letter that stands there.

A symbol is found by what stands around it: the ``Y`` of ``\\eta_Y`` belongs to ``\\eta_Y`` where
the page has a row for that, and is a ``Y`` of its own where it has none.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple
from xml.etree.ElementTree import Element, fromstring

from ledgerbook.references import mathml

SCRIPTS = ("msub", "msup", "msubsup")
INDEXED = ("msub", "msubsup")
AROUND = (*SCRIPTS, "mover")
DEFINES = "(=∈"  # what may follow a symbol where a formula says what it is
NORM = "\u2016"
WORD = 3  # letters from which on an index is a word, as in W_fin, and no product


class Leaf(NamedTuple):
    """A letter: the elements that it may belong to with their names, widest first; and the index
    that it is a part of.
    """

    within: tuple[tuple[str, Element], ...]
    word: str


def name(element: Element) -> str:
    """What an element is called: ``η_Y``, ``h^*``, ``x¯_i``."""
    parts = [name(child) for child in element]
    if element.tag == "msub":
        return f"{parts[0]}_{parts[1]}"
    if element.tag == "msup":
        return f"{parts[0]}^{parts[1]}"
    if element.tag == "msubsup":
        return f"{parts[0]}_{parts[1]}^{parts[2]}"
    return "".join(parts) or (element.text or "").strip()


def base(element: Element) -> Element:
    """An element without its indices and primes; accents stay."""
    while element.tag in SCRIPTS or is_primed(element):
        element = element[0]
    if element.tag == "mrow" and len(element) == 1:
        return base(element[0])
    return element


def indexed(element: Element) -> str:
    """What a symbol with any index is called: ``x_`` for ``x_i``."""
    return f"{name(base(element))}_"


def is_primed(element: Element) -> bool:
    """Whether an element is a symbol with its prime."""
    return element.tag == "mrow" and len(element) == 2 and name(element[1]) in mathml.PRIMES


def is_letter(element: Element) -> bool:
    """Whether an element is a letter rather than a part of a word or the name of a function."""
    text = (element.text or "").strip()
    upright = element.get("mathvariant") == "normal" and text not in mathml.CAPITAL_GREEK
    return element.tag == "mi" and text.isalpha() and not upright and text not in mathml.OPERATORS


def _names(element: Element) -> list[str]:
    if element.tag != "msubsup":
        return [name(element)]
    body, below, above = map(name, element)
    return [name(element), f"{body}_{below}", f"{body}^{above}"]


def leaves(element: Element, within: tuple = (), word: str = "") -> Iterator[Leaf]:
    """The letters of a formula."""
    if is_letter(element):
        yield Leaf((*within, (name(element), element)), word)
    if element.tag in AROUND or is_primed(element):
        within = (*within, *((one, element) for one in _names(element)))
    for place, child in enumerate(element):
        script = place > 0 and element.tag in SCRIPTS
        if script and name(element[0]) == NORM:  # says which norm
            continue
        mixed = child.find(".//mtext") is not None and child.find(".//mi") is not None
        text = name(child) if script and not mixed else "" if script else word
        inside = within
        if not place and element.tag in INDEXED:
            inside = (*within, (indexed(element), element))
        yield from leaves(child, inside, text if text.isascii() and text.isalpha() else "")


def _pieces(tex: str) -> Iterator[list[Element]]:
    """A formula at its commas."""
    root = fromstring(mathml.converted(tex))
    while len(root) == 1 and root.tag in ("math", "mrow"):
        root = root[0]
    piece: list[Element] = []
    for element in root if root.tag == "mrow" and not is_primed(root) else [root]:
        if name(element) in (",", ";"):
            yield piece
            piece = []
        else:
            piece.append(element)
    yield piece


def defined(tex: str) -> Iterator[Element]:
    """The symbols that a formula of the first column names, as in ``f(x)``, ``A, B``, ``W=AB``."""
    for piece in _pieces(tex):
        first = next((k for k, one in enumerate(piece) if _is_symbol(one)), None)
        if first is not None:
            after = name(piece[first + 1]) if first + 1 < len(piece) else "="
            if after[:1] in DEFINES:
                yield piece[first]


def _is_symbol(element: Element) -> bool:
    inner = base(element)
    return any(map(is_letter, [inner, *inner])) and inner.tag not in ("mfrac", "msqrt")


class Table:
    """A table of symbols: which row explains what is called by a name.

    rows: where each stands, and the formulas that it explains.
    """

    def __init__(self, rows: Iterable[tuple[str, Iterable[str]]]):
        formulas = [(tex, place) for place, some in rows for tex in some]
        heads = [(one, place) for tex, place in formulas for one in defined(tex)]
        named = [(name(element), place) for element, place in heads]
        bases = [(indexed(one), place) for one, place in heads if one.tag in INDEXED]
        bases += [(name(base(element)), place) for element, place in heads]
        self.places = dict(reversed((*named, *bases)))  # the first of each is left

    def find(self, leaf: Leaf) -> tuple[str, Element] | None:
        """The row that explains a letter, and the element that it explains."""
        if len(leaf.word) < WORD:
            names = leaf.within
        else:
            element = base(leaf.within[-2][1])
            names = (*leaf.within[:-1], (name(element), element))
        for called, element in names:
            if called in self.places:
                return self.places[called], element
        return None


def explained(leaf: Leaf, own: str, tables: Mapping[str, Table]) -> list[tuple[str, Element]]:
    """The rows that explain a letter on a page of the paper ``own``: the first of its own table, or
    else what the other tables say.
    """
    if own in tables and (found := tables[own].find(leaf)):
        return [found]
    others = (table.find(leaf) for paper, table in tables.items() if paper != own)
    return [found for found in others if found]
