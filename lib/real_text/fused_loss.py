"""Cross-entropy of a linear output layer with its gradient in one pass, for large vocabularies.

The output layer is most of the work of a small language model.  Here the logits live in one buffer
that becomes the gradient in place (``lib.kernels`` in float32 on the CPU), and the three
matrix products may run in bfloat16 where the processor has it: the same model and loss, rounded
more coarsely.
"""

import torch
from torch.nn import functional

from lib.kernels import coarse_slopes, slopes


class LinearCrossEntropy(torch.autograd.Function):
    """Mean cross-entropy of ``softmax(hidden W^T + b)``; hidden (N, d), weight (V, d), bias (V,),
    targets (N,).

    coarse: multiply in bfloat16.  Agrees with ``torch.nn.functional.cross_entropy``; first
    derivatives only.
    """

    @staticmethod
    def forward(ctx, hidden, weight, bias, targets, coarse=False):
        """The loss; the gradients for a unit upstream gradient are kept for ``backward``."""
        kind = torch.bfloat16 if coarse else hidden.dtype
        h, w = hidden.to(kind), weight.to(kind)
        logits = h @ w.T
        if logits.is_cpu and hidden.dtype == torch.float32:
            loss, bias_slope = slopes_in_place(logits, bias.detach(), targets)
            loss, slope = hidden.new_tensor(loss), logits
        else:
            loss, slope = _slopes(logits.to(hidden.dtype) + bias, targets)
            bias_slope, slope = slope.sum(dim=0), slope.to(kind)
        ctx.save_for_backward(
            (slope @ w).to(hidden.dtype), (slope.T @ h).to(hidden.dtype), bias_slope
        )
        return loss

    @staticmethod
    def backward(ctx, upstream):
        """Gradients with respect to hidden, weight and bias."""
        return *(upstream * gradient for gradient in ctx.saved_tensors), None, None


def _slopes(logits, targets):
    """Mean cross-entropy and its gradient in the logits: any dtype, any device."""
    slope = torch.softmax(logits, dim=1)
    slope[torch.arange(len(targets), device=logits.device), targets] -= 1
    return functional.cross_entropy(logits, targets), slope / len(targets)


def slopes_in_place(logits, bias, targets):
    """Mean cross-entropy of ``softmax(logits + bias)`` and its gradient, which overwrites
    ``logits``.

    logits: (N, V) float32 or bfloat16 on the CPU, contiguous; bias: (V,) float32; targets: (N,)
    ids. Returns (loss as a float, gradient in the bias (V,)).
    """
    bias_slope = torch.zeros_like(bias)
    rest = bias.numpy(), targets.numpy(), bias_slope.numpy()
    if logits.dtype == torch.bfloat16:
        return coarse_slopes(logits.view(torch.uint16).numpy(), *rest), bias_slope
    return slopes(logits.numpy(), *rest), bias_slope
