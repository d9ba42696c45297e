"""What the (Y, Z) layer costs on a large vocabulary, and how small it may be."""

import math

import pytest
import torch

from lib.real_text.token_layer import TokenLayer, TokenTransformer, own_tokens

V = 50


def test_a_step_touches_what_its_windows_hold_and_not_the_vocabulary():
    """At 8,000 tokens a dense gradient has 64 million entries each for Y and Z.  The last token of
    a window is no key: the 9 has no row of Y.
    """
    tokens, targets = torch.tensor([[3, 7, 3, 9]]), torch.tensor([[7, 3, 9, 5]])
    model = TokenTransformer(V)
    model.loss(tokens, targets).backward()
    seen = {name: p.grad.coalesce().indices()[0] for name, p in model.parameters.items()}
    assert set(seen["Y"].tolist()) == {3, 7}
    assert set(seen["Z"].tolist()) == {V * query + key for query in (3, 7, 9) for key in (3, 7, 9)}


def test_a_window_s_own_tokens_stand_where_it_holds_them():
    """The second window has one token less than the first, and repeats its first one, which
    stands nowhere a second time.
    """
    tokens = torch.tensor([[3, 7, 3, 9], [5, 2, 2, 5]])
    own, slot = own_tokens(tokens)
    assert own.tolist() == [[3, 7, 9], [2, 5, 5]]
    assert slot.sum(dim=-1).tolist() == [[1] * 4] * 2 and slot[1, :, 2].sum() == 0
    assert torch.equal((slot * own[:, None]).sum(dim=-1), tokens)


@pytest.mark.parametrize("name", "YZ")
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_parameter_that_is_no_number_shows_in_both_gradients(name, value):
    """Training ends by it."""
    tokens, targets = torch.tensor([[3, 7, 3, 9]]), torch.tensor([[7, 3, 9, 5]])
    model = TokenTransformer(V)
    with torch.no_grad():
        model.parameters[name].fill_(value)
    model.loss(tokens, targets).backward()
    for p in model.parameters.values():
        assert not torch.isfinite(p.grad.coalesce().values()).all()


@pytest.mark.parametrize("make", [TokenLayer, TokenTransformer])
def test_two_tokens_are_a_vocabulary_and_one_is_not(make):
    assert make(2).vocab_size == 2
    with pytest.raises(ValueError, match="vocab_size = 1"):
        make(1)
