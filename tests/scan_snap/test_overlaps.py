"""Facts about overlapping classes: the dual basis, the sign of E', the expansion (9),
constructions.
"""

import networkx as nx
import numpy as np
import pytest

from lib.scan_snap.decoder import h_star, speed, zeta
from lib.scan_snap.equal_overlaps import equal_overlap_gram
from lib.scan_snap.overlaps import (
    assumption_2,
    backprop_coefficients,
    dual_vectors,
    e_prime,
    feature_ascent,
    feature_coefficients,
    gram,
    graph_gram,
    in_pairs,
    overlap,
    random_overlap,
    random_supports,
    shortfall,
    softmax_shortfall,
    spectrum,
    vectors_with_gram,
    xi_over_gamma,
    zeta_products,
)


@pytest.fixture
def F():
    return vectors_with_gram(graph_gram(nx.path_graph(4), 0.3), 40)


def test_dual_vectors_are_the_pseudo_inverse(F):
    np.testing.assert_allclose(dual_vectors(F), np.linalg.pinv(F).T, atol=1e-12)
    np.testing.assert_allclose(dual_vectors(F) @ F.T, np.eye(4), atol=1e-12)


def test_equal_vectors_have_no_inverse():
    with pytest.raises(ValueError, match="singular"):
        e_prime(np.ones((2, 2)) - np.eye(2))


def test_margins_look_at_the_extreme_eigenvalues_only():
    in_a_row = assumption_2(graph_gram(nx.path_graph(4), 0.1) - np.eye(4), 10_000)
    golden = (1 + np.sqrt(5)) / 2
    assert in_a_row.upper == pytest.approx(
        1 / (4 * 0.1 * golden)
    ) and in_a_row.lower == pytest.approx(0.1 / golden * 100 / 6)
    tailed = 0.1 * nx.to_numpy_array(nx.lollipop_graph(3, 1))
    assert assumption_2(tailed, 3600).lower == pytest.approx(
        10 * np.abs(np.linalg.eigvals(tailed)).min()
    )
    alone = assumption_2(np.zeros((3, 3)), 10_000)
    assert alone.upper == np.inf and alone.lower == 0 and not alone.satisfied


def test_smallest_vocabulary_of_the_construction_is_pairs_plus_classes():
    target = equal_overlap_gram(3, 0.2)
    np.testing.assert_allclose(gram(vectors_with_gram(target, 6)), target, atol=1e-14)
    with pytest.raises(ValueError, match="^M = 5, allowed: at least 6$"):
        vectors_with_gram(target, 5)


def test_rows_must_be_unit_vectors():
    with pytest.raises(ValueError, match="length 1"):
        gram(2 * np.eye(3))


def test_construction_reproduces_its_gram_with_non_negative_vectors():
    target = graph_gram(nx.cycle_graph(5), 0.45)
    F = vectors_with_gram(target, 30)
    assert (F >= 0).all()
    np.testing.assert_allclose(gram(F), target, atol=1e-14)
    with pytest.raises(ValueError, match="row sums"):
        vectors_with_gram(graph_gram(nx.complete_graph(4), 0.4), 30)


def test_an_overlap_that_is_no_number_has_no_spectrum():
    assert np.isnan(spectrum(np.array([[0, np.inf], [np.inf, 0]]))).tolist() == [True, True]


def test_backpropagated_gradient_is_the_expansion(F):
    K, M, eta_y, labels = 4, 40, 0.7, np.random.default_rng(0).integers(4, size=120)
    Y, counts, state = (
        feature_ascent(labels, F, eta_y),
        np.bincount(labels, minlength=K),
        h_star(120, M, eta_y),
    )
    common = state[30]
    theta = state[counts] / common - 1
    rows = (M - 1) * common * (1 + theta)[:, None] * np.array([zeta(n, M) for n in range(K)])
    np.testing.assert_allclose(Y, dual_vectors(F).T @ rows, atol=1e-13)
    for n in range(K):
        iota, beta = backprop_coefficients(n, e_prime(overlap(F)), M, theta)
        gamma = (M - 1) ** 2 * common * speed(state[counts[n]], M)  # times 1 + sigma
        np.testing.assert_allclose(
            Y @ shortfall(Y, F, n), gamma * (iota * F[n] - beta @ F), atol=1e-13
        )


def test_xi_closed_form():
    E, M = graph_gram(nx.path_graph(5), 0.2) - np.eye(5), 70
    inverse = e_prime(E)
    np.testing.assert_allclose(
        xi_over_gamma(E, M),
        M / (M - 1) ** 2 * (inverse.sum(axis=1) - M * np.diag(inverse)),
        rtol=1e-12,
    )


def test_random_supports_are_uniform_on_their_tokens():
    F = random_supports(3, 50, 40, np.random.default_rng(1))
    assert ((F > 0).sum(axis=1) == 40).all()
    np.testing.assert_allclose(gram(F).diagonal(), 1)


@pytest.mark.parametrize("original", [False, True])
def test_coordinates_of_the_gradient_for_either_update(F, original):
    Y = feature_ascent([0, 1, 3, 1], F, 0.8, directions=F if original else None)
    for n in range(4):
        coordinates = feature_coefficients(F @ Y, overlap(F), n)
        np.testing.assert_allclose(F.T @ coordinates, Y @ shortfall(Y, F, n), atol=1e-13)


def test_random_overlap_has_the_stated_top_and_no_lonely_class():
    E = random_overlap(7, 0.1, np.random.default_rng(2))
    assert (
        abs(spectrum(E)[0]) == pytest.approx(0.1)
        and (E.sum(axis=1) > 0).all()
        and (E == E.T).all()
        and (E >= 0).all()
    )


def test_coefficients_without_sampling_noise_need_no_theta():
    E_prime = e_prime(equal_overlap_gram(2, 0.4) - np.eye(2))
    plain, spelled = (
        backprop_coefficients(0, E_prime, 50),
        backprop_coefficients(0, E_prime, 50, np.zeros(2)),
    )
    assert plain.iota == spelled.iota and plain.beta[1] == spelled.beta[1] and plain.beta[0] == 0
    assert backprop_coefficients(0, E_prime, 10**9).iota == pytest.approx(1 / (1 - 0.4**2))


def test_residual_sums_to_zero_even_for_huge_logits():
    shortfall = softmax_shortfall(np.array([2000.0, 1999.0, -3000.0]), 1)
    assert (
        np.isfinite(shortfall).all()
        and shortfall.sum() == pytest.approx(0, abs=1e-12)
        and shortfall[1] > 0
    )


def test_smallest_sizes_are_allowed_and_smaller_ones_named():
    rng = np.random.default_rng(3)
    assert zeta_products(2) == (2.0, -2.0)
    assert random_supports(2, 4, 1, rng).max() == 1 and random_overlap(2, 0.5, rng)[
        0, 1
    ] == pytest.approx(0.5)
    for call, name in (
        (lambda: zeta_products(1), "M"),
        (lambda: random_supports(2, 4, 0, rng), "size"),
        (lambda: random_overlap(1, 0.5, rng), "K"),
        (lambda: random_overlap(3, 0, rng), "top"),
        (lambda: graph_gram(nx.path_graph(2), 1.5), "rho"),
        (lambda: vectors_with_gram(np.eye(3), 2), "M"),
    ):
        with pytest.raises(ValueError, match=f"^{name} = "):
            call()


def test_training_goes_on_from_a_start_that_it_leaves_alone(F):
    labels = [0, 3, 1, 1, 2]
    half = feature_ascent(labels[:2], F, 0.7)
    before = half.copy()
    on = feature_ascent(labels[2:], F, 0.7, start=half)
    np.testing.assert_array_equal(on, feature_ascent(labels, F, 0.7))
    np.testing.assert_array_equal(half, before)


def test_classes_in_pairs_overlap_with_one_other_each():
    np.testing.assert_array_equal(
        graph_gram(in_pairs(4), 0.3), np.eye(4) + 0.3 * np.kron(np.eye(2), [[0, 1], [1, 0]])
    )
    with pytest.raises(ValueError, match="K = 3"):
        in_pairs(3)


def test_minus_diagonal_of_e_prime_is_the_squared_cotangent_to_the_others(F):
    for n in range(4):
        others = np.delete(F, n, axis=0)
        inside = others.T @ np.linalg.lstsq(others.T, F[n], rcond=None)[0]
        assert -e_prime(overlap(F))[n, n] == pytest.approx(
            inside @ inside / (1 - inside @ inside), rel=1e-10
        )


def test_e_prime_of_two_classes_is_explicit():
    rho = 0.4
    expected = np.array([[-(rho**2), rho], [rho, -(rho**2)]]) / (1 - rho**2)
    np.testing.assert_allclose(
        e_prime(equal_overlap_gram(2, rho) - np.eye(2)), expected, atol=1e-14
    )


def test_modified_update_moves_one_row_of_w_and_the_original_all(F):
    one = F @ feature_ascent([2], F, 0.5)
    assert np.abs(np.delete(one, 2, axis=0)).max() < 1e-15 < np.abs(one[2]).max()
    np.testing.assert_allclose(
        F @ feature_ascent([2], F, 0.5, directions=F), np.outer(gram(F)[:, 2], one[2]), atol=1e-14
    )


def test_an_isolated_class_does_not_hide_the_largest_overlap():
    E = np.zeros((3, 3))
    E[0, 1] = E[1, 0] = 0.2  # the third class overlaps with nobody
    margins = assumption_2(E, 10_000)
    assert margins[0] == pytest.approx(1 / (3 * 0.2)) and margins[1] == 0
