"""Cross-entropy of a linear output layer with its gradient in one pass, for large vocabularies.

The output layer is most of the work of a small language model.  Here the logits live in one buffer
that becomes the gradient in place, and the three matrix products may run in bfloat16 where the
processor has it: the same model and loss, rounded more coarsely.
"""

import torch


class LinearCrossEntropy(torch.autograd.Function):
    """Mean cross-entropy of ``softmax(hidden W^T + b)``; hidden (N, d), weight (V, d), bias (V,), targets (N,).

    coarse: multiply in bfloat16.  Agrees with ``torch.nn.functional.cross_entropy``; first derivatives only.
    """

    @staticmethod
    def forward(ctx, hidden, weight, bias, targets, coarse=False):
        """The loss; the gradients for a unit upstream gradient are kept for ``backward``."""
        kind = torch.bfloat16 if coarse else hidden.dtype
        h, w = hidden.to(kind), weight.to(kind)
        logits = (h @ w.T).to(hidden.dtype).add_(bias)
        rows = torch.arange(len(targets), device=hidden.device)
        logits.sub_(logits.amax(dim=1, keepdim=True))
        at_target = logits[rows, targets].clone()
        total = logits.exp_().sum(dim=1, keepdim=True)
        loss = (total.squeeze(1).log() - at_target).mean()
        logits.mul_(1 / (total * len(targets)))
        logits[rows, targets] -= 1 / len(targets)
        slope = logits.to(kind)
        ctx.save_for_backward((slope @ w).to(hidden.dtype), (slope.T @ h).to(hidden.dtype), logits.sum(dim=0))
        return loss

    @staticmethod
    def backward(ctx, upstream):
        """Gradients with respect to hidden, weight and bias."""
        return *(upstream * gradient for gradient in ctx.saved_tensors), None, None
