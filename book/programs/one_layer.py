"""One attention layer, from its forward pass to the table of Part I, in plain numpy.

Each section is the program of one chapter and goes on from the sections above it.
"""

# --- setting: the layer
import numpy as np

counts = np.zeros((4, 9))  # before guitar, drums, goal, racket: play, then two words of each
for n in range(4):
    counts[n, [0, 2 * n + 1, 2 * n + 2]] = 4, 5, 3
query = np.array([0, 0, 1, 1])  # band asks for guitar and drums, team for goal and racket
answers = np.eye(4, 50)  # fifty words could come next, and the first four do


def layer(Y, Z, counts=counts):
    weights = counts * np.exp(Z[query])
    shares = weights / weights.sum(axis=1, keepdims=True)  # attention
    mixtures = shares / np.linalg.norm(shares, axis=1, keepdims=True)
    odds = np.exp(mixtures @ Y)  # scores, then a softmax
    return shares, mixtures, odds / odds.sum(axis=1, keepdims=True)


Y, Z = np.zeros((9, 50)), np.zeros((2, 9))  # word to next word; score of a word, by query
shares, mixtures, p = layer(Y, Z)
print("endless", shares[0, :3].round(3), mixtures[0, :3].round(3), p[0, 0].round(3))
for length in (100, 10_000):
    drawn = np.random.default_rng(0).multinomial(length, counts / 12)
    print(length, "words", layer(Y, Z, drawn)[0][0, :3].round(3))
Z[0, 0] = -1
print("play's score at -1", layer(Y, Z)[0][0, :3].round(3))


# --- lemma_01: the gradient, and training
def gradient(Y, Z):
    _, f, p = layer(Y, Z)
    error = (answers - p) / 4  # what came, less what was expected, on the mean of four classes
    g = error @ Y.T  # the message
    moves = f * (g - f * (f * g).sum(axis=1, keepdims=True))  # (4)
    return f.T @ error, moves.reshape(2, 2, 9).sum(axis=1)  # two classes for each query


def train(update, rate_z=1, moments=(0, 22, 44, 440, 4400)):
    Y, Z, kept = np.zeros((9, 50)), np.zeros((2, 9)), []
    for step in range(moments[-1] + 1):
        if step in moments:
            kept.append((step, Y, Z))
        to_Y, to_Z = update(Y, Z)
        Y, Z = Y + to_Y, Z + rate_z * to_Z
    return kept


ordinary = train(gradient)
for step, Y, Z in ordinary:
    print(f"{step:4d}", *(f"{share:.3f}" for share in layer(Y, Z)[0][0, :3]))
(_, Y, Z), nudge = ordinary[1], np.outer([1, 0], 1e-4 * np.eye(9)[0])  # of play's score with band
J = [np.log(layer(Y, Z + side * nudge)[2].diagonal()).mean() for side in (-1, 1)]
print(f"play, by a nudge {(J[1] - J[0]) / 2e-4:.6f}, by (4) {gradient(Y, Z)[1][0, 0]:.6f}")

# --- lemma_05: one next word, one number
Y, Z, h = np.zeros((9, 50)), np.zeros((2, 9)), 0.0
for visit in range(1, 1101):
    _, f, p = layer(Y, Z)
    Y += np.outer(f[0], answers[0] - p[0])  # guitar comes, and comes again
    h += 1 / (49 + np.exp(50 * h))  # (33)
    if visit in (1, 2, 5, 11, 110, 1100):
        scores = f[0] @ Y
        trained = f"guitar {scores[0]:6.4f}, another word {scores[1]:7.4f}"
        print(f"{visit:4d} {trained}   lemma {49 * h:6.4f} {-h:7.4f}   gap {50 * h:5.2f}")


# --- lemma_03: the modified update
def modified(Y, Z):
    _, f, p = layer(Y, Z)
    duals = np.linalg.solve(f @ f.T, f)  # each at a right angle to the other classes' mixtures
    return duals.T @ (answers - p) / 4, gradient(Y, Z)[1]


_, f, _ = layer(np.zeros((9, 50)), np.zeros((2, 9)))  # before training
duals = np.linalg.solve(f @ f.T, f)
for name, arrow in (("its own arrow", f[1]), ("its dual", duals[1])):
    print(f"drums moves along {name}, guitar notices {abs(f[0] @ arrow):.2f} of it")
for name, update in (("ordinary", gradient), ("modified", modified)):
    guitar, drums, *_, silent = f[0] @ train(update, rate_z=0)[-1][1]  # attention stays
    print(f"{name}, guitar {guitar:.4f}, drums {drums:.4f}, a silent word {silent:.4f}")
theory = train(modified)
for step, Y, Z in theory:
    print(f"{step:4d}", *(f"{share:.3f}" for share in layer(Y, Z)[0][0, :3]))

# --- theorem_01: the message
print("step   gamma   guitar    drums   over gamma")
for step, Y, Z in train(modified, rate_z=0)[1:]:
    _, f, p = layer(Y, Z)
    u = f[0] @ (Y[:, 0] - Y[:, 49])  # the gap of Lemma 5
    gamma = 49**2 * (u / 50) / (49 + np.exp(u))  # (85)
    g = Y @ (answers - p)[0]  # the message after an error on guitar
    more, less = np.linalg.lstsq(f.T, g, rcond=None)[0][:2]  # of which mixtures it is made
    ratios = f"{more / gamma:.3f} {less / gamma:.3f}"
    print(f"{step:4d} {gamma:7.4f} {more:8.4f} {less:8.4f}   {ratios}")

# --- lemma_04: what attention can do with the message
_, f, _ = layer(np.zeros((9, 50)), np.zeros((2, 9)))  # before training


def moves(message, scaled=True):  # of band's scores: how much of it a nudge of each one brings
    found = []
    for nudge in 1e-5 * np.eye(9)[:5]:
        sides = [layer(Y, np.stack([side * nudge, 0 * nudge])) for side in (1, -1)]
        up, down = ((mixtures if scaled else shares)[0] for shares, mixtures, _ in sides)
        found.append(message @ (up - down) / 2e-5)
    return np.array(found)


print(f"{'':26} play   strum   chord    beat   stick")
for name, found in (
    ("more of guitar", moves(f[0])),
    ("less of drums", moves(-f[1])),
    ("less of drums, formula", (f[0] * ((f[0] @ f[1]) * f[0] - f[1]))[:5]),
    ("less of all rivals", moves(-f[1:].sum(axis=0))),
    ("more of guitar, unscaled", moves(f[0], scaled=False)),
):
    print(f"{name:24}", *(f"{move:7.4f}" for move in found.round(4) + 0))

# --- theorem_02: who rises and who falls
xi = 3 * -less / gamma * (f[0] @ f[1])  # over gamma: three rivals, with Theorem 1's weight of each
formula = [-2 * (1 - f[0, 0] ** 2) * xi, f[0, 1] ** 2 * xi, f[0, 2] ** 2 * xi]  # (100), (98)
found = 4 * gradient(Y, Z)[1][0, :3] / gamma  # a step for each class, over gamma
print("play, strum, chord: theorem", *(f"{move:+.3f}" for move in formula))
print("                   gradient", *(f"{move:+.3f}" for move in found))
print("overlap  turning     play    loud   strum   chord    beat   stick")
for guitar, drums in ((0, 0), (2.5, 0.25), (2.5, 1), (2.5, 2.5)):  # how often loud occurs before
    a, b = np.array([4, guitar, 5, 3, 0, 0]), np.array([4, drums, 0, 0, 5, 3])
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    s = a @ b  # the overlap
    turning = 2 * a[1] * b[1] / (a[1] ** 2 + b[1] ** 2 + 1e-300)
    change = a * (s * a - b) + b * (s * b - a)  # a step for guitar and one for drums
    print(f"{s:7.3f} {turning:8.3f}  ", *(f"{move:+7.3f}" for move in change))


# --- theorem_03: how far the frequent word gets ahead
z, dB = np.zeros(3), 5e-5  # band's scores of play, strum, chord; a small part of the gain B
print("  B     1/w^2: strum   chord   difference      r   r(0) chi   chord's chi")
for part in range(40001):
    w = counts[0, :3] / 12 * np.exp(z)
    f2 = w**2 / (w @ w)  # squared entries of the mixture
    u, chi = 1 / w[1:] ** 2, np.exp(2 * z[1:])
    if part in (0, 1000, 10000, 40000):
        r = u[1] / u[0] - 1  # how far strum is ahead
        gap = f"{u[0]:12.3f} {u[1]:9.3f} {u[1] - u[0]:9.3f}"
        print(f"{part * dB:.2f} {gap} {r:10.2f} {(16 / 5.76 - 1) * chi[0]:9.2f} {chi[1]:9.3f}")
    z += dB * np.array([-2 * (1 - f2[0]), f2[1], f2[2]])  # Theorem 2: (100), (98)
for step, _, Z in theory:
    u = 1 / (counts[0, 1:3] / 12 * np.exp(Z[0, 1:3])) ** 2
    print(f"theory, step {step:4d} {u[0]:9.3f} {u[1]:9.3f} {u[1] - u[0]:9.3f}")

# --- theorem_04: the clock, and what play loses
u = np.linspace(0, 25, 100_001)  # the decoder's gap M h
t = 4 * (np.exp(u) + 49 * u - 1) / 50  # (45): the step at which it is reached
gamma = 49**2 * (u / 50) / (49 + np.exp(u))  # (85)
pushes = np.diff(t) * (gamma[1:] + gamma[:-1]) / 2
Gamma, z = np.append(0, np.cumsum(pushes)), np.zeros_like(u)
C0 = 1 / (4 * (4 / np.sqrt(50)) ** 4)  # one over K f^4, f the entry of play before training
for i, push in enumerate(pushes):
    z[i + 1] = z[i] - push * np.exp(4 * z[i]) / C0  # (118)
print(f"t0 {t[np.exp(u) < 49 * u][-1]:.2f}, by the estimate {2 * 4 * np.log(50):.2f}")
print("step    gamma   in the run   Gamma      -z   solved   in the run")
for step, Y, Z in theory[1:]:
    _, f, p = layer(Y, Z)
    sent = f[0] @ Y @ (answers - p)[0]
    now, Push, lost = (np.interp(step, t, curve) for curve in (gamma, Gamma, -z))
    solved = np.log(1 + 4 * Push / C0) / 4
    ends = f"{lost:7.3f} {solved:8.3f} {-Z[0, 0]:12.3f}"
    print(f"{step:4d} {now:8.4f} {sent:12.4f} {Push:7.1f} {ends}")


# --- stress: the two trainings side by side
def words(Y, Z):
    return " ".join(f"{100 * share:2.0f}" for share in layer(Y, Z)[0][0, :3])


def less(Y, Z):  # weight of 'less of drums' over that of 'more of guitar', for an error on guitar
    _, f, p = layer(Y, Z)
    weights = np.linalg.lstsq(f.T, Y @ (answers - p)[0], rcond=None)[0]
    return -weights[1] / weights[0] if weights[0] else 0


moments = 0, 1, 22, 44, 440, 4400
runs = zip(train(gradient, moments=moments), train(modified, moments=moments))
print("step   ordinary   less   strum's score   modified   less   strum's score")
for (step, *now), (_, *then) in runs:
    cells = (f"{words(*run)}  {less(*run):.4f}   {run[1][0, 1]:.4f}" for run in (now, then))
    print(f"{step:4d}", *cells, sep="   ")
