"""SGD with momentum and Adam on (Y, Z) of *Scan and Snap*, as ascent, each run at its own rate.

``torch.optim`` takes one scalar rate per parameter; a sweep has one per run.  The updates are
those of ``torch.optim`` with ``maximize=True``.
"""

from dataclasses import dataclass, field

import torch

from lib.arrays import ArrayLike
from lib.scan_snap.engine.settings import Settings
from lib.validation import require, require_momentum, require_real


@dataclass
class Momentum:
    """SGD with heavy-ball momentum: v <- mu v + g; p <- p + eta v.

    eta: a number, or a tensor that broadcasts against the parameter (runs, 1, 1).
    """

    eta: float | torch.Tensor
    momentum: float = 0.9
    velocity: torch.Tensor | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        _require_rates(self.eta)
        require_momentum("momentum", self.momentum)

    def step(self, parameter: torch.Tensor, gradient: torch.Tensor) -> None:
        """Ascend in place."""
        if self.velocity is None:
            self.velocity = torch.zeros_like(parameter)
        self.velocity.mul_(self.momentum).add_(gradient)
        parameter.addcmul_(self.velocity, torch.as_tensor(self.eta, dtype=parameter.dtype))


@dataclass
class Adam:
    """Adam with bias correction; ``eta`` as in ``Momentum``."""

    eta: float | torch.Tensor
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    steps: int = field(default=0, init=False)
    mean: torch.Tensor | None = field(default=None, init=False)
    square: torch.Tensor | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        _require_rates(self.eta)
        require_real("beta1", self.beta1, at_least=0, below=1)
        require_real("beta2", self.beta2, at_least=0, below=1)
        require_real("epsilon", self.epsilon, above=0)

    def step(self, parameter: torch.Tensor, gradient: torch.Tensor) -> None:
        """Ascend in place."""
        if self.mean is None or self.square is None:
            self.mean, self.square = torch.zeros_like(parameter), torch.zeros_like(parameter)
        self.steps += 1
        self.mean.lerp_(gradient, 1 - self.beta1)
        self.square.mul_(self.beta2).addcmul_(gradient, gradient, value=1 - self.beta2)
        square = self.square / (1 - self.beta2**self.steps)
        scale = torch.sqrt(square).add_(self.epsilon)
        parameter += self.eta / (1 - self.beta1**self.steps) * self.mean / scale


def ascent(settings: Settings, eta: ArrayLike) -> Momentum | Adam:
    """The optimizer that ``Settings`` name, for R cells with rates eta (R,)."""
    eta = torch.as_tensor(eta, dtype=settings.torch_dtype)[:, None, None]
    return Momentum(eta, settings.momentum) if settings.optimizer == "sgd" else Adam(eta)


def _require_rates(eta: float | torch.Tensor) -> None:
    rates = torch.as_tensor(eta)
    require(bool((torch.isfinite(rates) & (rates > 0)).all()), "eta", eta, "finite numbers > 0")
