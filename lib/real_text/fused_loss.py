"""Cross-entropy of a linear output layer with its gradient in one pass, for large vocabularies.

The output layer is most of the work of a small language model.  Here the logits live in one buffer
that becomes the gradient in place (``lib.kernels`` in float32 on the CPU), and the three
matrix products may run in bfloat16 where the processor has it: the same model and loss, rounded
more coarsely.
"""

from typing import Any

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
    def forward(
        ctx: Any,
        hidden: torch.Tensor,
        weight: torch.Tensor,
        bias: torch.Tensor,
        targets: torch.Tensor,
        coarse: bool = False,
    ) -> torch.Tensor:
        """The loss; the logits become their own gradient, for ``backward``."""
        kind = torch.bfloat16 if coarse else hidden.dtype
        h, w = hidden.to(kind), weight.to(kind)
        loss, slope, bias_slope = loss_and_slope(h @ w.T, bias, targets)
        ctx.save_for_backward(h, w, slope, bias_slope)
        return loss

    @staticmethod
    def backward(ctx: Any, upstream: torch.Tensor) -> tuple[Any, ...]:
        """Gradients with respect to hidden, weight and bias."""
        h, w, slope, bias_slope = ctx.saved_tensors
        products = slope @ w, slope.T @ h
        return *(upstream * g.to(bias_slope.dtype) for g in (*products, bias_slope)), None, None


def loss_and_slope(
    logits: torch.Tensor, bias: torch.Tensor, targets: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Mean cross-entropy of ``softmax(logits + bias)``, and its gradients.

    logits: (N, V), overwritten where the compiled pass can; bias: (V,); targets: (N,) ids.  Returns
    (loss, gradient in the logits (N, V) and of their dtype, gradient in the bias (V,)).
    """
    if logits.is_cpu and bias.dtype == torch.float32:
        loss, bias_slope = slopes_in_place(logits, bias.detach(), targets)
        return bias.new_tensor(loss), logits, bias_slope
    loss, slope = _slopes(logits.to(bias.dtype) + bias, targets)
    return loss, slope.to(logits.dtype), slope.sum(dim=0)


def _slopes(logits: torch.Tensor, targets: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean cross-entropy and its gradient in the logits: any dtype, any device."""
    slope = torch.softmax(logits, dim=1)
    slope[torch.arange(len(targets), device=logits.device), targets] -= 1
    return functional.cross_entropy(logits, targets), slope / len(targets)


def slopes_in_place(
    logits: torch.Tensor, bias: torch.Tensor, targets: torch.Tensor
) -> tuple[float, torch.Tensor]:
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
