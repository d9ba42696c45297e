"""Attention with a given decoder, from its definition to the automaton, in plain numpy.

Each section is the program of one chapter and goes on from the sections above it.
"""

# --- setting: the layer
import numpy as np

samples = [([0, 1, 2, 4], 0), ([1, 0, 4], 1), ([2, 3, 4], 2), ([2, 0, 1, 4], 1), ([3, 4], 3)]


def attend(context, scores):
    weights = np.bincount(context, minlength=5) * np.exp(scores)
    return weights / weights.sum()


rng = np.random.default_rng(0)
E, W = rng.normal(size=(5, 6)), rng.normal(size=(6, 6)) / 5  # five tokens in six dimensions
C = np.linalg.pinv(E).T  # the head, C E^T = I
X = E[[1, 1, 0, 4]]  # the context, position by position
weights = np.exp(X @ W @ X[-1])
output = X.T @ (weights / weights.sum())  # a mean of the embeddings
print("the head's answers ", (C @ output).round(3) + 0.0)
print("shares by counting ", attend([1, 1, 0, 4], E @ W @ E[4]).round(3))
print("a step for 2014 → 1", np.eye(5)[1] - attend([2, 0, 1, 4], np.zeros(5)))


# --- token_priority_graph: arrows and teams
def teams(samples):
    arrows = np.eye(5, dtype=int)  # from a winner to a loser; from each token to itself
    for context, label in samples:
        arrows[label, context] = 1
    reach = np.linalg.matrix_power(arrows, 4) > 0  # along up to four arrows
    found = {tuple(np.flatnonzero(row).tolist()) for row in reach & reach.T}
    return sorted(found, key=lambda team: -reach[team[0]].sum())


for data in (samples, [*samples, ([0, 2, 4], 2)]):
    print("teams:", *teams(data))
    print("differences to compromise on:", sum(len(team) - 1 for team in teams(data)))


# --- w_fin: inside a team
def train(samples, steps):  # plain gradient descent from zero, steps of size 1
    scores, wins = np.zeros(5), np.zeros(5)
    for _, label in samples:
        wins[label] += 1
    for step in range(max(steps) + 1):
        if step in steps:
            yield step, scores
        shares = sum(attend(context, scores) for context, _ in samples)
        scores = scores + (wins - shares) / len(samples)


two = [([0, 1], 0), ([0, 1], 1), ([0, 1], 1)]  # the five samples, cut down to the team of 0 and 1
three = [([0, 1, 2], 0), ([0, 1], 1), ([0, 1, 2], 1), ([0, 2], 2)]  # the six, to 0, 1 and 2
for name, data in (("two", two), ("three", three), ("no circle", three[:-1])):
    for step, scores in train(data, (1000, 10_000)):
        above = (scores - scores[0])[: max(data[0][0]) + 1].round(3)
        print(f"{name}, step {step}: scores above that of 0", above)
    wins = np.bincount([label for _, label in data], minlength=3)
    added = sum(attend(context, scores)[:3] for context, _ in data)
    print("  attention, added up", added.round(3), " wins", wins)

# --- global_convergence: between teams
w = np.array([1.2, 1.2, 0.2, -0.8, -1.8])  # the Graph-SVM
infimum = (np.log(3) + 2 * np.log(3 / 2)) / 5  # of the loss: 0 and 1 in the odds 1 to 2
for t, s in train(samples, (100, 1000, 10_000)):
    loss = -np.mean([np.log(attend(context, s)[label]) for context, label in samples])
    angle = np.degrees(np.arccos(s @ w / np.linalg.norm(s) / np.linalg.norm(w)))
    print(f"t = {t}: angle {angle:.2f} degrees, t times the loss left {t * (loss - infimum):.2f}")
    gaps, pencil = s[[1, 1, 2, 3]] - s[[0, 2, 3, 4]], np.log([2, t / 9, t / 13, t / 9])
    print("     gaps", *(f"{gap:.3f}" for gap in gaps))
    print("   pencil", *(f"{gap:.3f}" for gap in pencil))

# --- automaton: the layer thrown away
ranked = []  # teams from the top, with the strength of each member
for team in teams(samples):
    inside = [([j for j in context if j in team], y) for context, y in samples if y in team]
    _, scores = next(train(inside, (1000,))) if inside else (0, np.zeros(5))
    ranked.append({token: np.exp(scores[token]) for token in team})


def automaton(context):
    team = next(team for team in ranked if team.keys() & set(context))
    odds = np.array([team.get(token, 0) * context.count(token) for token in range(5)])
    return odds / odds.sum()


_, scores = next(train(samples, (20_000,)))
for context in ([0, 3, 4], [2, 4], [1, 1, 0, 4], [1, 1, 2, 3, 4]):
    shares = attend(context, scores).round(2)
    print(context, "automaton", automaton(context).round(2), "layer", shares)
