"""Facts about the data model: supports, sampling, the attention limit, and what it refuses."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import softmax

from lib.scan_snap.sequence_classes import (
    SequenceClasses,
    limit_of_rows,
    limiting_attention,
    normalized_attention,
    random_classes,
    syn_medium,
    syn_small,
    token_counts,
)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def three_classes():
    """Token 0 common to all, 1 to the first two, 2, 3, 4 distinct, 5 never drawn."""
    table = [
        [0.2, 0.3, 0.5, 0.0, 0.0, 0.0],
        [0.2, 0.1, 0.0, 0.7, 0.0, 0.0],
        [0.4, 0.0, 0.0, 0.0, 0.6, 0.0],
    ]
    return SequenceClasses(np.array(table), query=[3, 3, 5], prior=[0.5, 0.25, 0.25])


def test_supports_common_and_distinct_tokens():
    classes = three_classes()
    assert (classes.num_classes, classes.vocab_size) == (3, 6)
    assert classes.common_tokens.tolist() == [0, 1]
    assert [classes.distinct_tokens(n).tolist() for n in range(3)] == [[2], [3], [4]]
    assert [classes.omega(l).tolist() for l in range(6)] == [[0, 1, 2], [0, 1], [0], [1], [2], []]
    assert classes.next_token.tolist() == [0, 1, 2]


def test_every_token_is_common_distinct_or_unused(rng):
    for _ in range(50):
        K = int(rng.integers(1, 8))
        classes = random_classes(
            K, int(rng.integers(K, 20)), rng, density=float(rng.uniform(0.1, 1))
        )
        groups = [classes.common_tokens, *(classes.distinct_tokens(n) for n in range(K))]
        used = np.flatnonzero(classes.support.any(axis=0))
        assert sorted(np.concatenate(groups).tolist()) == used.tolist()
        assert classes.support.any(axis=1).all()
        np.testing.assert_allclose(classes.conditional.sum(axis=1), 1, atol=1e-12)


def test_sequences_and_counts_have_the_same_law(rng):
    """Chi-square test of homogeneity on the joint law of all counts, T = 4, false alarms 1e-4."""
    classes, chosen = three_classes(), np.zeros(20_000, dtype=int)
    drawn = token_counts(classes.sample(20_000, 4, rng, classes=chosen).tokens, 6)
    direct = classes.sample_counts(20_000, 4, rng, classes=chosen).counts
    bags, labels = np.unique(np.vstack([drawn, direct]), axis=0, return_inverse=True)
    labels = labels.ravel()
    table = [
        np.bincount(labels[:20_000], minlength=len(bags)),
        np.bincount(labels[20_000:], minlength=len(bags)),
    ]
    assert len(bags) == 10
    assert stats.chi2_contingency(table).pvalue > 1e-4
    exact = stats.multinomial.pmf(bags, 3, classes.conditional[0])
    assert stats.chisquare(table[0], 20_000 * exact).pvalue > 1e-4


def test_positions_of_a_sequence_are_independent_draws(rng):
    tokens = three_classes().sample(20_000, 3, rng, classes=np.ones(20_000, dtype=int)).tokens
    pairs = np.zeros((6, 6))
    np.add.at(pairs, (tokens[:, 0], tokens[:, 1]), 1)
    expected = 20_000 * np.outer(three_classes().conditional[1], three_classes().conditional[1])
    assert pairs[expected == 0].sum() == 0
    assert stats.chisquare(pairs[expected > 0], expected[expected > 0]).pvalue > 1e-4


def test_classes_follow_the_prior_and_fix_query_and_next_token(rng):
    drawn = three_classes().sample_counts(20_000, 5, rng)
    assert stats.chisquare(np.bincount(drawn.next_token), [10_000, 5_000, 5_000]).pvalue > 1e-4
    assert (drawn.query == np.array([3, 3, 5])[drawn.next_token]).all()
    assert (drawn.counts.sum(axis=1) == 4).all()
    assert (drawn.counts[~three_classes().support[drawn.next_token]] == 0).all()


def test_smallest_batch_and_shortest_sequence(rng):
    drawn = three_classes().sample(1, 2, rng)
    assert (
        drawn.tokens.shape == (1, 1) and three_classes().sample_counts(1, 2, rng).counts.sum() == 1
    )
    uniform = SequenceClasses(TABLE, query=[0, 1])
    assert uniform.prior.tolist() == [0.5, 0.5] and uniform.omega(3).tolist() == [0, 1]


def test_a_law_that_sums_to_a_little_less_than_one_has_no_token_beyond_the_vocabulary(
    largest_draws,
):
    short = SequenceClasses([[0.5, 0.5 - 5e-10]], query=[0])
    assert short.sample(1, 3, largest_draws, classes=[0]).tokens.tolist() == [[1, 1]]


def test_same_seed_same_sequences():
    first, second = (three_classes().sample(9, 7, np.random.default_rng(3)) for _ in range(2))
    assert all((a == b).all() for a, b in zip(first, second, strict=True))


def test_token_counts_are_one_hot_sums(rng):
    tokens = rng.integers(5, size=(8, 11))
    np.testing.assert_array_equal(token_counts(tokens, 5), np.eye(5, dtype=int)[tokens].sum(axis=1))


def test_syn_small_is_the_paper_layout():
    classes = syn_small()
    assert classes.common_tokens.tolist() == list(range(10))
    assert classes.distinct_tokens(0).tolist() == list(range(10, 20))
    assert classes.distinct_tokens(1).tolist() == list(range(20, 30))
    assert (np.diff(classes.conditional[0, 10:20]) > 0).all()
    np.testing.assert_array_equal(classes.conditional[0, 10:20], classes.conditional[1, 20:30])
    assert (classes.conditional[:, :10] == classes.conditional[0, 19]).all()


def test_syn_sizes_and_smallest_cases():
    small, medium = syn_small(), syn_medium(3)
    for made, sizes in ((small, (2, 2, 10 + 20 + 2 + 2)), (medium, (6, 3, 10 + 60 + 3 + 6))):
        queries = len(set(made.query.tolist()))
        assert (made.num_classes, queries, made.vocab_size) == sizes
    assert (len(medium.common_tokens), len(medium.distinct_tokens(5))) == (10, 10)
    first = medium.conditional[0]
    np.testing.assert_allclose(first[:10], first[19])  # as heavy as the heaviest distinct one
    np.testing.assert_allclose(first[10] / first[19], 0.1)
    for classes in (small, medium):  # queries and next tokens are ids of their own
        special = np.r_[np.unique(classes.query), classes.next_token]
        assert len(set(special.tolist())) == len(special) and not classes.support[:, special].any()
    tiny = syn_medium(1, 1, num_common=0, num_distinct=1)
    assert tiny.conditional.tolist() == [[1.0, 0.0, 0.0]]
    assert len(syn_small(common_weight=0.0).common_tokens) == 0


def test_random_classes_share_one_query_unless_told(rng):
    assert set(random_classes(5, 9, rng).query.tolist()) == {8}
    assert set(random_classes(5, 9, rng, num_queries=2).query.tolist()) == {7, 8}
    share = np.mean([random_classes(20, 40, rng, density=0.3).support.mean() for _ in range(20)])
    assert share == pytest.approx(0.3 + 0.7 / 40, abs=0.02)


def test_limiting_attention_is_a_softmax_with_the_log_probabilities_as_prior(rng):
    classes = random_classes(4, 15, rng, num_queries=2, density=1.0)
    Z = rng.normal(size=(15, 15)) * 5
    expected = softmax(np.log(classes.conditional) + Z[classes.query], axis=1)
    np.testing.assert_allclose(limiting_attention(classes, Z), expected, rtol=1e-12)
    np.testing.assert_allclose(
        np.linalg.norm(normalized_attention(classes, Z), axis=1), 1, rtol=1e-12
    )


def test_limiting_attention_keeps_supports_and_forgets_a_constant_logit(rng):
    classes, Z = three_classes(), rng.normal(size=(6, 6))
    attention = limiting_attention(classes, Z)
    assert (attention[~classes.support] == 0).all()
    np.testing.assert_allclose(limiting_attention(classes, Z + 1e4), attention, rtol=1e-9)
    np.testing.assert_allclose(
        limiting_attention(classes, np.zeros((6, 6))), classes.conditional, rtol=1e-12
    )
    both = limit_of_rows(classes, np.stack([Z, -Z])[:, classes.query])
    np.testing.assert_allclose(both, [limiting_attention(classes, z) for z in (Z, -Z)], rtol=1e-14)
    Z[3] = [0, 0, -900, 0, 0, 900]  # large logits, also outside the support
    assert np.isfinite(limiting_attention(classes, Z)).all()


TABLE = np.full((2, 4), 0.25)


@pytest.mark.parametrize(
    "arguments, name",
    [
        (dict(conditional=TABLE * 1.01, query=[0, 0]), "conditional"),
        (dict(conditional=np.ones(4), query=[0]), "conditional.shape"),
        (
            dict(conditional=np.full((3, 2), 0.5), query=[0, 0, 0]),
            "K = 3, allowed: 1 <= K <= M = 2",
        ),
        (dict(conditional=TABLE, query=[0, 4]), "psi = [0, 4], allowed: whole numbers 0 .. 3"),
        (dict(conditional=TABLE, query=[0.0, 1.5]), "psi"),
        (dict(conditional=TABLE, query=[0]), "psi.shape"),
        (dict(conditional=TABLE, query=[0, 1], next_token=[2, 2]), "next_token"),
        (dict(conditional=TABLE, query=[0, 1], prior=[0.5, 0.6]), "prior"),
    ],
)
def test_bad_classes_are_refused_by_name(arguments, name):
    with pytest.raises(ValueError, match=name.split(" ")[0].replace(".", r"\.")) as error:
        SequenceClasses(**arguments)
    assert name in str(error.value) and "allowed" in str(error.value)


@pytest.mark.parametrize(
    "call, name",
    [
        (lambda c, r: c.sample(5, 1, r), "T = 1"),
        (lambda c, r: c.sample(0, 8, r), "batch_size = 0"),
        (lambda c, r: c.sample(2, 8, r, classes=[0, 3]), "classes = [0, 3], allowed: 0 .. 2"),
        (lambda c, r: c.omega(6), "token = 6"),
        (lambda c, r: limiting_attention(c, np.zeros((5, 6))), "Z.shape"),
        (lambda c, r: limiting_attention(c, np.full((6, 6), np.inf)), "Z"),
        (
            lambda c, r: token_counts([[6]], 6),
            "tokens = 'ids outside the vocabulary', allowed: 0 .. 5",
        ),
        (lambda c, r: syn_medium(0), "num_queries"),
        (lambda c, r: syn_small(common_weight=-1.0), "common_weight"),
        (lambda c, r: random_classes(5, 4, r), "K = 5"),
        (lambda c, r: random_classes(2, 4, r, density=1.01), "density"),
    ],
)
def test_bad_requests_are_refused_by_name(call, name, rng):
    with pytest.raises(ValueError) as error:
        call(three_classes(), rng)
    assert str(error.value).startswith(name) and "allowed" in str(error.value)


def test_syn_medium_shares_a_query_among_its_classes():
    classes = syn_medium(3, 4)
    assert classes.num_classes == 12
    assert np.unique(classes.query, return_counts=True)[1].tolist() == [4] * 3


def test_weights_of_random_classes_are_as_uneven_as_exponential_ones(rng):
    weights = 4000 * random_classes(1, 4000, rng, density=1.0).conditional[0]
    assert weights.std() == pytest.approx(1, abs=0.1) and 0 < weights.min() < 0.01
