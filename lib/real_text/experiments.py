"""The cells of the book's experiments on real text: Figures 7, 10, and the token-by-token test."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from lib.real_text.cells import Cell
from lib.real_text.models import Architecture, paper_layer
from lib.real_text.token_layer import TokenLayer
from lib.real_text.train import Training

ONE_RATE = ()  # Figure 10: no extra factor on any rate
TOKEN_RATE = 200.0


def token_cell(vocab_size: int, **changes: Any) -> Cell:
    """The (Y, Z) layer on text: a mean over a batch of many classes needs a large rate."""
    training = Training(rate=TOKEN_RATE, rates=ONE_RATE, clip=0.0)
    return Cell(TokenLayer(vocab_size), replace(training, **changes))


def figure_07_cells(vocab_size: int, width: int) -> dict[str, Cell]:
    """Cells of Figure 7 and its controls, by name."""
    model = Architecture(vocab_size, width, width)
    cell = Cell(model, Training())
    return {
        "one layer": cell,
        "three layers": replace(cell, model=replace(model, layers=3)),
        "token (Y, Z)": token_cell(vocab_size),
        "no clip": cell.trained(clip=0.0),
        "tight clip": cell.trained(clip=0.1),
        "no positions": replace(cell, model=replace(model, positions=False)),
        "rate 1": cell.trained(rate=1.0),
        "rate 1, no clip": cell.trained(rate=1.0, clip=0.0),
        "rate 0.2, no clip": cell.trained(rate=0.2, clip=0.0),
        "batch x 5": cell.trained(batch_size=100, iterations=1000),
    }


def figure_10_cells(vocab_size: int, width: int) -> dict[str, Cell]:
    """Cells of Figure 10 in both readings of "one layer", eta = 1 .. 5, and the (Y, Z) layer.

    The last of them on the text and on its tokens in random order.
    """
    full = Architecture(vocab_size, width, width, dropout=0.2)
    plain = paper_layer(vocab_size, width)
    cells = {}
    for eta in (1, 2, 3, 4, 5):
        training = Training(rate=float(eta), rates=ONE_RATE)
        cells |= {
            f"full, eta {eta}": Cell(full, training),
            f"plain, eta {eta}": Cell(plain, training),
        }
    for eta in (50, 100, 200, 400):
        cells[f"token (Y, Z), eta {eta}"] = cell = token_cell(vocab_size, rate=float(eta))
        cells[f"shuffled (Y, Z), eta {eta}"] = replace(cell, shuffled=True)
    return cells


def token_by_token_cells(vocab_size: int, width: int) -> dict[str, Cell]:
    """The models whose logits are read token by token, and two that see the text shuffled."""
    token = token_cell(vocab_size)
    plain = Cell(paper_layer(vocab_size, width), Training(rates=ONE_RATE))
    return {
        "token (Y, Z)": token,
        "token (Y, Z), slow attention": token.trained(rate=TOKEN_RATE / 4, rates=(("Z", 0.1),)),
        "plain": plain,
        "full": Cell(Architecture(vocab_size, width, width), Training()),
        "token (Y, Z), shuffled": replace(token, shuffled=True),
        "plain, shuffled": replace(plain, shuffled=True),
    }


@dataclass(frozen=True)
class Experiment:
    """cells: function of (vocab_size, width) to named ``Cell``s.

    drawn: cells whose maps stand in the table, of the first seed.  logits_at: iterations at which
    attention logits are kept, and at the end; without any, none are, and the table is of runs.
    """

    cells: Callable
    drawn: tuple = ()
    logits_at: tuple = ()


DRAWN = ("one layer", "three layers", "token (Y, Z)")
EXPERIMENTS = {
    "figure_07": Experiment(figure_07_cells, drawn=DRAWN),
    "figure_10": Experiment(figure_10_cells),
    "token_by_token": Experiment(token_by_token_cells, logits_at=(0, 100, 300, 500, 1000)),
}
