"""Facts about the text models: masks, symmetries, limits, and agreement with independent
references.
"""

import math
from dataclasses import replace

import pytest
import torch

from lib.real_text.models import (
    OUTPUTS,
    Architecture,
    EmbeddingTransformer,
    _dropout,
    allowed,
    paper_layer,
    sinusoids,
)
from lib.real_text.token_layer import TokenTransformer
from lib.scan_snap.yz_transformer import gradients

B, T, V = 3, 7, 11


@pytest.fixture
def batch():
    generator = torch.Generator().manual_seed(1)
    tokens = torch.randint(V, (B, T + 1), generator=generator)
    return tokens[:, :-1], tokens[:, 1:]


def model(seed=0, **choices):
    return EmbeddingTransformer(Architecture(V, 8, 6, **choices), seed=seed, dtype=torch.float64)


def token_model(seed=0):
    made = TokenTransformer(V, dtype=torch.float64)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for p in made.parameters.values():
            p.copy_(torch.randn(p.shape, generator=generator, dtype=torch.float64))
    return made


def test_a_model_starts_from_pytorch_s_own_ranges():
    """Biases of attention and decoder and shifts are zero, gains one, the rest fills its range."""
    limits = {"embedding": 0.1, "decoder": 0.1, "in": math.sqrt(6 / (3 * 64 + 64))}
    limits |= dict.fromkeys(("out", "up", "up_bias"), 1 / 8)
    limits |= dict.fromkeys(("down", "down_bias"), 1 / 10)
    limits |= dict.fromkeys(("decoder_bias", "in_bias", "out_bias", "shift_0", "shift_1"), 0.0)
    made = EmbeddingTransformer(Architecture(V, 64, 100), seed=0).parameters
    for name, values in made.items():
        kind, found = name.split(".")[-1], values.detach().numpy()
        if kind.startswith("gain"):
            assert (found == 1).all(), name
        else:
            assert 0.95 * limits[kind] <= abs(found).max() <= limits[kind] * (1 + 1e-6), name


def test_no_two_tensors_start_with_the_same_numbers():
    """Each is cut from its own part of one stream: scaled to one size, beginnings differ."""
    made = EmbeddingTransformer(Architecture(V, 16, 20), seed=0).parameters
    begun = [values.detach().flatten()[:16] for values in made.values() if values.std() > 0]
    assert len(begun) > 5
    for k, one in enumerate(begun):
        for other in begun[:k]:
            assert abs(torch.cosine_similarity(one, other, dim=0)) < 0.95


@pytest.mark.parametrize(
    "made, attend_self",
    [(model(), True), (model(attend_self=False), False), (token_model(), False)],
)
def test_attention_is_causal_and_sums_to_one(made, attend_self, batch):
    weights = made.attention(batch[0])
    first = 0 if attend_self else 1
    assert torch.allclose(weights[:, first:].sum(-1), torch.ones(B, T - first, dtype=torch.float64))
    assert weights[:, ~allowed(T, attend_self)].abs().max() == 0


@pytest.mark.parametrize("made", [model(layers=2), model(attend_self=False), token_model()])
def test_the_future_does_not_matter(made, batch):
    tokens = batch[0].clone()
    before = made.attention(tokens)
    tokens[:, -1] = (tokens[:, -1] + 1) % V
    assert torch.equal(made.attention(tokens)[:, :-1], before[:, :-1])


def test_content_logits_are_the_scores_of_attention(batch):
    made = EmbeddingTransformer(paper_layer(V, 8), dtype=torch.float64)
    weights = made.attention(batch[0])[0, -1, :-1]
    logits = made.content_logits(batch[0][0, -1:])[0, batch[0][0, :-1]]
    assert torch.allclose(torch.softmax(logits, 0), weights)


def test_agrees_with_pytorchs_encoder_layer(batch):
    made = model(dropout=0.0)
    p, generator = made.parameters, torch.Generator().manual_seed(5)
    with torch.no_grad():  # gains and biases that differ
        for values in p.values():
            values.add_(torch.randn(values.shape, generator=generator, dtype=values.dtype))
    layer = torch.nn.TransformerEncoderLayer(
        8, 1, 6, dropout=0.0, batch_first=True, dtype=torch.float64
    )
    names = {
        "self_attn.in_proj_weight": "0.in",
        "self_attn.in_proj_bias": "0.in_bias",
        "self_attn.out_proj.weight": "0.out",
        "self_attn.out_proj.bias": "0.out_bias",
        "linear1.weight": "0.up",
        "linear1.bias": "0.up_bias",
        "linear2.weight": "0.down",
        "linear2.bias": "0.down_bias",
        "norm1.weight": "0.gain_0",
        "norm1.bias": "0.shift_0",
        "norm2.weight": "0.gain_1",
        "norm2.bias": "0.shift_1",
    }
    layer.load_state_dict({theirs: p[ours].detach() for theirs, ours in names.items()})
    x = p["embedding"][batch[0]] * math.sqrt(8) + sinusoids(T, 8).double()
    hidden = layer(x, src_mask=~allowed(T, True))
    logits = hidden @ p["decoder"].T + p["decoder_bias"]
    theirs = torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch[1].flatten())
    assert torch.allclose(made.loss(*batch), theirs, rtol=1e-12)


def test_a_step_moves_the_embeddings_that_were_read_and_no_others(batch):
    made = model()
    made.loss(*batch).backward()
    rows = made.parameters["embedding"].grad.coalesce().indices()[0]
    assert set(rows.tolist()) == set(batch[0].flatten().tolist())


def test_dropout_follows_its_generator_and_is_off_without(batch):
    made = model()
    one, two = (made.loss(*batch, generator=torch.Generator().manual_seed(3)) for _ in range(2))
    assert torch.equal(one, two) and not torch.equal(one, made.loss(*batch))
    assert torch.equal(made.loss(*batch), made.loss(*batch))


def test_the_token_layer_has_the_gradient_of_lemma_1(batch):
    made = token_model()
    tokens, targets = batch
    made.loss(tokens, targets).backward()
    Y, Z = made.parameters["Y"].detach(), made.parameters["Z"].detach().view(V, V)
    counts = torch.zeros(B, T - 1, V, dtype=torch.float64)
    for t in range(1, T):
        counts[:, t - 1] = torch.nn.functional.one_hot(tokens[:, :t], V).sum(1)
    grad_y, grad_z = gradients(
        Y, Z, counts.flatten(0, 1), tokens[:, 1:].flatten(), targets[:, 1:].flatten()
    )
    ours_y, ours_z = (made.parameters[name].grad.to_dense() for name in ("Y", "Z"))
    assert torch.allclose(-ours_y, grad_y, atol=1e-12) and torch.allclose(
        -ours_z.view(V, V), grad_z, atol=1e-12
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"layers": 0},
        {"width": 7},
        {"width": 0},
        {"vocab_size": 1},
        {"dropout": 1.0},
        {"norm": "batch"},
    ],
)
def test_impossible_architectures(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Architecture(**({"vocab_size": V, "width": 8} | wrong))


def test_only_the_coarse_output_layer_rounds_to_bfloat16(batch):
    losses = {}
    for name in OUTPUTS:
        one = EmbeddingTransformer(Architecture(V, 8, 6), output=name)
        with torch.no_grad():
            one.parameters["decoder"].mul_(10)  # logits whose last digits are worth rounding
        losses[name] = one.loss(*batch).item()
    assert losses["float32"] == pytest.approx(losses["plain"], rel=1e-6)
    assert 1e-5 < abs(losses["bfloat16"] / losses["plain"] - 1) < 1e-2


def test_positions_turn_at_rates_from_one_down_to_one_in_ten_thousand():
    length, width = 50, 8
    t, rates = torch.arange(length), 10_000.0 ** -(torch.arange(0, width, 2) / width)
    found = sinusoids(length, width)
    assert torch.allclose(found[:, 0::2], torch.sin(t[:, None] * rates), atol=1e-5)
    assert torch.allclose(found[:, 1::2], torch.cos(t[:, None] * rates), atol=1e-5)


@pytest.mark.parametrize("norm", [{}, {"norm": "none"}])
@pytest.mark.parametrize("residual", [{}, {"residual": True}])
def test_the_paper_s_layer_is_attention_a_map_and_its_norm(batch, norm, residual):
    """Eq. (1): no positions, self or feed-forward; with a residual, the query's own vector."""
    layer = replace(paper_layer(V, 8), **norm, **residual)
    made = EmbeddingTransformer(layer, dtype=torch.float64)
    p = {name.removeprefix("0."): values.detach() for name, values in made.parameters.items()}
    x = p["embedding"][batch[0]] * math.sqrt(8)
    q, k, v = (x @ part.T for part in p["in"].split(8))
    scores = (q @ k.mT / math.sqrt(8)).masked_fill(torch.ones(T, T).triu() > 0, -torch.inf)
    attended = torch.softmax(scores, -1).nan_to_num() @ v @ p["out"].T + x * bool(residual)
    length = torch.ones(1) if norm else attended.norm(dim=-1, keepdim=True)
    hidden = attended / length.clamp(min=1e-12)
    wanted = torch.nn.functional.cross_entropy((hidden @ p["decoder"].T).mT, batch[1])
    assert made.loss(*batch).item() == pytest.approx(wanted.item(), rel=1e-12)


def test_without_positions_the_order_of_keys_does_not_matter(batch):
    tokens = batch[0]
    swapped = tokens[:, [1, 0, *range(2, T)]]
    plain, placed = model(positions=False), model(positions=True)
    assert torch.allclose(plain.attention(tokens)[:, -1, 2:], plain.attention(swapped)[:, -1, 2:])
    assert not torch.allclose(
        placed.attention(tokens)[:, -1, 2:], placed.attention(swapped)[:, -1, 2:]
    )


def test_at_zero_the_token_layer_is_uniform(batch):
    made = TokenTransformer(V, dtype=torch.float64)
    weights = made.attention(batch[0])
    assert torch.allclose(
        weights[:, -1, :-1], torch.full((B, T - 1), 1 / (T - 1), dtype=torch.float64)
    )
    assert made.loss(*batch).item() == pytest.approx(math.log(V))


def test_dropout_takes_its_share_and_leaves_the_mean():
    kept = _dropout(torch.ones(100_000), 0.2, torch.Generator().manual_seed(0))
    assert set(kept.tolist()) == {0.0, 1.25}
    assert kept.mean().item() == pytest.approx(1, abs=0.01)  # six standard errors
