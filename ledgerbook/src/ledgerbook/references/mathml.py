"""Formulas as MathML, made when the pages are built: no script, nothing fetched, read aloud.

``latex2mathml`` converts; what follows here mends what it leaves out, and gives the
paper's equation number that a displayed formula carries, as ``\\text{(43)}``, an address,
``#eq-43``.
"""

import html
import re
import unicodedata
from functools import cache
from itertools import pairwise
from xml.etree import ElementTree

import latex2mathml.converter
from docutils import nodes
from sphinx.application import Sphinx

from ledgerbook.project import markup

ROWS = ("math", "mrow", "mstyle", "mtd")
SCRIPTED = {"msub": 2, "msup": 2, "msubsup": 3, "munder": 2, "mover": 2, "munderover": 3}
ARGUMENTS = {"mfrac": 2} | SCRIPTED
# What follows \\big and its kin is left as it was typed.
DELIMITERS = {"\\{": "{", "\\}": "}", "\\mid": "|"}
PRIMES = {"\u2032", "\u2033", "\u2034"}
BARS = {"|", "\u2016", "\u2223", "\u2225"}
BRACKETS = dict(zip("([{⟨⌈⌊", ")]}⟩⌉⌋", strict=True))
SIGNED = {"−", "-", "+", "±", "∓"}
ALPHABETS = {"double-struck", "script", "bold"}
OPERATORS = "ln log exp max min sup inf arg lim sin cos cot tan sinh cosh tanh coth dim det".split()
CAPITAL_GREEK = set("ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ")
NUMBER = re.compile(r"\((\d{1,3})[′']?[a-z]?\)")
# The number that ends a displayed formula, with the stop after it.
LAST = re.compile(r"\s*\\(?:;|q*quad)\s*\\text\{(\([^}]*\d[^}]*\))\}(\s*[.,;]?\s*)$")
STOP = re.compile(r"[.,;:!?)’”]+")
PERCENT = re.compile(r"(?:^|(?<=\d)) %")


@cache
def converted(tex: str, display: bool = False) -> str:
    """A formula as one ``math`` element.  Raises ``ValueError`` that names a formula at fault."""
    known = apart(tex)[0].replace(r"\arg\min", r"\operatorname{arg}\min")
    try:
        xml = latex2mathml.converter.convert(known, display="block" if display else "inline")
        root = ElementTree.fromstring(xml)
    except Exception as error:
        raise ValueError(f"formula {tex!r}: {type(error).__name__}: {error}") from error
    for element in root.iter():  # a browser knows the namespace of `math`
        element.tag = element.tag.rpartition("}")[2]
        element.text = DELIMITERS.get(element.text or "", element.text)
        if element.text in BARS | BRACKETS.keys() | set(BRACKETS.values()):
            element.tag = "mo"
    _require_whole(root, tex)
    _mend(root)
    root.set("alttext", " ".join(tex.split()))
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)


def on_a_line(formula: str) -> str:
    """A ``math`` element as letters in a line: fractions with a stroke, powers with a hat."""
    return html.escape(_letters(ElementTree.fromstring(formula)))


def _letters(element: ElementTree.Element) -> str:
    parts = [_letters(child) for child in element]
    held = [one if len(one) < 2 or one.isalnum() else f"({one})" for one in parts]
    if element.tag == "mfrac":
        return "/".join(held)
    if element.tag == "msqrt":
        return f"√({''.join(parts)})"
    if element.tag == "msup" and held[1] not in ("⊤", "†", "⊥", "*", "∗"):
        return f"{parts[0]}^{held[1]}"
    return (element.text or "").strip() + "".join(parts)


def apart(tex: str) -> tuple[str, str]:
    """A displayed formula without the number that ends it, and that number, or nothing."""
    found = LAST.search(tex)
    return (tex[: found.start()] + found[2], found[1]) if found else (tex, "")


def numbers(tex: str) -> list[str]:
    """The equation numbers that a displayed formula carries in its text."""
    texts = re.findall(r"\\text\{([^}]*)\}", tex)
    return [found for text in texts for found in NUMBER.findall(text)]


def _mend(element: ElementTree.Element) -> None:
    """What browsers do not set as TeX does, in place, for all that is below ``element``."""
    if element.tag in ("mi", "mn", "mtext"):
        _upright_or_lettered(element)
    if element.tag == "mo" and element.text in OPERATORS:  # their space is put in below
        element.attrib.update(lspace="0", rspace="0")
    if element.tag in ("msup", "msubsup") and set(element[-1].text or " ") <= PRIMES:
        _set_prime(element)
    children = list(element)
    for child in children:
        _mend(child)
    if element.tag in ROWS:
        _set_forms(children)
        for pair in pairwise(children):
            if any(_is_function(a) and b.tag != "mo" for a, b in (pair, pair[::-1])):
                space = ElementTree.Element("mspace", {"width": "0.1667em"})
                element.insert(list(element).index(pair[1]), space)


def _set_forms(row: list[ElementTree.Element]) -> None:
    """Which bars open and which close, and which signs belong to what follows them: a browser
    knows this only of the first and the last in a row.

    Bars of one pair of brackets are taken in turns; one without its like divides, as in P(l | n).
    """
    levels: list[list[ElementTree.Element]] = [[]]
    bars: dict[ElementTree.Element, str] = {}
    for one in row:
        sign = _bar(one)
        if sign in BRACKETS:
            levels.append([])
        elif sign in BRACKETS.values() and len(levels) > 1:
            bars |= _turns(levels.pop())
        elif sign in BARS:
            levels[-1].append(one)
    for level in levels:
        bars |= _turns(level)
    for before, one in pairwise(row):
        ends = bars.get(before) == "postfix" or before.text in {*BRACKETS.values(), *PRIMES}
        if one.tag == "mo" and one.text in SIGNED and before.tag in ("mo", "mspace") and not ends:
            one.set("form", "prefix")
    for one, form in bars.items():
        _base(one).attrib.update(form=form, fence="true")
        # As in TeX, a bar grows only where a ``left`` says so: one with an index would stay small.
        _base(one).attrib.setdefault("stretchy", "false")


def _turns(bars: list[ElementTree.Element]) -> dict[ElementTree.Element, str]:
    """Opening and closing in turns, for each kind of bar of which there is an even number."""
    found: dict[ElementTree.Element, str] = {}
    for kind in BARS:
        alike = [one for one in bars if _bar(one) == kind]
        if len(alike) % 2 == 0:
            found |= dict(zip(alike, ("prefix", "postfix") * (len(alike) // 2), strict=True))
    return found


def _bar(element: ElementTree.Element) -> str:
    """An operator's own sign, without its indices."""
    base = _base(element)
    return (base.text or "") if base.tag == "mo" else ""


def _base(element: ElementTree.Element) -> ElementTree.Element:
    return element[0] if element.tag in SCRIPTED else element


def _require_whole(root: ElementTree.Element, tex: str) -> None:
    """The converter lets unknown commands and missing arguments through: they are errors here."""
    for element in root.iter():
        few = len(element) != ARGUMENTS.get(element.tag, len(element))
        if few or "\\" in (element.text or ""):
            raise ValueError(f"formula {tex!r}: {element.text or element.tag} is not understood")


def _set_prime(element: ElementTree.Element) -> None:
    """A prime as the sign that it is: raised and small by itself, not once more as a script.

    It stands at its letter, before an index: behind that it would seem to belong to the index.
    """
    letter, *index, prime = element
    sign = ElementTree.Element("mo", {"lspace": "0", "rspace": "0"})
    sign.text = prime.text
    for child in list(element):
        element.remove(child)
    primed = ElementTree.SubElement(element, "mrow") if index else element
    primed.extend([letter, sign])
    element.extend(index)
    element.tag = "msub" if index else "mrow"


def _upright_or_lettered(element: ElementTree.Element) -> None:
    """Upright capital Greek; letters of other alphabets as characters, which browsers have."""
    text, variant = element.text or "", element.get("mathvariant")
    if element.tag == "mi" and text.strip() in CAPITAL_GREEK:
        element.set("mathvariant", "normal")
    elif variant in ALPHABETS:
        element.text = "".join(_letter(variant.upper(), letter) for letter in text)
        del element.attrib["mathvariant"]


@cache
def _letter(alphabet: str, letter: str) -> str:
    """A letter of a mathematical alphabet; the plain one where Unicode has none."""
    name = unicodedata.name(letter, "").replace("LATIN ", "").replace(" LETTER", "")
    for full in (f"MATHEMATICAL {alphabet} {name}", f"{alphabet} {name}"):
        try:
            return unicodedata.lookup(full)
        except KeyError:
            pass
    return letter


def _is_function(element: ElementTree.Element) -> bool:
    base = _base(element)
    return base.tag in ("mi", "mo") and (base.text or "").strip() in OPERATORS


def open_inline(self, node):
    """A formula within a line."""
    mathml = node.get("mathml") or converted(node.astext())
    formula = f'<span class="math">{mathml}</span>'
    stop = node.get("stop")
    self.body.append(f'<span class="kept">{formula}{stop}</span>' if stop else formula)
    raise nodes.SkipNode


def open_display(self, node):
    """A displayed formula, under the address of its number where it is the page's first."""
    tex = node.astext()
    given = self.__dict__.setdefault("equation_numbers", set())
    new = [number for number in dict.fromkeys(numbers(tex)) if number not in given]
    given.update(new)
    self.body.append(self.starttag(node, "div", CLASS="math display"))
    self.body += [f'<span class="eq" id="eq-{number}"></span>' for number in new]
    self.body.append(node.get("mathml") or converted(tex, display=True))
    number = apart(tex)[1]
    self.body.append(f'<span class="number">{number}</span></div>\n' if number else "</div>\n")
    raise nodes.SkipNode


def keep_stops(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """A formula takes the stop behind it to its own line."""
    for formula in list(doctree.findall(nodes.math)):
        after = formula.next_node(descend=False, siblings=True)
        found = STOP.match(after) if isinstance(after, nodes.Text) else None
        if found:
            formula["stop"] = found[0]
            markup.exchange(after, nodes.Text(after[found.end() :]))


def keep_percents(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """A number and its per cent sign stay on one line."""
    for text in list(doctree.findall(nodes.Text)):
        kept = PERCENT.sub("\N{NO-BREAK SPACE}%", text)
        if kept != text and not isinstance(text.parent, nodes.literal | nodes.literal_block):
            markup.exchange(text, nodes.Text(kept))


def setup(app: Sphinx) -> None:
    """Register the renderer; ``html_math_renderer: mathml`` chooses it."""
    app.connect("doctree-resolved", keep_stops, priority=900)  # when names have become links
    app.connect("doctree-resolved", keep_percents, priority=900)
    app.add_html_math_renderer("mathml", (open_inline, None), (open_display, None))
