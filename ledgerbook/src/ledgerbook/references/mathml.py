"""Formulas as MathML, made when the pages are built: no script, nothing fetched, read aloud.

``latex2mathml`` converts; what follows here mends what it leaves out, and gives the
paper's equation number that a displayed formula carries, as ``\\text{(43)}``, an address,
``#eq-43``.
"""

import re
import unicodedata
from functools import cache
from xml.etree import ElementTree

import latex2mathml.converter
from docutils import nodes
from sphinx.application import Sphinx

ROWS = ("math", "mrow", "mstyle", "mtd")
SCRIPTED = {"msub": 2, "msup": 2, "msubsup": 3, "munder": 2, "mover": 2, "munderover": 3}
ARGUMENTS = {"mfrac": 2} | SCRIPTED
KNOWN = {
    r"\\(begin|end)\{(aligned|split)\}": r"\\\1{align*}",
    r"\\(arg|sgn|tr)(?![a-zA-Z])": r"\\operatorname{\1}",
}
# What follows \\big and its kin is left as it was typed.
DELIMITERS = {"\\{": "{", "\\}": "}", "\\Vert": "\u2016", "\\|": "\u2016", "\\mid": "|"}
PRIMES = {"\u2032", "\u2033", "\u2034"}
ALPHABETS = {
    "double-struck": "DOUBLE-STRUCK",
    "script": "SCRIPT",
    "bold": "BOLD",
    "bold-italic": "BOLD ITALIC",
    "fraktur": "FRAKTUR",
}
OPERATORS = "ln log exp max min sup inf arg lim sin cos cot tan sinh cosh tanh coth dim det".split()
CAPITAL_GREEK = set("ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ")
NUMBER = re.compile(r"\((\d{1,3})[′']?[a-z]?\)")
ROW_SPACE = re.compile(r"(\\\\)\s*\[[-\d.]+\s*(?:pt|em|ex|mm)\]")


@cache
def converted(tex: str, display: bool = False) -> str:
    """A formula as one ``math`` element.  Raises ``ValueError`` that names a formula at fault."""
    try:
        xml = latex2mathml.converter.convert(
            prepared(tex), display="block" if display else "inline"
        )
    except Exception as error:
        raise ValueError(f"formula {tex!r}: {type(error).__name__}: {error}") from error
    root = ElementTree.fromstring(xml)
    for element in root.iter():  # a browser knows the namespace of `math`
        element.tag = element.tag.rpartition("}")[2]
        element.text = DELIMITERS.get(element.text or "", element.text)
    _require_whole(root, tex)
    _mend(root)
    root.set("alttext", " ".join(tex.split()))
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)


def prepared(tex: str) -> str:
    """TeX that latex2mathml reads as TeX does."""
    tex = ROW_SPACE.sub(r"\1", tex)
    for unknown, known in KNOWN.items():
        tex = re.sub(unknown, known, tex)
    return tex


def numbers(tex: str) -> list[str]:
    """The equation numbers that a displayed formula carries in its text."""
    texts = re.findall(r"\\(?:text|tag)\{([^}]*)\}", tex)
    return [found for text in texts for found in NUMBER.findall(text)]


def _mend(element: ElementTree.Element) -> None:
    """What browsers do not set as TeX does, in place, for all that is below ``element``."""
    if element.tag in ("mi", "mn", "mtext"):
        _upright_or_lettered(element)
    if element.tag in ("msup", "msubsup") and set(element[-1].text or " ") <= PRIMES:
        _set_prime(element)
    children = list(element)
    for child in children:
        _mend(child)
    if element.tag in ROWS:
        for one, after in zip(children, children[1:], strict=False):
            if (_is_function(one) and after.tag != "mo") or (
                _is_function(after) and one.tag != "mo"
            ):
                space = ElementTree.Element("mspace", {"width": "0.1667em"})
                element.insert(list(element).index(after), space)


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
        element.text = "".join(_letter(ALPHABETS[variant], letter) for letter in text)
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
    base = element[0] if element.tag in SCRIPTED else element
    return base.tag in ("mi", "mo") and (base.text or "").strip() in OPERATORS


def open_inline(self, node):
    """A formula within a line."""
    mathml = node.get("mathml") or converted(node.astext())
    self.body.append(f'<span class="math">{mathml}</span>')
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
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register the renderer; ``html_math_renderer: mathml`` chooses it."""
    app.add_html_math_renderer("mathml", (open_inline, None), (open_display, None))
