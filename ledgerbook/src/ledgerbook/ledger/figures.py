"""One look for every figure: colours, size, and a display that carries its alt text.

A sequence of runs has colours of its own, those of Tol's muted scheme: told apart by colour-blind
readers, and none that a companion's roles take from the Okabe-Ito palette.
"""

import base64
import io

import matplotlib as mpl
from matplotlib.figure import Figure
from PIL import Image

from ledgerbook.ledger import dark, naming
from ledgerbook.project.validation import require

SEQUENCE = ["#332288", "#999933", "#882255", "#66B8DD", "#AA4499", "#117733", "#DDCC77"]
HEATMAP = "cividis"
PALETTE = 128  # colours of a stored picture: more are bytes that nobody sees
DARK = "dark"  # in the metadata of a picture: its dark form, as base64
STYLE = {
    "figure.dpi": 100,
    "savefig.dpi": 200,
    "figure.constrained_layout.use": True,
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.prop_cycle": mpl.cycler(color=SEQUENCE),  # type: ignore[attr-defined]
}


def subplots(rows=1, columns=1, width=7.0, height=None, **options):
    """A styled figure and its axes, outside pyplot's global state; sizes in inches."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(width, height or 2.8 * rows))
        return figure, figure.subplots(rows, columns, **options)


def drawn(figure):
    """A figure as the bytes of a PNG, with a palette: a third of them and the same to the eye."""
    with mpl.rc_context(STYLE):
        buffer = io.BytesIO()
        rough = {"compress_level": 0}  # it is read again at once
        figure.savefig(
            buffer,
            format="png",
            facecolor=figure.get_facecolor(),
            metadata={"Software": None},
            pil_kwargs=rough,
        )
    packed = io.BytesIO()
    with Image.open(buffer) as whole:
        fewer = whole.convert("RGB").quantize(PALETTE, dither=Image.Dither.NONE)
    fewer.save(packed, "PNG", optimize=True)
    return packed.getvalue()


class Picture:
    """A finished figure for display: PNG bytes with alt text and caption, for light and dark pages.

    Where there is room, curves are named in place of the legend (``naming.put``), and panels have
    the letters (a), (b), … if the caption or the alt text uses them.  The dark form
    (``dark.darken``) travels in the metadata of the light one, which is what any other program
    shows.

    alt: what a reader who cannot see the figure must know, its conclusion included.
    caption: one or two sentences of Markdown that state the conclusion.
    chaotic: of a training that magnifies the last bit of a number, in which processors differ: the
        next machine's picture need only be as large; what it shows is for rows to say.
    """

    def __init__(self, figure, alt, caption, chaotic=False):
        for name, words in (("alt", alt), ("caption", caption)):
            require(len(words.split()) >= 5, name, words, "a sentence that states the conclusion")
        self.alt, self.caption = alt, caption
        if "(a)" in caption or "(a)" in alt:
            naming.lettered(figure)
        with mpl.rc_context(STYLE):
            names = naming.put(figure)
        self.png = drawn(figure)
        dark.darken(figure)
        for text, color in names:
            text.set_color(dark.color(color))
        self.dark = drawn(figure)
        self.width = round(figure.get_figwidth() * STYLE["figure.dpi"])
        self.more = {"chaotic": True} if chaotic else {}

    def __repr__(self):
        return f"[figure] {self.alt}"

    def _repr_mimebundle_(self, include=None, exclude=None):
        data = {"text/plain": repr(self), "image/png": base64.b64encode(self.png).decode()}
        told = {"width": self.width, "alt": self.alt, "caption": self.caption} | self.more
        told[DARK] = base64.b64encode(self.dark).decode()
        return data, {"image/png": told}
