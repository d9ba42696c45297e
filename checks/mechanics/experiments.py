"""The authors' experiments: what its rows measure.

The chapter: ``book/mechanics/experiments.ipynb``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from ledgerbook.ledger.checks import Checks, claim, finding, group, once
from ledgerbook.ledger.fields import real, seed, whole
from scipy import stats
from scipy.special import softmax

from lib.mechanics.attention_layer import Loss, attention, gradient, squared_softmax_loss
from lib.mechanics.compiled_descent import observe_trials
from lib.mechanics.descent import cosine, descended, initial_weights
from lib.mechanics.draws import GLOBAL_CORRELATIONS, authors_draw, authors_trials
from lib.mechanics.graph_svm import graph_svm
from lib.mechanics.problem import Problem
from lib.mechanics.samples import DataBatch, from_sequences, stack
from lib.mechanics.token_priority_graph import priority_graphs, project

LOSS, EPS = squared_softmax_loss(), float(np.finfo(float).eps)
HEAVIEST = 1 - 1e-12  # of the heaviest one's mass: that token alone
CENTRAL = [0.005, 0.995]


class Reported(NamedTuple):
    """A number that the authors give of ten trials: which quantity's, and which statistic."""

    number: float
    of: str
    statistic: Callable


REPORTED = {
    "global_mean": Reported(0.986, "cosine", np.mean),
    "global_least": Reported(0.976, "cosine", np.min),
    "global_largest": Reported(0.993, "cosine", np.max),
    "mass_start": Reported(0.40, "mass", np.mean),
    "local_to_global_mean": Reported(0.65, "to_global", np.mean),
    "local_to_global_least": Reported(0.26, "to_global", np.min),
    "local_to_global_largest": Reported(0.95, "to_global", np.max),
    "local_mean": Reported(0.002, "off_local", np.mean),
    "local_least": Reported(0.008, "off_local", np.max),
    "local_largest": Reported(0.0005, "off_local", np.min),
}


class Tens(NamedTuple):
    """A reported number among tens of our trials: the share of them below it, and their 99%.

    ours: the statistic of all our trials.
    """

    below: float
    low: float
    high: float
    ours: str


def subtracted(logits, data):
    """The squared loss's slope with plain subtractions throughout; independent of lib's."""
    overlap, mass = data.embeddings @ np.swapaxes(data.embeddings, -1, -2), softmax(logits, axis=-1)
    p = softmax(mass @ overlap, axis=-1)
    correct = (p * data.one_hot).sum(axis=-1, keepdims=True)
    by_mass = (2 * (1 - correct) * correct * (p - data.one_hot)) @ overlap
    return mass * (by_mass - (mass * by_mass).sum(axis=-1, keepdims=True))


def own_graphs(W, share, sets):
    """The graphs whose pseudo-labels keep mass at W itself, and their Graph-SVMs."""
    mass = attention(W, stack(sets))
    winners = mass > share * mass.max(axis=-1, keepdims=True)
    pairs = list(zip(sets, winners, strict=True))
    graphs = [priority_graphs(data, kept) for data, kept in pairs]
    svm = [graph_svm(data, found).W for data, found in zip(sets, graphs, strict=True)]
    return graphs, np.stack(svm)


def standard_errors(values):
    """The mean in standard errors."""
    return values.mean() / values.std(ddof=1) * np.sqrt(len(values))


@dataclass
class Experiments(Checks):
    """Both tables of cosines, replicated."""

    tag = "mechanics.experiments"
    standing = "established"

    # What the authors report belongs to their sizes: only how many trials, and what keeps mass,
    # is free.
    n: int = whole(6, 6, 6)
    T: int = whole(4, 4, 4)
    K: int = whole(6, 6, 6)
    d: int = whole(8, 8, 8)
    trials: int = whole(200, 120, 200)
    global_steps: int = whole(4000, 4000, 4000)
    global_rate: float = real(0.01, 0.01, 0.01)
    local_steps: int = whole(2000, 2000, 2000)
    local_rate: float = real(0.1, 0.1, 0.1)
    kept_mass: float = real(0.01, 0.005, 0.02)
    seed: int = seed()

    # -- the runs

    @once
    def sets(self, rng):
        """The authors' data sets."""
        return [authors_draw(rng, self.n, self.T, self.K, self.d) for _ in range(self.trials)]

    @once
    def problems(self):
        """What training on each comes down to."""
        return list(map(Problem, self.sets))

    @once
    def batch(self):
        """The data sets as one batch."""
        return stack(self.sets)

    @once
    def start(self, rng):
        """Where all runs start."""
        return initial_weights(self.trials, self.d, rng)

    @once
    def global_runs(self):
        """Last W of the log-loss, and what was seen at each step."""
        return observe_trials(self.problems, self.start, self.global_rate, self.global_steps)

    @once
    def seen(self):
        """{name: (steps + 1, trials)} of the log-loss."""
        return self.global_runs[1]

    @once
    def final(self):
        """{name: (trials,)} at its end."""
        return {name: values[-1] for name, values in self.seen.items()}

    def trained(self, loss, eps):
        """The local experiment's last W, with the loss and the eps in the normalizer given."""
        options = {"normalized": True, "eps": eps, "loss": loss}
        return descended(self.start, self.batch, self.local_rate, self.local_steps, **options)

    @once
    def local(self):
        """Last W of the squared loss."""
        return self.trained(LOSS, EPS)

    @once
    def local_bare(self):
        """The same without the eps."""
        return self.trained(LOSS, 0.0)

    def to_own_graph(self, W, share=None):
        """Cosine of W with the Graph-SVM of its own graphs."""
        return cosine(W, own_graphs(W, share or self.kept_mass, self.sets)[1])

    @once
    def norms(self):
        """Lengths of W_fin."""
        return np.array([np.linalg.norm(problem.fin.W) for problem in self.problems])

    @once
    def to_global(self):
        """Cosines of the squared loss's W with the global Graph-SVM."""
        return cosine(self.local, np.stack([problem.svm.W for problem in self.problems]))

    @once
    def to_local(self):
        """Cosines of the squared loss's W with the local Graph-SVM."""
        return self.to_own_graph(self.local)

    @once
    def bare(self):
        """The same without the eps."""
        return self.to_own_graph(self.local_bare)

    # -- what the authors report

    @once
    def tens(self):
        """{name: Tens} of all reported numbers; ten of our trials, 20,000 times."""
        values = {
            "cosine": self.final["cosine"],
            "mass": self.seen["mass"][0],
            "to_global": self.to_global,
            "off_local": 1 - self.to_local,
        }
        chosen, found = self.chosen, {}
        for name, (number, of, statistic) in REPORTED.items():
            each = statistic(values[of][chosen], axis=1)
            below = (np.mean(each < number) + np.mean(each <= number)) / 2
            low, high = (f"{edge:.3g}" for edge in np.quantile(each, CENTRAL))
            digits = ".3g" if number > 0.9 else ".2g"
            found[name] = Tens(below, low, high, format(statistic(values[of]), digits))
        return found

    @once
    def chosen(self, rng):
        """Which ten of our trials, (20000, 10)."""
        return rng.integers(self.trials, size=(20000, 10))

    reported = group()

    @claim("<=", 1e-12, "identity")
    def unit_embeddings(self):
        """the authors' embeddings have length one: largest distance of a length from 1 in our data
        sets"""
        return np.abs(np.linalg.norm(self.batch.embeddings, axis=-1) - 1).max()

    @claim("in", [-3.29, 3.29], "statistical", atol=1)
    def start_size(self):
        r"""their start has entries uniform in $\pm1/\sqrt d$: z-score of the mean square against
        $\frac1{3d}$ (false alarm 1 in 1000)"""
        squares = self.d * self.start**2  # of numbers uniform in +-1: mean 1/3, variance 4/45
        return (squares.mean() - 1 / 3) / np.sqrt(4 / 45 / squares.size)

    @claim("in", CENTRAL, "reproduction", as_printed=True, atol=0.05)
    def global_mean(self):
        """log-loss: mean cosine of $W$ and $W^{svm}$: reported 0.986, share of tens of our trials
        below it (99% of them: @{tens.global_mean.low} to @{tens.global_mean.high}; ours, all
        @{trials}: @{tens.global_mean.ours})"""
        return self.tens["global_mean"].below

    @claim("in", CENTRAL, "reproduction", as_printed=True, atol=0.05)
    def global_least(self):
        """log-loss: least cosine: reported 0.976, share of tens of our trials below it (99% of
        them: @{tens.global_least.low} to @{tens.global_least.high}; ours, all @{trials}:
        @{tens.global_least.ours})"""
        return self.tens["global_least"].below

    @claim("in", CENTRAL, "reproduction", as_printed=True, atol=0.05)
    def global_largest(self):
        """log-loss: largest cosine: reported 0.993, share of tens of our trials below it (99% of
        them: @{tens.global_largest.low} to @{tens.global_largest.high}; ours, all @{trials}:
        @{tens.global_largest.ours})"""
        return self.tens["global_largest"].below

    @claim("in", CENTRAL, "reproduction", as_printed=True, atol=0.05)
    def mass_start(self):
        """log-loss: mass on the labels' components at the start: reported 0.4, share of tens of our
        trials below it (99% of them: @{tens.mass_start.low} to @{tens.mass_start.high}; ours, all
        @{trials}: @{tens.mass_start.ours})"""
        return self.tens["mass_start"].below

    @claim("in", CENTRAL, "reproduction", as_printed=True, atol=0.05)
    def local_to_global_mean(self):
        """squared loss: mean cosine with the global $W^{svm}$: reported 0.65, share of tens of our
        trials below it (99% of them: @{tens.local_to_global_mean.low} to
        @{tens.local_to_global_mean.high}; ours, all @{trials}:
        @{tens.local_to_global_mean.ours})"""
        return self.tens["local_to_global_mean"].below

    @claim("in", CENTRAL, "reproduction", as_printed=True, atol=0.05)
    def local_to_global_least(self):
        """squared loss: least cosine with the global $W^{svm}$: reported 0.26, share of tens of our
        trials below it (99% of them: @{tens.local_to_global_least.low} to
        @{tens.local_to_global_least.high}; ours, all @{trials}:
        @{tens.local_to_global_least.ours})"""
        return self.tens["local_to_global_least"].below

    @claim("in", CENTRAL, "reproduction", as_printed=True, atol=0.05)
    def local_to_global_largest(self):
        """squared loss: largest cosine with the global $W^{svm}$: reported 0.95, share of tens of
        our trials below it (99% of them: @{tens.local_to_global_largest.low} to
        @{tens.local_to_global_largest.high}; ours, all @{trials}:
        @{tens.local_to_global_largest.ours})"""
        return self.tens["local_to_global_largest"].below

    @claim("in", CENTRAL, "reproduction", as_printed=True, atol=0.05)
    def local_mean(self):
        """squared loss: 1 minus the mean cosine with the local $W^{svm}$: reported 0.002, share of
        tens of our trials below it (99% of them: @{tens.local_mean.low} to @{tens.local_mean.high};
        ours, all @{trials}: @{tens.local_mean.ours})"""
        return self.tens["local_mean"].below

    @claim("in", CENTRAL, "reproduction", as_printed=True, atol=0.05)
    def local_least(self):
        """squared loss: 1 minus the least cosine with the local $W^{svm}$: reported 0.008, share of
        tens of our trials below it (99% of them: @{tens.local_least.low} to
        @{tens.local_least.high}; ours, all @{trials}: @{tens.local_least.ours})"""
        return self.tens["local_least"].below

    @claim("in", CENTRAL, "reproduction", as_printed=True, atol=0.05)
    def local_largest(self):
        """squared loss: 1 minus the largest cosine with the local $W^{svm}$: reported 0.0005, share
        of tens of our trials below it (99% of them: @{tens.local_largest.low} to
        @{tens.local_largest.high}; ours, all @{trials}: @{tens.local_largest.ours})"""
        return self.tens["local_largest"].below

    @claim("in", [0.95, 1.0], "reproduction", as_printed=True, rtol=1e-3)
    def mass_2500(self):
        """log-loss: mean mass on the labels' components at step 2500, reported about 1.0"""
        return self.seen["mass"][2500].mean()

    same_draws = group()

    @once
    def theirs(self):
        """The data sets and starts of the ten trials of the authors' notebook: (problems, W(0))."""
        sets, starts = zip(*authors_trials(1, len(GLOBAL_CORRELATIONS)), strict=True)
        return list(map(Problem, sets)), starts

    @once
    def their_cosines(self):
        """The last cosine of each, and by how much one more step could change it: (2, trials)."""
        seen = observe_trials(*self.theirs, self.global_rate, self.global_steps)[1]
        found, length = seen["cosine"][-1], seen["norm"][-1]
        return np.array([found, np.sqrt(1 - found**2) * self.global_rate / length])

    @once
    def off_theirs(self):
        """The largest difference from the cosines that are stored in the notebook."""
        return np.abs(self.their_cosines[0] - GLOBAL_CORRELATIONS).max()

    @claim("<=", 1, "reproduction", as_printed=True, rtol=0.5)
    def all_ten(self):
        r"""log-loss, the authors' own draws (seed 1): all ten cosines stored in their notebook are
        met, to @{off_theirs:.0e}; largest difference over what one step can change,
        $\frac{\eta\sin\theta}{\|W\|}$"""
        found, step = self.their_cosines
        return np.max(np.abs(found - GLOBAL_CORRELATIONS) / step)

    @once
    def pulling(self):
        """Of the ten, the numbers of those whose W_fin is not zero."""
        return [k for k, problem in enumerate(self.theirs[0]) if np.linalg.norm(problem.fin.W) > 0]

    @property
    def resting(self):
        """In how many it is zero."""
        return len(GLOBAL_CORRELATIONS) - len(self.pulling)

    @once
    def cyclic(self):
        """How many of the ten have a cyclic part."""
        return sum(bool(problem.split.inside.any()) for problem in self.theirs[0])

    @once
    def uneven(self):
        """Of the ten, those in which even odds do not fit the labels of some cyclic part."""
        found = []
        for k, problem in enumerate(self.theirs[0]):
            part = problem.cyclic_data
            off = part.one_hot - part.counts / part.counts.sum(axis=1, keepdims=True)
            pull = [np.abs(off[part.last == token].sum(axis=0)).max() for token in set(part.last)]
            if max(pull) > 1e-9:
                found.append(k)
        return found

    @claim("==", lambda self: len(self.uneven), "reproduction")
    def few_finite_parts(self):
        r"""@{cyclic} of these ten have a cyclic part; $W^{fin}\ne0$ in as many as have labels there
        that even odds do not fit, and in the same ones"""
        return len(self.pulling) if self.pulling == self.uneven else None

    @finding("few-finite-parts")
    def mostly_zero(self):
        r"""In @{resting} of the ten trials of the authors' notebook $W^{fin}=0$: where two samples
        contradict each other evenly, the cyclic part has nothing to say but that the start is
        forgotten. So their curve of $\|\Pi W-W^{fin}\|$ tests the value of $W^{fin}$ in the other
        trials alone."""

    hidden = group()

    @once
    def blur(self):
        """Distance of the authors' W_fin, by normalized descent, from ours, in step lengths."""
        inside = np.stack([problem.split.inside for problem in self.problems])
        full = self.batch
        cut = DataBatch(full.counts * inside, full.last, full.label, full.embeddings, full.weight)
        zero = np.zeros_like(self.start)
        theirs = descended(zero, cut, self.global_rate, self.global_steps, normalized=True)
        ours = np.stack([problem.fin.W for problem in self.problems])
        return np.linalg.norm(theirs - ours, axis=(1, 2)) / self.global_rate

    @once
    def lengths(self):
        """Lengths of the squared loss's W with and without the eps, (2, trials)."""
        return np.linalg.norm([self.local, self.local_bare], axis=(2, 3))

    @claim("<", 0.0005, "reproduction", rtol=0.2)
    def eps_decides(self):
        """exact gradient *without* the eps: upper end of the 99% range of the best of ten, 1 minus
        the cosine (reported: 0.0005)"""
        return np.quantile((1 - self.bare)[self.chosen].min(axis=1), CENTRAL[1])

    @once
    def free(self):
        """(which trials have local graphs without a cycle, lengths of the local Graph-SVMs)."""
        graphs, svm = own_graphs(self.local, self.kept_mass, self.sets)
        parts = ([m for g in each.values() for m in g.components] for each in graphs)
        acyclic = np.array([all(len(members) == 1 for members in each) for each in parts])
        return acyclic, np.linalg.norm(svm, axis=(1, 2))

    @once
    def acyclic(self):
        """How many they are."""
        return self.free[0].sum()

    @claim("in", [0.99, 1.01], "limit", rtol=1e-3)
    def eps_length(self):
        r"""local graphs without a cycle (@{acyclic} of @{trials} trials): the length of $W$ that
        the eps costs, over $s\,\varepsilon/G$ at the end, median"""
        acyclic, size = self.free
        steep = np.linalg.norm(gradient(self.local, self.batch, LOSS), axis=(1, 2))
        with_eps, without = self.lengths
        return np.median(((without - with_eps) * steep / EPS / size)[acyclic])

    def subtracting(self, eps):
        """Cosines with the local Graph-SVM where the gradient subtracts plainly."""
        return self.to_own_graph(self.trained(Loss(LOSS.value, subtracted), eps))

    @claim("<=", 5e-4, "limit", atol=5e-4)
    def rounding_stopped(self):
        """plain subtraction with the eps: mean cosine, distance from the exact gradient's (bound:
        half of the last digit that the authors report)"""
        return abs(self.subtracting(EPS).mean() - self.to_local.mean())

    @claim(">", 3.09, "statistical", rtol=0.5)
    def rounding_loose(self):
        """plain subtraction without the eps: mean cosine falls short of the exact gradient's, in
        standard errors of the difference (false alarm 1 in 1000)"""
        return standard_errors(self.bare - self.subtracting(0.0))

    @claim("in", [0.95, 1.05], "limit", rtol=1e-2)
    def bounce(self):
        r"""distance of $\Pi W$ to $W^{fin}$ at the end, over half the step length: median"""
        return np.median(self.final["distance"]) / (self.global_rate / 2)

    @claim(">", 1e-3, "limit", rtol=10)
    def chance(self, rng):
        """starts $10^{-13}$ apart, 40 trials: median distance in the end, in step lengths"""
        start = self.start[:40] + 1e-13 * rng.normal(size=self.start[:40].shape)
        nudged = observe_trials(self.problems[:40], start, self.global_rate, self.global_steps)[0]
        apart = np.linalg.norm(nudged - self.global_runs[0][:40], axis=(1, 2))
        return np.median(apart) / self.global_rate

    @finding("local-largest", "eps-decides", "eps-length")
    def the_last_digit(self):
        """The authors' best local cosine, 0.9995, is decided by the eps in the normalizer of their
        steps: it stops $W$ early, by as much as the gradient's fall along $W$ says."""

    against = group()

    @claim("in", [-3.29, 3.29], "statistical", atol=1)
    def foreign_graph(self):
        """mean cosine with the Graph-SVM of foreign samples, in standard errors (false alarm 1 in
        1000)"""
        pairs = zip(self.sets, self.sets[1:] + self.sets[:1], strict=True)
        others = (other.with_embeddings(data.embeddings) for data, other in pairs)
        svm = np.stack([Problem(other).svm.W for other in others])
        return standard_errors(cosine(self.global_runs[0], svm))

    @once
    def law(self):
        """What the cosine is about where each token ends one sample."""
        mean = stats.norm.expect(lambda g: self.T * g * stats.norm.cdf(g) ** (self.T - 1))
        return np.sqrt(self.T) / (self.T - 1) * mean

    @once
    def lone(self):
        """How many such draws."""
        return 5 * self.trials

    @claim("in", [-3.29, 3.29], "statistical", atol=1)
    def null_law(self, rng):
        r"""orthonormal tokens, one sample for each last token: the share of a random $W$ along the
        Graph-SVM of its own heaviest tokens, @{lone} draws: mean less $\frac{\sqrt
        T}{T-1}\mathbb E\max_{j\le T}g_j=@{law:.3f}$, in standard errors (false alarm 1 in
        1000)"""
        ends = np.arange(self.K)  # one sample for each last token
        others = lambda k: rng.choice(np.delete(ends, k), self.T - 1, replace=False)
        draw = lambda: from_sequences([[*others(k), k] for k in ends], ends, np.eye(self.K))
        W = rng.normal(size=(self.lone, self.K, self.K))
        svm = own_graphs(W, HEAVIEST, [draw() for _ in range(self.lone)])[1]
        along = (W * svm).sum(axis=(1, 2)) / np.linalg.norm(svm, axis=(1, 2))
        # over the root mean square length of W in the data span
        return standard_errors(along / np.sqrt(self.K * (self.T - 1)) - self.law)

    @once
    def null(self, rng):
        """Cosines of a random W, cut to the data span, with the Graph-SVM of its own heaviest."""
        random = 10 * rng.normal(size=self.start.shape)
        splits = (problem.split for problem in self.problems)
        cut = [
            project(split.finite_basis, W) + project(split.outer_basis, W)
            for split, W in zip(splits, random, strict=True)
        ]
        return self.to_own_graph(np.stack(cut), HEAVIEST)

    @once
    def null_middle(self):
        """Their median."""
        return np.median(self.null)

    @claim("<", 0.992, "reproduction", rtol=1e-2)
    def null_largest(self):
        """a random $W$ on the authors' data and the Graph-SVM of its own heaviest tokens: the
        largest cosine of @{trials} stays below the least of ten that the authors report, 0.992"""
        return self.null.max()

    @finding("null-law", "null-largest", "local-mean")
    def baseline(self):
        """A random $W$ has a typical cosine of @{null_middle:.2f} with the Graph-SVM of its own
        heaviest tokens (for orthonormal tokens that end one sample each, @{law:.2f} by a law): the
        local experiment's .998 has to be read against that."""
