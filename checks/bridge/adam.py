"""Under Adam: what the rows measure.

The chapter: ``book/bridge/adam.ipynb``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import sympy as sp
import torch
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator
from scipy.stats import binomtest

from checks.bridge.cases import name_of
from checks.bridge.winner import classes
from ledgerbook import Checks, claim, control, finding, group, once, seed, step, whole
from lib.arrays import Array
from lib.bridge.adam import fall_of_error, growth_of_gap, joint_adam, resting_gap
from lib.bridge.joint_training import JointPath, joint_descent, log_attention, log_residual
from lib.bridge.two_clocks import class_data
from lib.measure import maximum
from lib.mechanics.samples import NextTokenData

K = 4  # alike classes
ETA = 0.01  # the rate of both halves
MOMENTS = [30, 100, 300, 1000, 3000, 10_000]  # steps at which a run is looked at
SHORT, LONG = 0.9, 0.999  # memories beta_2: of ten steps, and Adam's usual one of a thousand
MEMORIES = {"short": SHORT, "long": LONG}
SPARE = {"1": 1, "20": 20}  # labels that answer nothing
READ = 1000  # the step at which winners are read


class Run(NamedTuple):
    """One training, at each moment: gap z_distinct - z_common, margin Y_own - Y_other, ln(1/error)
    of the first class."""

    gap: np.ndarray
    margin: np.ndarray
    depth: np.ndarray


class Won(NamedTuple):
    """Of each draw, (draws,): attention to the own token that has most, and whether no own token is
    rarer, or more frequent; then attention to its own tokens, the rarest first, (draws,) each."""

    mass: np.ndarray
    rarest: np.ndarray
    frequent: np.ndarray
    first: np.ndarray
    second: np.ndarray
    third: np.ndarray


def seen(data: NextTokenData, path: JointPath, normalize: bool) -> Run:
    """``Run`` of a path over ``class_data``."""
    logits = path.Z[:, data.last[0]]
    points = zip(path.Y, path.Z, strict=True)
    depth = [-log_residual(data, Y, Z, normalize)[0] for Y, Z in points]
    margin = path.Y[:, 0, 0] - path.Y[:, 0, 1]
    return Run(logits[:, 0] - logits[:, K], margin, np.array(depth))


def apart(
    path: JointPath, data: NextTokenData, start: Any, normalize: bool, optimizer: Any
) -> float:
    """Largest difference of an entry from PyTorch's steps on the loss as the layer defines it."""
    Y, Z = (torch.tensor(half, requires_grad=True) for half in start)
    counts, label, weight = map(torch.tensor, (data.counts, data.label, data.weight))
    steps, off = optimizer([Y, Z]), 0.0
    for _, *found in zip(path.log_time, path.Y, path.Z, strict=True):
        mass = counts * torch.exp(Z[data.last])
        f = torch.nn.functional.normalize(mass, dim=1) if normalize else mass / mass.sum(1, True)
        loss = torch.nn.functional.cross_entropy(f @ Y, label, reduction="none") @ weight
        steps.zero_grad()
        loss.backward()
        steps.step()
        now = Y.detach().numpy(), Z.detach().numpy()
        off = maximum(off, *(np.abs(a - b).max() for a, b in zip(found, now, strict=True)))
    return off


def low_end(hits: Array) -> float:
    """Low end of the exact 95 % interval of a share of hits."""
    return float(binomtest(int(hits.sum()), len(hits)).proportion_ci(0.95, "exact").low)


@dataclass
class UnderAdam(Checks):
    """Under Adam."""

    draws: int = whole(30, 15, 60, holds=(20, 60))
    seed: int = seed()

    tag = "bridge.adam"
    hypotheses = {
        "H1": r"the memory is short, $\beta_2=0.9$",
        "H2": r"gradients stay above Adam's $\epsilon$",
        "H3": "training is by Adam",
        "H4": "$Y$ and $Z$ start at zero",
    }
    standing = "ours"
    unknown = {"H4": "another start is not tried here"}

    def run(
        self,
        spare: int,
        memory: float,
        normalize: bool,
        moments: tuple[int, ...] = (*MOMENTS,),
        epsilon: float = 0.0,
        descent: bool = False,
    ) -> Run:
        """``Run`` of K alike classes beside ``spare`` labels that answer nothing."""
        data = class_data(K)
        start = np.zeros((2 * K + 1, K + spare)), np.zeros((2 * K + 1, 2 * K + 1))
        if descent:
            path = joint_descent(data, *start, moments, normalize=normalize)
        else:
            setting = dict(eta=ETA, beta2=memory, epsilon=epsilon)
            path = joint_adam(data, *start, moments, normalize=normalize, **setting)
        return seen(data, path, normalize)

    @once
    def plain(self) -> dict[Any, Any]:
        """Plain runs with one spare label, by the name of the memory; the last two moments twice
        as late as the memory is long."""
        ends = {"short": (1000, 3000), "long": (10_000, 20_000)}
        return {name: self.run(1, MEMORIES[name], False, ends[name]) for name in MEMORIES}

    @once
    def normalized(self) -> dict[int, Run]:
        """Normalized runs with a short memory, by the number of spare labels."""
        return {spare: self.run(spare, SHORT, True) for spare in SPARE.values()}

    @once
    def remembered(self) -> dict[Any, Any]:
        """Plain runs with the usual memory, by the number of spare labels."""
        return {spare: self.run(spare, LONG, False) for spare in SPARE.values()}

    @once
    def drawn(self) -> dict[Any, Any]:
        """``Won`` at the moment ``READ``, by form and memory."""
        return {
            (normalize, name): Won(*np.array([*self.winners(MEMORIES[name], normalize)]).T)
            for normalize in (False, True)
            for name in MEMORIES
        }

    @once
    def by_count(self) -> dict[Any, Any]:
        """Normalized: mean attention to the three own tokens, the rarest first, by training."""
        told = {"descent": Won(*np.array([*self.winners(None, True)]).T)}
        told |= {f"Adam, {name} memory": self.drawn[True, name] for name in ("short", "long")}
        return {name: np.mean([w.first, w.second, w.third], axis=1) for name, w in told.items()}

    @once
    def curves(self) -> dict[tuple[bool, str], Any]:
        """Gaps of the picture at ``MOMENTS``, three spare labels, by form and training."""
        told = {}
        for normalize in (False, True):
            told[normalize, "descent"] = self.run(3, SHORT, normalize, descent=True).gap
            for name in ("short", "long"):
                told[normalize, f"Adam, {name} memory"] = self.run(3, MEMORIES[name], normalize).gap
        return told

    def winners(self, memory: float | None, normalize: bool) -> Iterator[Any]:
        """Of each draw's first class, as ``Won`` has them: classes of ``bridge.winner``.

        memory: beta_2, or None for gradient descent at rate 1.
        """
        for number in range(self.draws):
            data = classes(np.random.default_rng([self.seed, number]), 1)
            V, counts = data.counts.shape[1], data.counts[0]
            start = np.zeros((V, K)), np.zeros((V, V))
            if memory is None:
                path = joint_descent(data, *start, [READ], normalize=normalize)
            else:
                setting = dict(eta=ETA, beta2=memory, epsilon=1e-12)
                path = joint_adam(data, *start, [READ], normalize=normalize, **setting)
            own = np.flatnonzero((counts > 0) & ((data.counts > 0).sum(axis=0) == 1))
            own = own[np.argsort(counts[own], kind="stable")]
            mass = np.exp(log_attention(data, path.Z[0]))[0, own]
            won = counts[own][mass.argmax()]
            yield mass.max(), won == counts[own].min(), won == counts[own].max(), *mass

    reasons = group()

    @step("symbolic")
    def pull(self) -> Facts:
        r"""normalized, own tokens of equal use $h$ and a common one of none: the logit of own token
        1 is pulled by $h f_1(1-f_1\sum_{\rm own}f)$, up where $f_1$ is small and down where it is
        large"""
        z = sp.symbols("z_1:4", real=True)
        h = sp.symbols("h", positive=True)
        mass = [sp.exp(one) for one in z]
        size = sp.sqrt(sum(one**2 for one in mass))
        f = [one / size for one in mass]
        return sp.diff(h * (f[0] + f[1]), z[0]), h * f[0] * (1 - f[0] * (f[0] + f[1]))

    @step("symbolic")
    def rest(self) -> Facts:
        r"""normalized, one own and one common token whose rows have grown alike: the pull on the
        gap is zero where $e^{-g}$ is the spare labels' part of the error"""
        g = sp.symbols("g", real=True)
        a, sharers, spare = sp.symbols("a d_w d_o", positive=True)
        error = sharers + spare
        own = a * error + a * error  # the row: +a at its label, -a elsewhere
        common = a * error - a * sharers + a * spare  # +a at every label of its classes
        fd, fc = 1 / sp.sqrt(1 + sp.exp(-2 * g)), 1 / sp.sqrt(1 + sp.exp(2 * g))
        balance = sp.solve(sp.Eq(fc * own, fd * common).subs(sp.exp(g), sp.symbols("x")), spare)
        ratio = sp.simplify((balance[0] / (balance[0] + sharers)).subs(sp.symbols("x"), sp.exp(g)))
        return ratio, sp.exp(-g)

    check = group()

    @claim("<=", 1e-12, "identity")
    def first_steps(self, rng: Generator) -> float:
        r"""three steps of Adam and of descent from random $Y$, $Z$, plain and normalized, both with
        weight decay 0.3, against PyTorch's AdamW and SGD: largest difference of an entry"""
        data, off = classes(rng, 1), []
        V, settings = data.counts.shape[1], dict(decay=0.3, epsilon=1e-3, eta=0.1)
        for normalize in (False, True):
            start = rng.normal(size=(V, K)), rng.normal(size=(V, V))
            adam = joint_adam(data, *start, [1, 2, 3], normalize=normalize, **settings)
            by_torch = partial(torch.optim.AdamW, lr=0.1, eps=1e-3, weight_decay=0.3)
            off.append(apart(adam, data, start, normalize, by_torch))
            rates = dict(eta_y=0.1, eta_z=0.1, decay=0.3)
            plain = joint_descent(data, *start, [1, 2, 3], normalize=normalize, **rates)
            by_torch = partial(torch.optim.SGD, lr=0.1, weight_decay=0.3)
            off.append(apart(plain, data, start, normalize, by_torch))
        return maximum(off)

    @claim("<=", 0.01, "rate", concludes=True, cases=MEMORIES)
    def fall(self, case: float) -> float:
        r"""plain, $\beta_2=@{case}$, 1 spare: late in training the log of the error falls by
        $c=2\eta R(c)$ in a step; relative error"""
        name = name_of(case, MEMORIES)
        ends = {"short": 2000, "long": 10_000}[name]
        measured = np.diff(self.plain[name].depth)[0] / ends
        return abs(measured / fall_of_error(ETA, 0.9, case) - 1)

    @claim("<=", 0.03, "rate", concludes=True)
    def linear(self) -> float:
        r"""plain, $\beta_2=0.9$: the gap grows by $x=2\eta R(c+x)$ in a step; relative error"""
        measured = np.diff(self.plain["short"].gap)[0] / 2000
        return abs(measured / growth_of_gap(ETA, 0.9, SHORT) - 1)

    @claim("<=", 0.03, "limit", concludes=True, cases=SPARE)
    def rests(self, case: int) -> float:
        r"""normalized, $\beta_2=0.9$, @{case} spare: the gap is where the rest point is for the
        margin of that step; largest difference at steps 300 to 10,000"""
        run = self.normalized[case]
        wanted = [resting_gap(margin, K, K + case) for margin in run.margin]
        return maximum(np.abs(run.gap - wanted)[2:])

    @claim("<", 0, "sign", concludes=True)
    def narrows(self) -> float:
        r"""normalized, $\beta_2=0.9$: what twenty spare labels instead of one cost of the gap, at
        step 10,000 less than at step 300"""
        cost = self.normalized[1].gap - self.normalized[20].gap
        return cost[-1] - cost[2]

    @claim("<=", 0.1, "rate", concludes=True, cases=SPARE)
    def curve(self, case: int) -> float:
        r"""plain, $\beta_2=0.999$, @{case} spare: $e^g$ against the squared margin rises as steeply
        from step 3000 to 10,000 as from 1000 to 3000; relative difference of the slopes"""
        run = self.remembered[case]
        slopes = np.diff(np.exp(run.gap)) / np.diff(run.margin**2)
        return abs(slopes[4] / slopes[3] - 1)

    @claim(">", 0.8, "statistical", concludes=True, atol=0.1, cases=MEMORIES)
    def rarest(self, case: float) -> float:
        r"""normalized, $\beta_2=@{case}$: of three own tokens the rarest has most attention at step
        1000; share of @{draws} draws, low end of the 95 % interval"""
        name = name_of(case, MEMORIES)
        return low_end(self.drawn[True, name].rarest)

    @claim(">", 0.8, "statistical", concludes=True, atol=0.1, cases=MEMORIES)
    def frequent(self, case: float) -> float:
        r"""plain, $\beta_2=@{case}$: of three own tokens the most frequent has most attention at
        step 1000; share of @{draws} draws, low end of the 95 % interval"""
        name = name_of(case, MEMORIES)
        return low_end(self.drawn[False, name].frequent)

    @finding("rarest-short", "rarest-long")
    def reversed_order(self) -> None:
        """In most random classes of the normalized layer a thousand steps of Adam turn the order of
        own tokens round: with a short memory the decoder uses all alike, and their attention
        becomes nearly equal; with a long one the rarest token has passed the others."""

    @finding("rests-20", "narrows")
    def spare_cost(self) -> None:
        """What twenty labels that answer nothing, instead of one, cost of the normalized gap is
        less at step 10,000 than at step 300 under steps of equal size, and more under descent."""

    without = group()

    @control("H1", ">", 0.1)
    def long_memory(self) -> float:
        r"""$\beta_2=0.999$, normalized, three spare: distance of the gap from the rest point at
        step 10,000"""
        run = self.run(3, LONG, True)
        return resting_gap(run.margin[-1], K, K + 3) - run.gap[-1]

    @control("H2", "<", 0.01)
    def stands(self) -> float:
        r"""$\epsilon=10^{-8}$, plain, $\beta_2=0.9$: the gap moves from step 3000 to 20,000 by"""
        return float(np.ptp(self.run(1, SHORT, False, (3000, 20_000), epsilon=1e-8).gap))

    @control("H3", ">", 0)
    def descent_widens(self) -> float:
        """gradient descent at rate 1, normalized: what nineteen more spare labels cost of the gap,
        at step 10,000 more than at step 300"""
        one, many = (self.run(n, SHORT, True, (300, 10_000), descent=True).gap for n in (1, 20))
        return float((one - many)[1] - (one - many)[0])
