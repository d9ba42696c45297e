"""The stress test: what its rows measure.  The chapter: ``book/scan-snap/stress.ipynb``."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.stats import kendalltau, sem
from scipy.stats import t as student

from checks.scan_snap.joint_runs import ENDLESS, LADDER, RATIOS, JointRuns
from ledgerbook import Consequence, claim, finding, group, once
from lib.arrays import Array
from lib.measure import maximum, minimum, power_law
from lib.scan_snap.attention_flow import row_velocity
from lib.scan_snap.decoder import gamma, stages
from lib.scan_snap.engine.train import Trajectory, train
from lib.scan_snap.joint_ascent import coupled_push, joint_ascent, less_over_more
from lib.scan_snap.sequence_classes import SequenceClasses
from lib.scan_snap.survival import Survival, survival

EQUAL = 0  # the place of the first ratio of a survey
LENGTHS = 16, 32, 64, 128, 256, 1024
DECODER_RATES, ATTENTION_RATES = (0.1, 0.2, 0.5, 0.9), (0.05, 0.02, 0.01, 0.005)


def neighbors(logits: Sequence[float] | Array) -> float:
    """The smallest quotient of a logit over the next one's."""
    return np.min(np.divide(logits[:-1], logits[1:]))


def counted(run: Trajectory, classes: SequenceClasses, distinct: int, place: int) -> list[Any]:
    """``Survival`` at one ratio, one class of one seed after the other."""
    ends, paths, taus, won = [], [], [], []
    for seed in range(len(run.z)):
        for n in range(classes.num_classes):
            z = run.z[seed, place, :, run.layout.query_row[n]]
            mine = slice(1 + n * distinct, 1 + (n + 1) * distinct)
            law, end = classes.conditional[n, mine].tolist(), z[-1, mine].tolist()
            ends.append([z[-1, 0], *end])
            paths.append(z[:, mine][:, int(np.argmax(law))])  # of the dominant token
            taus.append(kendalltau(law, end)[0])
            won.append(int(np.argmax(end)) == int(np.argmax(law)))
    common, own = np.array(ends)[:, 0], np.array(ends)[:, 1:]
    between = [float(sem(own[:, j])) for j in range(distinct)]
    shares = [(own > 0).mean(), (common < 0).mean(), np.mean(taus), np.mean(won)]
    return [*shares, np.mean(paths, axis=0), own.mean(axis=0), between]


@dataclass
class Stress(JointRuns):
    """The theorems of the first half against ordinary training."""

    tag = "scan-snap.stress"
    consequences = (
        Consequence("E14", fails="rate-printed", holds="rate-coupled"),
        Consequence("E14", fails="effective-rate-printed", holds="beta-start"),
    )

    regime = group()

    @claim("==", 1.0, "sign", "(98)", as_printed=True)
    def rise(self) -> float:
        """Theorem 2(a): distinct tokens rise at every recorded time (share of increments)"""
        return float((np.diff(self.own[:, 1 : 1 + self.D], axis=0) > 0).mean())

    @claim("==", 1.0, "sign", "(100)", as_printed=True)
    def fall(self) -> float:
        """Theorem 2(b): the common token falls at every recorded time"""
        return float((np.diff(self.own[:, 0]) < 0).mean())

    @claim("==", 1.0, "sign", "(11)", as_printed=True)
    def order(self) -> float:
        r"""Theorem 3: the logits are ordered as $P(l|n)$ (Kendall's $\tau$)"""
        tokens = slice(1, 1 + self.D)
        return float(kendalltau(self.classes.conditional[0, tokens], self.own[-1, tokens])[0])

    @once
    def slow_end(self) -> int:
        """Three times the t0 of the slowest decoder."""
        return 3 * int(stages(self.M, DECODER_RATES[0], self.K)[1])

    @claim("in", [-1.05, -0.95], "rate", "Section 6, insight (a)", as_printed=True, rtol=0.05)
    def when(self) -> float:
        r"""Theorem 4, insight (a), $\eta_Z=0.005$ (ratios 20 to 200): the time of fastest growth
        goes as $\eta_Y^{-1}$ (exponent)"""
        rates, keep = np.array([0.1, 0.2, 0.5, 1.0]), np.arange(0, self.slow_end, 2)
        run = train(
            self.classes, rates, 0.005, steps=self.slow_end, keep=keep, dtype=self.dtype, **ENDLESS
        )
        paths = run.z[0, :, :, 0, self.D]
        return power_law(rates, [keep[np.gradient(path).argmax()] for path in paths]).exponent

    @claim(">", 1, "sign", "Section 6, insight (b)", as_printed=True, rtol=1e-4)
    def both_rates(self) -> float:
        """Theorem 4, insight (b): both rates doubled, growth at a fixed time over growth before,
        ratio 1000"""
        after = self.ascent(2 * self.eta_y, 2 * self.eta_y / 1000, self.late)
        return after / self.slow[-1, 1]

    @claim("in", [0.95, 1.05], "rate", "(10), (14)", as_printed=True, rtol=1e-4)
    def rate_printed(self) -> float:
        """Lemma 4, from which Theorem 4 starts: logit of the dominant token at $t_0$, trained over
        predicted, ratio 100"""
        place = self.at_t0, self.D
        return self.own[place] / self.ladder[100]["Lemma 4"][place]

    @claim("<=", 0.02, "rate", rtol=1e-4)
    def rate_coupled(self) -> float:
        r"""with the $\beta$ of the plain gradient: largest deviation of trained from predicted
        after $t_0$, ratio 1000"""
        after = slice(self.at_t0, None)
        return float(abs(self.slow[after] / self.predicted(1000)[after] - 1).max())

    @claim("in", [0.95, 1.05], "rate", "sentence after Theorem 1", as_printed=True)
    def effective_rate_printed(self) -> float:
        r"""Theorem 1 'still holds for (7) with a smaller effective rate': accumulated $\beta$ of
        (7) over Theorem 1's at the rate $(1-\rho)\eta_Y$, at $t_0$"""
        slowed = self.theorem_1((1 - self.rho) * self.eta_y)
        return self.push[: self.t0, 1].sum() / slowed[: self.t0].sum()

    @claim("<=", 1e-5, "limit")
    def beta_start(self) -> float:
        r"""under (7) the ratio $\beta/\iota$ of the coefficients of (9) starts as $1/(M-1)$ if
        $\eta_Y$ is small: $10^{-6}$, overlaps 0.1, 0.5, 0.9 (largest relative deviation)"""
        first = (coupled_push(2, self.M, self.K, level, 1e-6)[1] for level in (0.1, 0.5, 0.9))
        return maximum(abs(beta * (self.M - 1) / iota - 1) for iota, beta in first)

    @claim("<=", 1e-12, "identity")
    def push_of_gradient(self) -> float:
        r"""the $\iota$ and $\beta$ of (7), followed by three numbers for each class, against (9)
        read off a decoder trained step by step: four classes of overlap 0.4, $M=12$, 25 steps, and
        of these classes $\beta$ over $\iota$ after 25 steps (largest difference)"""
        gram = 0.4 + 0.6 * np.eye(4)
        F, Y, off = np.pad(np.linalg.cholesky(gram), ((0, 0), (0, 8))), np.zeros((12, 12)), 0.0
        for iota, beta in coupled_push(25, 12, 4, 0.4, 0.7):
            weights = np.exp(F @ Y)
            shortfall = np.eye(4, 12) - weights / weights.sum(axis=1, keepdims=True)
            coefficients = np.linalg.solve(gram, F @ Y @ shortfall[0])
            off = maximum(off, np.abs(coefficients - [iota, -beta, -beta, -beta]).max())
            Y += 0.7 / 4 * F.T @ shortfall
        run = joint_ascent(self.classes, self.eta_y, 1e-15, [25])
        iota, beta = coupled_push(26, self.M, self.K, self.rho, self.eta_y)[25]
        found = less_over_more(self.classes, run.Z[0], run.Y[0])[~np.eye(self.K, dtype=bool)]
        return maximum(off, np.abs(found / (beta / iota) - 1).max())

    @once
    def lasting(self) -> list[float]:
        """Pushes from t0 to 10 t0 over those before: overlaps 0.05, 0.2, 0.45, then gamma."""
        levels = (0.05, 0.2, 0.45)
        pushes = [coupled_push(self.late, self.M, self.K, x, self.eta_y)[:, 1] for x in levels]
        pushes.append(gamma(np.arange(self.late), self.M, self.eta_y, self.K))
        return [push[self.t0 :].sum() / push[: self.t0].sum() for push in pushes]

    @once
    def clock_lasts(self) -> float:
        """That of gamma."""
        return self.lasting[3]

    @claim(">", 1, "sign", rtol=1e-3)
    def outlasts(self) -> float | None:
        r"""the push of (7) from $t_0$ to $10\,t_0$ over that before grows with the overlap, 0.05 to
        0.45, and is more than the @{clock_lasts:.2f} of $\gamma$: at 0.05, over $\gamma$'s"""
        few, some, many, clock = self.lasting
        return few / clock if few < some < many else None

    @finding("outlasts", "rate-coupled")
    def still_growing(self) -> None:
        """Under the plain gradient rivals linger and the push outlasts $t_0$; how much growth
        follows depends on the overlap."""

    insight_c = group()

    @once
    def grown(self) -> Array:
        """The dominant logit under the plain gradient, (rates of attention, of the decoder)."""
        return np.array(
            [[self.ascent(y, z, self.slow_end) for y in DECODER_RATES] for z in ATTENTION_RATES]
        )

    @claim(">", 1, "sign", rtol=1e-3)
    def slower_modified(self) -> float:
        r"""insight (c) under (26), $\eta_Z=0.05$ (ratios 2 to 18): each slower decoder has the
        larger logit (smallest quotient of neighbours)"""
        end = self.slow_end
        return neighbors([self.ascent(y, 0.05, end, "modified") for y in DECODER_RATES])

    @claim(">", 1, "sign", "Section 6, insight (c)", as_printed=True, rtol=1e-3)
    def slower_slow_attention(self) -> float:
        """insight (c), plain gradient, slow attention (ratios 20 to 180): each slower decoder has
        the larger logit (smallest quotient of neighbours)"""
        return neighbors(self.grown[3])

    @claim("<", 1, "sign", rtol=1e-3)
    def slower_fast_attention(self) -> float:
        r"""insight (c), plain gradient, faster attention, 0.1 against 0.5 at $\eta_Z=0.05$ (ratios
        2 and 10): the order is reversed (quotient of the slower over the faster decoder)"""
        return self.grown[0, 0] / self.grown[0, 2]

    @finding("slower-slow-attention", "slower-fast-attention", "slower-modified")
    def ratio_of_insight_c(self) -> None:
        r"""With the plain gradient insight (c) holds where $\eta_Y/\eta_Z$ is above about ten for
        these classes; below, the order is reversed."""

    rungs = group()

    def off(self, name: str, reference: str, ratio: int) -> float:
        """Relative difference of the dominant logit at 10 t0."""
        ends = self.ladder[ratio]
        return abs(ends[name][-1, self.D] / ends[reference][-1, self.D] - 1)

    @claim("<=", lambda self: 3 / self.M, "limit", rtol=1e-3)
    def settled(self) -> float:
        r"""the settled decoder gives Lemma 4 at the ratios 1, 10, 100 and 1000 (largest relative
        difference at $10\,t_0$, against the $\frac3M$ that (89) leaves to $\delta_3$)"""
        return maximum(self.off("settled", "Lemma 4", ratio) for ratio in LADDER)

    @claim("in", [0.98, 1.03], "rate", rtol=1e-3)
    def gradient_saturates(self) -> float:
        r"""the plain gradient gains the same at the ratios 1 and 10 (at $10\,t_0$, ratio of the
        two), though the accumulated push $\Gamma$ is ten times larger"""
        equal, slow = (self.ladder[ratio]["gradient"][-1, self.D] for ratio in (1, 10))
        return equal / slow

    short_sequences = group()

    @once
    def short(self, rng: Generator) -> dict[int, Array]:
        """E[f o (m - f f.m)], m = E f, class 0, by length: (1 + D,) each, per unit of iota."""
        unpadded = self.make(M=self.K * self.D + 2)  # without the tokens that never occur
        found, zeros = {}, np.zeros(self.draws, dtype=int)
        for T in LENGTHS:
            counts = unpadded.sample_counts(self.draws, T, rng, zeros).counts[:, : 1 + self.D]
            f = counts / np.linalg.norm(counts, axis=1, keepdims=True)
            found[T] = row_velocity(f, np.broadcast_to(f.mean(axis=0), f.shape)).mean(axis=0)
        return found

    @once
    def by_length(self) -> dict[Any, Survival]:
        """``Survival`` by length."""
        return {T: self.survey(T=T, **self.sampled) for T in LENGTHS} | {"∞": self.survey()}

    @claim(
        "<",
        lambda self: -round(float(student.ppf(0.99, self.seeds * self.K - 1)), 2),
        "statistical",
        rtol=0.1,
    )
    def rise_128(self) -> float:
        """$T=128$, ratio 1: the second rarest distinct token falls, mean logit of the seeds and
        classes in standard errors (false alarm 1 %)"""
        found = self.by_length[128]
        return found.tokens[EQUAL, 1] / found.blur[EQUAL, 1]

    @claim(">", 0.0, "sign", rtol=0.1)
    def winner_any_length(self) -> float:
        """the dominant token's lead over the next, mean logits over seeds and classes, at every
        $T$, ratios 1 and 10 (least)"""
        ends = np.stack([found.tokens for found in self.by_length.values()])
        return (ends[..., -1] - ends[..., :-1].max(axis=-1)).min()

    @once
    def slow_128(self) -> Survival:
        """``Survival`` at T = 128 and the ratio 100."""
        return self.survey(T=128, ratios=[100.0], **self.sampled)

    @once
    def forecast_128(self) -> Array:
        """What both pushes give its distinct tokens."""
        iota, beta = self.push.sum(axis=0)
        theory = self.F0[0, 1 : 1 + self.D] ** 2 * self.rho * (self.K - 1) * beta
        return self.eta_y / 100 / self.K * (self.short[128][1:] * iota + theory)

    @claim("<=", 3, "statistical", rtol=0.1, atol=0.3)
    def both_pushes(self) -> float:
        r"""$T=128$, ratio 100: the theory's push and the short-sequence push together give the
        logits at $10\,t_0$ (length of the difference from training over the distinct tokens, in
        standard errors over seeds and classes)"""
        off = self.forecast_128 - self.slow_128.tokens[0]
        return float(np.linalg.norm(off) / np.linalg.norm(self.slow_128.blur[0]))

    @claim(">", 1, "sign", rtol=0.1)
    def stronger(self) -> float:
        r"""$T=128$ over $T=\infty$, ratio 1: logit of the dominant token at $10\,t_0$"""
        short, long = (self.by_length[T].dominant[EQUAL, -1] for T in (128, "∞"))
        return short / long

    other_training = group()

    @once
    def small_rates(self) -> dict[float, Array]:
        """Rows of the query at t0 with small steps of both, by ratio."""
        moment = [int(stages(self.M, 0.02, self.K)[1])]
        runs = {r: joint_ascent(self.classes, 0.02, 0.02 / r, moment).Z for r in (0.1, 0.01)}
        return {ratio: Z[0, self.query] for ratio, Z in runs.items()}

    @once
    def fast(self) -> Survival:
        """``Survival`` where attention is faster than the decoder, by large steps of it."""
        return self.survey(ratios=[0.01, 0.03, 0.1, 0.3])

    @once
    def momentum(self) -> Survival:
        """``Survival`` with momentum 0.9."""
        return self.survey(rate=self.eta_y / 10, momentum=0.9)

    @once
    def adam(self) -> Survival:
        """``Survival`` with Adam."""
        return self.survey(ratios=[1.0], rate=0.01, optimizer="adam")

    @once
    def single(self) -> Survival:
        """``Survival`` for batches of one endless sequence."""
        return self.survey(**self.sampled | dict(batch_size=1))

    @once
    def single_short(self) -> Survival:
        """``Survival`` for batches of one sequence of length 128."""
        return self.survey(T=128, **self.sampled | dict(batch_size=1))

    @once
    def equal_rows(self) -> Array:
        """What equal rows of Y would do to a class's tokens, the common one first."""
        return row_velocity(self.F0[0, : 1 + self.D], np.ones(1 + self.D))

    @claim("==", True, "sign")
    def fast_attention(self) -> bool:
        r"""$\eta_Y/\eta_Z=0.1$ and 0.01 with small steps: at $t_0$ the distinct tokens have risen,
        in order, and the common one has fallen"""
        return all(
            bool(row[0] < 0 < row[1] and (np.diff(row[1 : 1 + self.D]) > 0).all())
            for row in self.small_rates.values()
        )

    @claim("<", 0.5, "sign", rtol=0.1)
    def large_steps(self) -> float:
        r"""$\eta_Y/\eta_Z=0.01$ by a large $\eta_Z$ (50): share of distinct tokens that rise"""
        return self.fast.rise[0]

    @claim("<", -0.5, "sign", rtol=0.1)
    def adam_order(self) -> float:
        r"""Adam: order of the distinct tokens, $\tau$"""
        return self.adam.tau[0]

    @claim("==", True, "sign")
    def adam_why(self) -> bool:
        """equal rows of $Y$ push the dominant token down and the rarest up (both signs)"""
        return bool(self.equal_rows[self.D] < 0 < self.equal_rows[1])

    @claim("<", 1.0, "sign", rtol=0.2)
    def single_128(self) -> float:
        r"""batch size 1, $T=128$, ratio 1: $\tau$"""
        return self.single_short.tau[EQUAL]

    @claim("<=", 1e-12, "identity")
    def class_by_class(self) -> float:
        r"""what the table says of a run, and mean logits with their standard errors, from one class
        of one seed after the other: three seeds, batches of one sequence of length 16, 20 steps,
        ratios 1 and 10, largest difference"""
        options = dict(batch_size=1, T=16, steps=20, keep=[10, 20], seeds=range(3), dtype="float64")
        run = train(self.classes, self.eta_y, self.eta_y / np.array(RATIOS), **options)
        found, off = survival(run, self.classes, self.D), 0.0
        for place in range(len(RATIOS)):
            both = zip(found, counted(run, self.classes, self.D, place), strict=True)
            off = maximum(
                off, maximum(np.abs(mine[place] - by_hand).max() for mine, by_hand in both)
            )
        return off

    assumptions = group()

    @once
    def broken(self) -> dict[str, SequenceClasses]:
        """Classes that break Assumption 2 or stand outside it, but for the frequencies, by name."""
        return {
            "overlap 0.9": self.make(rho=0.9),
            "M = 20": self.make(M=20),
            "ten classes": self.make(K=10),
            "own queries": self.make(groups=list(range(self.K))),
        }

    @once
    def surveys(self) -> dict[str, Survival]:
        """``Survival`` of these classes, by name."""
        return {name: self.survey(model) for name, model in self.broken.items()}

    @once
    def unequal(self) -> SequenceClasses:
        """The classes, one of them drawn 80 % of the time."""
        return self.make(prior=np.r_[0.8, np.full(self.K - 1, 0.2 / (self.K - 1))])

    @once
    def frequent(self) -> Survival:
        """``Survival`` of these."""
        return self.survey(self.unequal)

    @claim("==", 1.0, "sign")
    def broken_signs(self) -> float:
        """four other kinds of classes, three of which break Assumption 2, equally frequent, ratios
        1 and 10: signs of Theorem 2 (smallest share)"""
        return minimum(np.min([found.rise, found.fall]) for found in self.surveys.values())

    @claim("==", 1.0, "sign", rtol=0.1)
    def broken_order(self) -> float:
        r"""four other kinds of classes, three of which break Assumption 2, equally frequent, ratios
        1 and 10: order of Theorem 3 (smallest $\tau$)"""
        return minimum(found.tau.min() for found in self.surveys.values())

    @claim("==", 0.5, "sign", rtol=0.1)
    def unequal_prior(self) -> float:
        """one class with frequency 0.8, ratio 1: half of the distinct tokens fall (share that
        rises)"""
        return self.frequent.rise[EQUAL]
