"""What the (Y, Z) layer costs on a large vocabulary, and how small it may be."""

import pytest
import torch

from lib.real_text.token_layer import TokenLayer, TokenTransformer

V = 50


def test_a_step_touches_what_its_windows_hold_and_not_the_vocabulary():
    """At 8,000 tokens a dense gradient has 64 million entries each for Y and Z."""
    tokens, targets = torch.tensor([[3, 7, 3, 9]]), torch.tensor([[7, 3, 9, 5]])
    model = TokenTransformer(V)
    model.loss(tokens, targets).backward()
    seen = {name: p.grad.coalesce().indices()[0] for name, p in model.parameters.items()}
    assert set(seen["Y"].tolist()) == {3, 7, 9}
    assert set(seen["Z"].tolist()) == {V * query + key for query in (3, 7, 9) for key in (3, 7, 9)}


@pytest.mark.parametrize("make", [TokenLayer, TokenTransformer])
def test_two_tokens_are_a_vocabulary_and_one_is_not(make):
    assert make(2).vocab_size == 2
    with pytest.raises(ValueError, match="vocab_size = 1"):
        make(1)
