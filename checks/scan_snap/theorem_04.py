"""Theorem 4: what its rows measure.  The chapter: ``book/scan-snap/theorem_04.ipynb``."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import mpmath
import numpy as np
import sympy as sp
import z3
from scipy.integrate import quad, solve_ivp

from ledgerbook import (
    Checks,
    Consequence,
    Sharper,
    chapter,
    claim,
    control,
    erratum,
    finding,
    group,
    once,
    real,
    seed,
    step,
    textbook,
    whole,
)
from lib.arrays import Array
from lib.decide import follows
from lib.measure import maximum
from lib.scan_snap.attention_flow import (
    attention_velocity,
    block_classes,
    leading_beta,
    random_block_classes,
    xi,
)
from lib.scan_snap.decoder import gamma, h, h_star, speed, stages, time_at_height
from lib.scan_snap.overlaps import assumption_2
from lib.scan_snap.phase_transition import (
    attention_in_gamma,
    big_gamma,
    gain,
    gain_at,
    growth_bounds,
    printed_gain,
)
from lib.scan_snap.sequence_classes import normalized_attention
from lib.validation import require

t, K, M, eta_y, eta_z, C, G = sp.symbols("t K M eta_Y eta_Z C_0 Gamma", positive=True)
L, a, nu = sp.symbols("L a nu", positive=True)  # L = ln(M tau), a = 2 K (M-1)^2 / (M^2 nu)
GAIN = sp.log(1 + 4 * G / C) / 4
height = sp.Function("h")(t / K)
RATE = eta_y / (M - 1 + sp.exp(M * height))  # h'(t/K), (44)
SPEED = (M - 1) ** 2 * height / (M - 1 + sp.exp(M * height))  # (85)
CLOCK = eta_z / eta_y * K * (M - 1) ** 2 * height**2 / 2  # (128)
LOGIT = -sp.log(4 * G / C + 1) / 4  # (122)
PUSH = 1 / (C + 4 * G)  # (123) over gamma
LATE = [sp.log(1 + a * (L - lost) ** 2 / C) / 4 for lost in (0, sp.log(2))]  # both bounds of B_n

U, X, TAU, SIZE, LOG = z3.Reals("u X tau M ln_M")  # X for e^u
ON_45 = (SIZE > 1, U >= 0, X >= 1 + U, X + (SIZE - 1) * U == SIZE * TAU + 1)

q, S, D, floor = sp.symbols("q S D b", positive=True)
DQ_DB = -2 * (S * D + 1) * q * (1 - q) ** 2 / D
OVERLAP_PUSH = (K - 1) * q**2 / ((1 - q) * (1 + (K - 1) * q))  # xi, E' of equal overlaps q

MOMENTS = np.logspace(0, 4, 9)
AT_100 = 4  # the moment t = 100
HUGE = 10**12  # tokens
GAMMA = np.logspace(-6, 12, 19)


def late_limits() -> Iterator[Any]:
    """e^{4 B_n} over L^2 and what is left of it after its limit, at both bounds of B_n."""
    wanted = 0, -2 * sp.log(2) * a / C
    for bound, rest in zip(LATE, wanted, strict=True):
        over = sp.exp(4 * bound) / L**2
        yield sp.Limit(over, L, sp.oo), a / C
        yield sp.Limit(L * (over - a / C), L, sp.oo), rest


def late_slope(push):
    """d ln(dGamma/dB) / dB as the overlap q goes to 0, for a push xi over gamma."""
    return sp.Limit(-sp.diff(sp.log(push), q) * DQ_DB, q, 0)


class Point(NamedTuple):
    """Parameters of (118), (119) with the decoder of (44), in the order of ``gain_at``."""

    M: int
    K: int
    eta_y: float
    eta_z: float
    c0: float


# Overlaps e^(2z) / rho_0^2 = 0.025 at z = 0, so C_0 = rho_0^4 / K = 400: within Assumption 2.
INSIDE = Point(10**6, 4, 0.5, 0.05, 0.025**-2 / 4)
SLOW = Point(10**6, 10, 0.5, 0.05, 1000.0)  # overlaps 0.01, within Assumption 2


def attention_system(t, state, M, K, eta_y, eta_z, c0):
    """h, Gamma, z, B in time: (44), (125), (118), (119); nothing integrated by hand."""
    level, _, logit, _ = state
    error = 1 / (M - 1 + np.exp(M * level))
    push = eta_z * (M - 1) ** 2 * level * error
    pulled = push * np.exp(4 * logit) / c0
    return [eta_y * error / K, push, -pulled, pulled]


def in_time(moments, point):
    """Gamma and B at the moments, by solving the system in steps."""
    exact = dict(rtol=1e-12, atol=1e-14)
    run = solve_ivp(
        attention_system, (0, moments[-1]), np.zeros(4), "DOP853", moments, args=point, **exact
    )
    return run.y[1], run.y[3]


def first_integrand(s, point):
    """The integrand of (124) at time s, with Gamma at s."""
    clock = big_gamma(h(s / point.K, point.M, point.eta_y), point.M, point.K, ratio(point))
    return point.eta_z * gamma(s, point.M, point.eta_y, point.K) / (point.c0 + 4 * clock)


def ratio(point):
    """nu = eta_Y / eta_Z."""
    return point.eta_y / point.eta_z


def still_felt(log_time):
    """C_0 / (4 Gamma) of the slow attention at the t with ln(M eta_Y t / K) = ``log_time``."""
    level = h(np.exp(log_time) / (SLOW.M * SLOW.eta_y), SLOW.M, SLOW.eta_y)
    return float(SLOW.c0 / (4 * big_gamma(level, SLOW.M, SLOW.K, ratio(SLOW))))


def thin(count, weight, groups=None, own=(1.0,)):
    """Equal classes, a common token of the given weight beside distinct ones of weights ``own``;
    F at z = 0.
    """
    classes = block_classes(np.full((count, 1), weight), np.tile(own, (count, 1)), groups)
    return classes, normalized_attention(classes, np.zeros((classes.vocab_size,) * 2))


class AtZero(NamedTuple):
    """Lemma 4 at z = 0, both times rho_0^4, and S (1 - f_nl^2) for S classes on one query."""

    loss: float
    push: float
    counted: float

    @property
    def quotient(self) -> float:
        """-dz_ml over xi_n."""
        return self.loss / self.push


def rates_at_zero(count):
    """For equal classes with a common token of weight 0.02, f_nl = e^z / rho_0."""
    classes, F = thin(count, 0.02)
    beta, f = leading_beta(F), float(F[0, 0])
    loss = -float(attention_velocity(classes, F, beta)[classes.query[0], 0])
    return AtZero(loss / f**4, float(xi(F, beta)[0]) / f**4, count * (1 - f**2))


@dataclass
class OneCommon:
    """Classes that share one token: the query of each, the weights of its distinct tokens."""

    groups: list[int]
    own: list[float]
    tied: int = 1  # distinct tokens that stay alike to the end, D

    @property
    def sharing(self) -> int:
        """S, the classes on the first query."""
        return self.groups.count(0)

    @once
    def begin(self):
        """The classes and F at z = 0."""
        return thin(len(self.groups), 1.0, self.groups, self.own)

    @once
    def path(self):
        """Lemma 4 in the accumulated push Gamma, M infinite."""
        return attention_in_gamma(self.begin[0], GAMMA)

    def logits(self, token):
        """z of the first query and a token along the path."""
        return self.path.Z[:, self.begin[0].query[0], token]

    def slope(self, path=None, factor=4):
        """Last slope of B_n in ln Gamma over 1 / (factor (S + 1/D))."""
        B = (path or self.path).B[:, 0]
        return factor * (self.sharing + 1 / self.tied) * np.diff(B)[-1] / np.log(10)

    def lost_over_gained(self):
        """-dz_ml / dB_n over S, at the end."""
        return -np.diff(self.logits(0))[-1] / np.diff(self.path.B[:, 0])[-1] / self.sharing


class Growth(NamedTuple):
    """Five classes on one query up to t_0': chi, the printed lower bound, that with its constant
    corrected, both sides of (12).
    """

    chi: np.ndarray
    printed: np.ndarray
    corrected: np.ndarray
    low: np.ndarray
    high: np.ndarray


@dataclass
class Parameters(Checks):
    """What the theorem and its insights are asked at."""

    M: int = whole(1000, 100, 2000)
    K: int = whole(10, 3, 50)
    eta_y: float = real(0.5, 0.1, 1)
    eta_z: float = real(0.5, 0.1, 1)
    c0: float = real(4.0, 0.5, 10)
    seed: int = seed()

    def validate(self) -> None:
        """The accumulated push has to pass C_0 while the decoder learns."""
        allowed = "C_0 eta_Y / eta_Z <= 2 K, so that 4 Gamma is well above C_0 at t_0'"
        require(self.c0 * self.nu <= 2 * self.K, "c0", self.c0, allowed)

    @property
    def nu(self) -> float:
        """eta_Y / eta_Z."""
        return self.eta_y / self.eta_z

    @property
    def point(self) -> Point:
        """The parameters in the order of ``gain_at``."""
        return Point(self.M, self.K, self.eta_y, self.eta_z, self.c0)

    @property
    def ends(self) -> tuple[float, float]:
        """(t_0', t_0)."""
        return stages(self.M, self.eta_y, self.K)

    @once
    def runs(self) -> dict[Any, Any]:
        """h* round by round, for four rates of the decoder in steps."""
        return {
            rate: h_star(int(60 * np.log(self.M) / rate), self.M, rate)
            for rate in (0.1, 0.2, 0.4, 0.8)
        }

    def returned(self, rate):
        """The error that such a decoder returns, gamma of (85) with h*, round by round."""
        return (self.M - 1) ** 2 * self.runs[rate] * speed(self.runs[rate], self.M)

    def stepped_gain(self, rate: float, eta_z: float) -> Array:
        """B_n round by round, summed from the decoder's own steps."""
        return gain(self.K * eta_z * np.cumsum(self.returned(rate)), self.c0)


@dataclass
class Theorem04(Parameters):
    """Theorem 4: attention scans, then snaps."""

    tag = "scan-snap.theorem-04"
    hypotheses = {
        "H1": (
            "attention obeys the simplified equations (118) and (119), which come from (13) and so"
            r" from Theorem 1, for $t\gg K^2$ and under Assumption 2"
        ),
        "H2": "attention starts at zero, $z_{ml}(0)=0$",
        "H3": (
            r"the speed coefficient $\gamma$ is (85) with the continuous $h(t/K)$ in place of"
            r" $h(\lceil t/K\rceil)$"
        ),
    }
    parts = {
        r"$B_n$ in $\Gamma$": (
            "kernel-theorem-4",
            "kernel-equation-122",
            "kernel-equation-123",
            "kernel-equation-128",
        ),
        "(14), scanning": ("kernel-equation-129-corrected", "kernel-equation-130-corrected"),
        "(14), snapping": ("kernel-equation-129-corrected", "kernel-equation-131-corrected"),
        "(132) and (133)": ("loglog",),
        "from where they hold": ("kernel-equation-130-corrected", "kernel-equation-131-corrected"),
        r"scanning: the growth of $\chi$": ("scan-order",),
        r"snapping: the fall of $\gamma$": ("snap-bounds",),
        "beside it": (
            "thirteen-exact",
            "sharing-printed",
            "sharing",
            "coefficient-printed",
            "coefficient",
            "lost-and-gained-printed",
            "lost-and-gained",
            "gain-symbolic",
            "gain",
            "scan-bounds",
            "first-member",
            "range",
            "speed",
            "lower-bound",
        ),
    }
    trusts = (
        textbook("the exponential rises and lies above its tangent", "(132) and (133)"),
        chapter(
            "scan-snap.theorem-03", "(12)", r"scanning: the growth of $\chi$", "(132) and (133)"
        ),
        chapter(
            "scan-snap.lemma-09",
            r"$h$ and $\gamma$ in the second stage, which begins at $t_0$",
            "(14), snapping",
            "from where they hold",
            r"snapping: the fall of $\gamma$",
        ),
    )
    kernel_theorems = {
        "theorem_4": dict(concludes=True, equation="(124)"),
        "equation_122": dict(as_printed=True, equation="(120)–(122)"),
        "equation_123": dict(as_printed=True, equation="(123)"),
        "equation_128": dict(as_printed=True, equation="(125)–(128)"),
        "gain_is_loss": {},
        "equation_129_corrected": dict(concludes=True, equation="(129)"),
        "printed_offset": dict(equation="(124)"),
        "equation_124_refuted": dict(equation="(124)"),
        "equation_124_if_C0_is_1": {},
        "equation_129_refuted": dict(equation="(129)"),
        "equation_130_corrected": dict(concludes=True, equation="(130)"),
        "equation_131_corrected": dict(concludes=True, equation="(131)"),
        "equation_13_corrected": dict(equation="(13), second equality"),
        "equation_119_count_refuted": {},
        "equation_118_count_refuted": {},
    }
    consequences = (
        Consequence("E13", fails="speed-printed", holds="speed"),
        Consequence("E17", fails="coefficient-printed", holds="coefficient"),
        Consequence("E17", fails="lost-and-gained-printed", holds="lost-and-gained"),
        Consequence("E17", fails="lower-bound-printed", holds="lower-bound"),
    )
    sharper = (
        Sharper(
            "gain-late",
            "Theorem 4, snapping",
            r"$B_n=O(\ln\ln t)$",
            r"$B_n=\frac12\ln\ln\frac{M\eta_Yt}K+\frac14\ln\frac a{C_0}+o(1)$",
            r"an order becomes its constant, $\frac12$, and the term after it",
            upper="late-limit",
            lower="late-limit",
        ),
    )

    @step("symbolic", "(125)–(128)", as_printed=True, concludes=True)
    def big_gamma_symbolic(self):
        r"""(128): $\dot\Gamma=\eta_Z\gamma$ with the factors $K$, $(M-1)^2$, and $\Gamma=0$ at
        $h=0$"""
        derivative = sp.diff(CLOCK, t).doit().replace(sp.Subs, lambda *_: RATE)
        return (derivative, eta_z * SPEED), (CLOCK.subs(height, 0), 0)

    @step("symbolic", "(120)–(123)", as_printed=True, concludes=True)
    def common_logit(self) -> list[Any]:
        r"""(122) solves (118) with $z_{ml}(0)=0$, and (123) follows"""
        pulled = sp.exp(4 * LOGIT) / C
        return [(sp.Derivative(LOGIT, G), -pulled), (LOGIT.subs(G, 0), 0), (pulled, PUSH)]

    @step("symbolic", "(124), (129)", concludes=True)
    def gain_symbolic(self) -> list[Any]:
        r"""$B_n=\frac14\ln(1+4\Gamma/C_0)$: it has the slope (123) and starts at 0; the printed
        (124) is $\frac14\ln C_0$ above it at every $\Gamma\ge0$"""
        above = sp.log(C + 4 * G) / 4 - GAIN
        return [(sp.Derivative(GAIN, G), PUSH), (GAIN.subs(G, 0), 0), (above, sp.log(C) / 4)]

    @step("decided", "(130), its $h$", as_printed=True, concludes=True)
    def scan_bounds(self) -> bool:
        r"""(130): $u\le\tau$ always, and $u\ge\frac{\ln M}{1+\ln M}\tau$ up to $t_0'$: there
        $u\le\ln M$, and $e^u$ lies below its chord from 0 to $\ln M$"""
        chord = X * LOG <= LOG - U + U * SIZE
        tangents = X * (1 - U) <= 1, X * (1 + LOG - U) <= SIZE  # at u, at 0 and at ln M
        inside = LOG > 0, U >= 0, U <= LOG
        return (
            follows(U <= TAU, *ON_45)
            and follows(chord, *inside, *tangents)
            and follows(U * (1 + LOG) >= LOG * TAU, *ON_45, *inside, chord)
        )

    @step("decided", "(131), its $h$", as_printed=True, concludes=True)
    def snap_bounds(self) -> bool:
        r"""(131): $\frac12(M\tau+1)\le e^u\le M\tau+1$ wherever $e^u\ge(M-1)u$, that is from $t_0$
        on: $\ln(M\tau+1)-\ln2\le u\le\ln(M\tau+1)$"""
        total = SIZE * TAU + 1
        return follows(z3.And(total >= X, 2 * X >= total), *ON_45, X >= (SIZE - 1) * U)

    @step("symbolic", "(132), as limits")
    def late_limit(self) -> list[Any]:
        r"""$B_n-\frac12\ln\ln(M\tau)\to\frac14\ln\frac a{C_0}$, $a=2K(M-1)^2M^{-2}\nu^{-1}$:
        both bounds have this limit. The data's constant is never forgotten"""
        return list(late_limits())

    @step("symbolic", "(132), as limits, (133), as limits", as_printed=True, concludes=True)
    def loglog(self) -> list[Any]:
        r"""for fixed $\nu$, $C_0$: $B_n/\ln\ln(M\tau)\to\frac12$, $B_n$ over
        $\ln\ln(M\tau)-\ln\frac\nu K$ too, and $e^{2B_n}/\ln(M\tau)$ has a finite limit:
        $B_n=O(\ln\ln t)$, $\chi=O(\ln t)$"""
        shifted = sp.log(L) - sp.log(nu / K)
        halves = [
            (sp.Limit(bound / log, L, sp.oo), sp.Rational(1, 2))
            for bound in LATE
            for log in (sp.log(L), shifted)
        ]
        return [*halves, *late_limits(), (sp.exp(shifted), K * L / nu)]

    @step("symbolic", "Theorem 4, scanning", as_printed=True)
    def scan_order(self):
        r"""while (130) holds and $4\Gamma\gg C_0$, $B_n/\ln t\to\frac12$: (12) puts $\chi$ between
        $t^{f^2}$ and $t$, up to factors, so it is (sub-)linear"""
        return sp.Limit(LATE[0] / sp.log(L), L, sp.oo), sp.Rational(1, 2)

    closed_forms = group()

    @once
    def run(self):
        """Gamma and B of the system."""
        return in_time(MOMENTS, self.point)

    @once
    def weak(self):
        """The same within Assumption 2."""
        return in_time(MOMENTS, INSIDE)

    @claim("<=", 1e-9, "identity", "(128)", as_printed=True)
    def big_gamma(self):
        """(128) against the system, largest relative error from $t=1$ to $10^4$"""
        clock = big_gamma(h(MOMENTS / self.K, self.M, self.eta_y), self.M, self.K, self.nu)
        return np.max(abs(clock / self.run[0] - 1))

    @claim("<=", 1e-9, "identity", "(14), $B_n$, (124), (129)", as_printed=True)
    def gain_printed(self):
        r"""(124), (129): $\frac14\ln(C_0+4\Gamma)$ is the $B_n$ of the system within Assumption 2:
        $K=4$, $M=10^6$, overlaps 0.025, so $C_0=400$ (largest difference)"""
        clock, found = self.weak
        return np.max(abs(printed_gain(clock, INSIDE.c0) - found))

    @claim("<=", 1e-9, "identity", "(14), $B_n$, (124), (129)")
    def gain(self):
        r"""$\frac14\ln(1+4\Gamma/C_0)$ with (128) is the $B_n$ of the same system
        (largest difference)"""
        overlaps = 0.025 * (1 - np.eye(4))
        within = assumption_2(overlaps, INSIDE.M).satisfied
        return np.max(abs(gain_at(MOMENTS, *INSIDE) - self.weak[1])) if within else np.nan

    @erratum(
        "E16",
        "(124), (129), and with them (14), (130), (131)",
        r"$B_n=\frac14\ln(C_0+4\Gamma)$",
        fails="gain-printed",
        holds="gain-symbolic",
        reach="changes a constant",
    )
    def e16(self) -> dict[str, Any]:
        r"""$B_n=\frac14\ln(1+4\Gamma/C_0)$; the two agree only for $C_0=1$, and weak overlaps make
        $C_0>K(K-1)^2$ (Assumption 2). So the printed scanning bound exceeds 1 at $t=0$, where
        $\chi=1$, and (132)'s constant lacks $-\frac14\ln C_0$. The numbers are $B_n(100)$
        for $K=4$ classes with overlaps 0.025 at the start, $M=10^6$ (within Assumption 2), so that
        $C_0=400$, $\eta_Y=0.5$, $\eta_Z=0.05$; measured: (44), (118), (119) integrated in time"""
        clock, found = (path[AT_100] for path in self.weak)
        printed, corrected = printed_gain(clock, INSIDE.c0), gain(clock, INSIDE.c0)
        return dict(printed=printed, corrected=corrected, measured=found)

    @once
    def frozen_member(self):
        """The first integral of (124) with Gamma(t) under it, t = 100."""
        clock = self.weak[0][AT_100]
        return clock / (INSIDE.c0 + 4 * clock)

    @once
    def running_member(self):
        """The same with Gamma(t')."""
        return quad(first_integrand, 0, 100, (INSIDE,), epsabs=0, epsrel=1e-12)[0]

    @claim("<=", 1e-9, "identity", "(124)", as_printed=True)
    def first_member_printed(self):
        r"""(124), first member, with $\Gamma(t)$ under the integral over $t'$: its distance from
        $B_n$, $t=100$"""
        return abs(self.frozen_member - self.weak[1][AT_100])

    @claim("<=", 1e-9, "identity", "(124)")
    def first_member(self):
        r"""(124), first member, with $\Gamma(t')$ under the integral over $t'$: its distance from
        $B_n$, $t=100$"""
        return abs(self.running_member - self.weak[1][AT_100])

    @erratum(
        "E50",
        "(124), first integral",
        r"$B_n=\eta_Z\int_0^t\frac{\gamma(t')\,dt'}{C_0+4\Gamma(t)}$",
        fails="first-member-printed",
        holds="first-member",
        reach="harmless",
        misprint=True,
        proof=True,
    )
    def e50(self) -> dict[str, Any]:
        r"""$\Gamma(t')$ under the integral. The numbers are its value at $t=100$ and the point of
        E16; measured: as for E16"""
        found = self.weak[1][AT_100]
        return dict(printed=self.frozen_member, corrected=self.running_member, measured=found)

    late_range = group()

    @claim("<=", 0.01, "limit", "(132), the range, (133), the range", as_printed=True)
    def range_printed(self):
        r"""(132), (133): $C_0\ll4\Gamma$ for $t\gg(M\eta_Y)^{-1}e^{1/\sqrt{2\nu}}$: $C_0/(4\Gamma)$
        where $\ln(M\eta_Yt)$ is a hundred times $1/\sqrt{2\nu}$; $M=10^6$, $K=10$, $\eta_Y=0.5$,
        $\eta_Z=0.05$, $C_0=1000$"""
        return still_felt(100 / np.sqrt(2 * ratio(SLOW)) - np.log(SLOW.K))

    @once
    def reached(self):
        """ln(M eta_Y t / K) where 4 Gamma = C_0, by (131)."""
        return np.sqrt(SLOW.c0 * ratio(SLOW) / (2 * SLOW.K))

    @claim("in", [0.01, 0.010001], "limit", "(132), the range, (133), the range")
    def range(self):
        r"""$C_0/(4\Gamma)$ is a hundredth where $\ln\frac{M\eta_Yt}K$ is ten times
        $\sqrt{C_0\nu/(2K)}$; $M=10^6$, $K=10$, $\eta_Y=0.5$, $\eta_Z=0.05$, $C_0=1000$"""
        return still_felt(10 * self.reached)

    @erratum(
        "E51",
        "(132), (133), their range",
        r"$t\gg(M\eta_Y)^{-1}\exp(1/\sqrt{2\nu})$, $\nu=\eta_Y/\eta_Z$",
        fails="range-printed",
        holds="range",
        reach="harmless",
    )
    def e51(self) -> dict[str, Any]:
        r"""$t\ge t_0$ and $\ln\frac{M\eta_Yt}K\gg\sqrt{\frac{C_0\nu}{2K}}$: from $t_0$ on, where
        (131) holds, the second is $C_0\ll4\Gamma$, which lets the 1 of E16's $1+4\Gamma/C_0$ be
        left out. The printed exponential falls with $\nu$ and should rise, however far the bar of
        its root reaches; with the caption's $\nu$ (E26) and
        $K=C_0=1$ it is the one that follows from (131). As limits at fixed $\nu$ both equations
        stand. The numbers are the $t$ with $4\Gamma=C_0$ for $M=10^6$, $K=10$, $\eta_Y=0.5$,
        $\eta_Z=0.05$, $C_0=1000$, past $t_0$, by each exponential; measured: (128) with the $h$ of
        (45)"""
        scale = SLOW.M * SLOW.eta_y
        overtaken = time_at_height(self.reached / (SLOW.M - 1), SLOW.M, SLOW.eta_y)
        return dict(
            printed=np.exp(1 / np.sqrt(2 * ratio(SLOW))) / scale,
            corrected=SLOW.K * np.exp(self.reached) / scale,
            measured=SLOW.K * float(overtaken),
        )

    transition = group()

    @claim("<=", 1e-6, "limit", "(130)", atol=1e-7)
    def omega_at_end(self):
        r"""what $Mh$ lacks of $\ln M$ at $t_0'$, the omega constant, at $M=10^{12}$ (difference)"""
        missing = np.log(HUGE) - HUGE * h(stages(HUGE, 1.0)[0], HUGE, 1.0)
        return abs(missing - float(mpmath.lambertw(1)))

    def late_speed(self, log):
        """gamma(t_0) over K log / (eta_Y t_0), M = 10^12."""
        begin = stages(HUGE, 1.0)[1]
        return float(gamma(begin, HUGE, 1.0)) * begin / log(begin)

    @claim("<=", 2, "rate", "Theorem 4, snapping, γ", as_printed=True)
    def speed_printed(self):
        r"""snapping: $\gamma(t_0)$ over $K\ln(\eta_Yt/K)/(\eta_Yt)$ is at most 2 at $M=10^{12}$"""
        return self.late_speed(np.log)

    @claim("<=", 2, "rate")
    def speed(self):
        r"""snapping: $\gamma(t_0)$ over $K\ln(M\eta_Yt/K)/(\eta_Yt)$, as in Lemma 9, is at most 2
        at $M=10^{12}$"""
        return self.late_speed(lambda begin: np.log(HUGE * begin))

    def at_snap(self, c0, faster=1.0):
        """B_n(t_0) for M = 10^6, K = 4, nu = 10, both rates that many times 0.5 and 0.05."""
        begin = stages(INSIDE.M, faster * INSIDE.eta_y, INSIDE.K)[1]
        rates = faster * INSIDE.eta_y, faster * INSIDE.eta_z
        return float(gain_at(begin, INSIDE.M, INSIDE.K, *rates, c0))

    @claim("<=", 1e-9, "identity", "sentence after (131)")
    def snap_value(self):
        r"""after (131): for one $C_0$ $B_n(t_0)$ depends on $K$, $M$, $\nu$ only: the same for both
        rates and for eight times both (relative difference)"""
        return self.at_snap(400.0, 8.0) / self.at_snap(400.0) - 1

    @claim(">", 1, "inequality")
    def snap_value_of_data(self):
        r"""$B_n(t_0)$ is the data's by $C_0$: for overlaps 0.05 over that for 0.025 at the start,
        $C_0=100$ and 400"""
        return self.at_snap(100.0) / self.at_snap(400.0)

    @claim("==", 19, "exact")
    def window_closes(self) -> int:
        r"""Theorem 1(b), first regime, $K^2\ll t\le\frac{K\ln M}{\eta_Y}$: the number of classes
        from which on no $t\ge K^2$ is in it, at the least vocabulary that Assumption 2 lets,
        $M=36K^2$, and $\eta_Y=\frac12$"""
        classes = np.arange(1, 10_001)
        empty = classes >= np.log(36 * classes**2) / 0.5
        return int(classes[~empty].max()) + 1

    @finding("window-closes")
    def outside_theorem_1(self) -> None:
        r"""(13), and with it Theorem 4, takes its push from Theorem 1, whose first regime,
        $K^2\ll t\le\frac{K\ln M}{\eta_Y}$, needs $\ln M\gg K\eta_Y$. For many classes scanning
        is over before it may begin, and the scanning half of (14) describes no moment at which
        Theorem 1 holds."""

    thirteen = group()

    @claim("<=", 1e-10, "identity", "(13), first equality", as_printed=True)
    def thirteen_exact(self, rng):
        """the double sum of (13) is (97) with one common token (random unequal classes)"""
        classes = random_block_classes(self.K, 1, 2, rng)
        Z = np.zeros((classes.vocab_size,) * 2)
        m = classes.query[0]
        Z[m] = rng.normal(size=classes.vocab_size)
        F = normalized_attention(classes, Z)
        beta, f = leading_beta(F), F[:, 0]
        others = lambda n: sum(beta[n, j] * f[j] for j in range(self.K) if j != n)
        from_13 = sum(f[n] * (f[n] ** 2 - 1) * others(n) for n in range(self.K))
        return abs(from_13 / attention_velocity(classes, F, beta)[m, 0] - 1)

    @once
    def at_zero(self):
        """-dz_ml and xi_n of Lemma 4 for K classes that share a token of little weight."""
        return rates_at_zero(self.K)

    @claim("in", [0.9, 1.1], "limit", "(118), its count, (119), its count", as_printed=True)
    def sharing_printed(self):
        r"""(118), (119) have one right side, in rounds: $-\dot z_{ml}$ over $\eta_Z\xi_n$ at $z=0$,
        $K=@{K}$ classes on one query"""
        return self.at_zero.quotient

    @claim("<=", 1e-12, "identity", "(118), its count, (119), its count")
    def sharing(self):
        r"""(118) in rounds: $-\dot z_{ml}$ over $\eta_Z\xi_nS(1-f_{nl}^2)$ at $z=0$, $K=@{K}$
        classes on one query, less 1"""
        return abs(self.at_zero.quotient / self.at_zero.counted - 1)

    @claim("in", [0.98, 1.02], "limit", "(13), second equality, (118), its count", as_printed=True)
    def coefficient_printed(self):
        r"""(13), (118), in rounds: $-\dot z_{ml}$ over $K\rho_0^{-4}\eta_Z\gamma$ at $z=0$,
        $K=@{K}$ classes on one query, weak overlap"""
        return self.at_zero.loss / self.K

    @claim("in", [0.98, 1.02], "limit", "(13), second equality, (118), its count")
    def coefficient(self):
        r"""(13), (118), in rounds: $-\dot z_{ml}$ over the counted $S(K-1)\rho_0^{-4}\eta_Z\gamma$
        at $z=0$, $K=@{K}$ classes on one query, weak overlap"""
        return self.at_zero.loss / (self.K * (self.K - 1))

    @erratum(
        "E17",
        "(13), (118), (119) beside (98), (12)",
        r"$-\dot z_{ml}=C_0^{-1}\eta_Z\gamma e^{4z}=\eta_Z\xi_n$, $C_0^{-1}=K/\rho_0^4$, for $K$"
        " classes on one query",
        fails="sharing-printed",
        holds="sharing",
        reach="changes a constant",
    )
    def e17(self) -> dict[str, Any]:
        r"""one side has $S$ pushes and the other side one, $S=|\psi^{-1}(m)|$ classes on the query:
        (100) adds a push for each of them and (98) has its own class's, so that $-\dot
        z_{ml}=\sum_{n\in\psi^{-1}(m)}(1-f_{nl}^2)\dot B_n\approx S\dot B_n$. In rounds of $K$
        steps, where $\dot B_n=\eta_Z\xi_n$, (118) needs $S(K-1)$ for $K$.
        The numbers are $-\dot z_{ml}/(\eta_Z\xi_n)$ at $z=0$, in rounds, for
        $S=10$, common token of weight 0.02 beside 1, as $M\to\infty$; measured: Lemma 4, with the
        gradient of Theorem 1, for these classes"""
        ten = rates_at_zero(10)
        return dict(printed=1, corrected=ten.counted, measured=ten.quotient)

    length = group()

    @once
    def tied_cases(self) -> list[Any]:
        """Two on one query, two on their own, five on one query, two with five tied tokens."""
        alone = OneCommon([0, 0], [1.0]), OneCommon([0, 1], [1.0]), OneCommon([0] * 5, [1.0])
        return [*alone, OneCommon([0, 0], [1.0] * 5, tied=5)]

    @once
    def dominated(self) -> OneCommon:
        """Two on one query, each with five distinct tokens of which one is the most frequent."""
        return OneCommon([0, 0], [0.2, 0.4, 0.6, 0.8, 1.0])

    @once
    def floored(self) -> list[Any]:
        """The paths of the tied cases with beta's floor at the vocabulary M."""
        return [attention_in_gamma(case.begin[0], GAMMA, M=self.M) for case in self.tied_cases]

    @step("symbolic")
    def late_slope_symbolic(self):
        r"""$\ln\Gamma/B_n\to4(S+\frac1D)$, and $2(S+\frac1D)$ with the floor, all $S$, $D$, $K$
        (l'Hôpital)"""
        slope, floored = late_slope(OVERLAP_PUSH), late_slope((K - 1) * floor * q)
        return (slope, 4 * (S + 1 / D)), (floored, 2 * (S + 1 / D))

    @claim(
        "in",
        [0.95, 1.05],
        "limit",
        "(118), its count, (119), its count",
        as_printed=True,
        rtol=1e-4,
    )
    def lost_and_gained_printed(self):
        r"""(118), (119): $-\dot z_{ml}/\dot B_n=1$, five classes on one query, late"""
        five = self.tied_cases[2]
        return five.lost_over_gained() * five.sharing

    @claim("<=", 1e-4, "limit", atol=1e-7)
    def lost_and_gained(self):
        r"""$-\dot z_{ml}/\dot B_n=S$ late, five cases (largest relative deviation)"""
        late = [case.lost_over_gained() for case in (*self.tied_cases, self.dominated)]
        return np.max(np.abs(np.array(late) - 1))

    @claim("<=", 1e-4, "rate", atol=1e-7)
    def late_slope(self):
        r"""$B_n\simeq\ln\Gamma/(4(S+\frac1D))$: Lemma 4's slope at $\Gamma=10^{12}$ over it, four
        tied cases (largest deviation)"""
        return maximum(abs(case.slope() - 1) for case in self.tied_cases)

    @claim("in", [1, 3 / 2.2], "rate", rtol=1e-4)
    def dominant_slope(self):
        """with one dominant token of five, $S=2$: between the slopes $1/(4(S+\\frac1D))$ of $D=1$,
        reached only late, and of $D=5$; over the former"""
        return self.dominated.slope()

    @claim("<=", 1e-4, "rate", atol=1e-6)
    def floor_slope(self):
        r"""$B_n\simeq\ln\Gamma/(2(S+\frac1D))$ for $M=@{M}$, once the overlap is below $1/M$,
        outside Assumption 2 (largest deviation)"""
        both = zip(self.tied_cases, self.floored, strict=True)
        return maximum(abs(case.slope(path, 2) - 1) for case, path in both)

    bounds_of_growth = group()

    @once
    def scanning(self) -> Growth:
        """The growth of the distinct token of five classes on one query up to t_0'."""
        classes, F = thin(5, 1.0)
        clock = big_gamma(np.log(self.M) / self.M, self.M, 5, 1.0) * np.logspace(-6, 0, 61)
        path = attention_in_gamma(classes, clock)
        f_squared, c0 = float(F[0, 1] ** 2), float(F[0, 0] ** -4) / 5
        chi = np.exp(2 * path.Z[:, classes.query[0], 1])
        by_gain = [growth_bounds(B(clock, c0), f_squared)[0] for B in (printed_gain, gain)]
        return Growth(chi, *by_gain, *growth_bounds(path.B[:, 0], f_squared))

    @claim(">=", 1, "inequality", "Section 6, scanning", as_printed=True, rtol=1e-4)
    def lower_bound_printed(self):
        r"""$\chi$ over the printed lower bound of the scanning stage, $K=5$ on one query, at
        $t_0'$"""
        return self.scanning.chi[-1] / self.scanning.printed[-1]

    @claim(">=", 1 - 1e-9, "inequality", "(12)")
    def lower_bound(self):
        r"""$\chi$ over $e^{2f^2B_n}$ with the $B_n$ of Lemma 4, and $e^{2B_n}$ over $\chi$ (smaller
        one)"""
        chi, low, high = self.scanning.chi, self.scanning.low, self.scanning.high
        return np.min([chi / low, high / chi])

    controls = group()

    @once
    def formula(self) -> Array:
        """B_n of the theorem, constant corrected, for two classes: rho_0^4 = 4, K = 2."""
        return gain(GAMMA, 4.0 / 2)

    @control("H1", ">", 1.0, rtol=1e-4)
    def other_dynamics(self):
        r"""with Lemma 4 itself the closed form misses $B_n$ at $\Gamma=10^{12}$ by"""
        return abs(self.formula[-1] - self.tied_cases[0].path.B[-1, 0])

    @control("H2", ">", 0.1)
    def other_start(self):
        """a start at $z_{ml}(0)=0.5$ changes $B_n$ by up to"""
        clock, found = self.run
        return np.max(abs(gain(clock, self.c0 * np.exp(-4 * 0.5)) - found))

    @control("H3", "<=", 0.05)
    def rounded_clock(self):
        """nearly not needed: rounding $t/K$ up changes $B_n$ beyond $t_0'$ by at most"""
        rounds = np.arange(1, 400)
        at_once = np.cumsum(gamma(self.K * rounds, self.M, self.eta_y, self.K))
        smooth = gain_at(self.K * rounds, *self.point)
        missed = abs(gain(self.eta_z * self.K * at_once, self.c0) - smooth)
        return np.max(missed[int(self.ends[0] / self.K) :])

    @finding("sharing", "coefficient")
    def in_steps(self) -> None:
        r"""Counted in steps, with E1's weight, (118), (119) and (14) agree for $S=K$ with
        $B_n=\eta_Z\int\xi_n$, up to $K-1$ for the $K$ of $C_0$, and it is $B_n/K$ that belongs
        into (98) and (12)."""

    @finding("late-slope", "floor-slope")
    def not_constant(self) -> None:
        r"""The stated approximation of (13), $\rho_0$ constant, is not uniform in $t$: with Lemma 4
        itself, time in rounds, $B_n\simeq\frac{\ln\Gamma}{4(S+1/D)}$ for $S$ equal classes on the
        query with $D$ tied distinct tokens each ($D=1$ where one token dominates), not
        $\frac14\ln\Gamma$; half the 4 once the overlap is below $1/M$, outside Assumption 2. In
        steps it is $K$ times that."""
