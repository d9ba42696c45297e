"""Decoders trained on residual features: finite differences, full matrices, an integral."""

import numpy as np
import pytest
from scipy.integrate import quad

from lib.scan_snap import residual_training as residual
from lib.scan_snap.attention_flow import random_block_classes


def unit(v):
    return v / np.linalg.norm(v)


def objective(Y, z, context, m, label):
    """log p of the label, plainly: z (M,) is the query's row, the context's law (M,)."""
    f = unit(context * np.exp(z))
    f[m] += 1
    logits = Y.T @ unit(f)
    return logits[label] - np.log(np.exp(logits).sum())


def slopes(Y, z, context, m, label, step=1e-6):
    """Its gradient by z, by central differences: (M,)."""
    at = lambda move: objective(Y, z + move, context, m, label)
    return np.array([(at(step * e) - at(-step * e)) / (2 * step) for e in np.eye(len(z))])


@pytest.fixture
def trained():
    rng = np.random.default_rng(4)
    classes = random_block_classes(4, 2, 5, rng, groups=[0, 0, 1, 1])
    Z = 0.3 * rng.normal(size=(classes.vocab_size,) * 2)
    return residual.ResidualDecoder(classes, Z, 12, 0.5)


def test_steps_are_finite_differences_of_the_objective(trained):
    classes = trained.classes
    wanted, added = [], np.zeros_like(trained.Z)
    for n, m in enumerate(classes.query):
        wanted.append(slopes(trained.Y, trained.Z[m], classes.conditional[n], m, n))
        added[m] += wanted[-1]
    np.testing.assert_allclose(trained.steps(classes), wanted, atol=1e-8)
    np.testing.assert_allclose(trained.by_row(classes), added, atol=1e-8)
    np.testing.assert_allclose(trained.differentiated(classes), added, atol=1e-8)
    # Lemma 4 has twice that: half of a residual feature is the query, which no attention moves.
    np.testing.assert_allclose(trained.lemma_4 / 2, wanted, atol=1e-8)
    assert np.abs(wanted).max() > 1e-3


def test_features_have_the_overlaps_that_are_asked_for():
    F = residual.shared_token_features(0.2, 0.1, 3)
    wanted = np.eye(6) + 0.2 * np.kron(np.eye(3), [[0, 1], [1, 0]])
    wanted += 0.1 * np.kron(1 - np.eye(3), [[1, 0], [0, 0]])
    np.testing.assert_allclose(F @ F.T, wanted, atol=1e-14)
    assert residual.pair_queries(F).tolist() == [10, 10, 11, 11, 12, 12]
    assert not F[:, 10:].any() and (F[::2, 0] > 0).all() and not F[1::2, 0].any()


@pytest.mark.parametrize("sharing", [2, 3, 5])
def test_velocity_of_the_shared_token_is_the_full_inverse_s(sharing):
    """-sum_j (I + E)^-1_0j (f_0 . f_j - [j uses it]), E the overlaps of residual features."""
    within, across = 0.03, 0.01
    content = np.eye(2 * sharing) + within * np.kron(np.eye(sharing), [[0, 1], [1, 0]])
    content += across * np.kron(1 - np.eye(sharing), [[1, 0], [0, 0]])
    one_query = np.kron(np.eye(sharing), np.ones((2, 2)))
    weight = np.linalg.inv((content + one_query) / 2)[0]
    terms = weight * (np.tile([1, 0], sharing) - content[0])
    found = residual.shared_token_velocity(within, across, sharing)
    np.testing.assert_allclose(found, [terms.sum(), terms[:2].sum()], rtol=1e-10)


@pytest.mark.parametrize("modified", [True, False])
def test_velocity_after_training_is_that_of_a_whole_vocabulary(modified):
    """Y with a column for each of 30 tokens, step by step, and central differences."""
    M, rows = 30, residual.shared_token_features(0.1, 0.05, 2)
    queries = [7, 7, 8, 8]
    bars = np.array([unit(f + np.eye(9)[m]) for f, m in zip(rows, queries, strict=True)])
    duals, Y = np.linalg.pinv(bars).T, np.zeros((9, M))
    for _ in range(7):
        for n in range(4):
            p = np.exp(bars[n] @ Y)
            direction = duals[n] if modified else bars[n]
            Y += 0.3 * np.outer(direction, np.eye(M)[n] - p / p.sum())
    wanted = slopes(Y, np.zeros(9), rows[0], 7, 0)[0]
    parts, slope = residual.trained_token_velocity(rows, 7, M, modified, eta_y=0.3)
    assert slope == pytest.approx(wanted, abs=1e-8) and parts.sum() == pytest.approx(slope)
    p = np.exp(bars[0] @ Y)
    push = np.linalg.lstsq(bars.T, Y @ (np.eye(M)[0] - p / p.sum()), rcond=None)[0]
    pulled = [rows[j, 0] - rows[0, 0] * (rows[0] @ rows[j]) for j in range(4)]
    np.testing.assert_allclose(parts, push * np.array(pulled) * rows[0, 0] / 2, atol=1e-10)


def test_confusion_is_an_integral():
    """Its slope in a is k a e^(ka) + 2 e^(ka) - 1."""
    for k, learned in ((0.5, 3.0), (0.02, 10.0)):
        wanted = quad(lambda a, k=k: k * a * np.exp(k * a) + 2 * np.exp(k * a) - 1, 0, learned)[0]
        assert residual.confusion(k, learned) == pytest.approx(wanted, rel=1e-12)


def test_bad_input_is_named(trained):
    with pytest.raises(ValueError, match="within"):
        residual.shared_token_features(0.7, 0.4, 2)
    with pytest.raises(ValueError, match="sharing"):
        residual.shared_token_features(0.1, 0.1, 0)
    with pytest.raises(ValueError, match="rounds"):
        residual.ResidualDecoder(trained.classes, trained.Z, 0, 0.5)
