"""SGD with momentum and Adam on (Y, Z), as ascent, for batches of runs with rates of their own.

``torch.optim`` takes one scalar rate per parameter; a sweep has one per run.  The updates are
those of ``torch.optim`` with ``maximize=True``.  A step is two calls, so that a gradient made
of pieces needs no tensor of its own: add it to what ``receive`` returns, then ``move``.
"""

from dataclasses import dataclass, field

import torch

from lib.validation import require, require_momentum, require_real


class Ascent:
    """What both optimizers share: a whole step on a gradient that is there already."""

    def step(self, parameter, gradient):
        """Ascend in place."""
        self.receive(parameter).add_(gradient)
        self.move(parameter)


@dataclass
class Momentum(Ascent):
    """SGD with heavy-ball momentum: v <- mu v + g; p <- p + eta v.

    eta: a number, or a tensor that broadcasts against the parameter (runs, 1, 1).
    """

    eta: object
    momentum: float = 0.9
    velocity: torch.Tensor | None = field(default=None, init=False)

    def __post_init__(self):
        _require_rates(self.eta)
        require_momentum("momentum", self.momentum)

    def receive(self, parameter):
        """The tensor to which this step's gradient is to be added: the decayed velocity."""
        if self.velocity is None:
            self.velocity = torch.zeros_like(parameter)
        return self.velocity.mul_(self.momentum)

    def move(self, parameter):
        """Ascend in place by what was received."""
        parameter.addcmul_(self.velocity, torch.as_tensor(self.eta, dtype=parameter.dtype))


@dataclass
class Adam(Ascent):
    """Adam with bias correction; ``eta`` as in ``Momentum``."""

    eta: object
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    steps: int = field(default=0, init=False)
    gradient: torch.Tensor | None = field(default=None, init=False)
    mean: torch.Tensor | None = field(default=None, init=False)
    square: torch.Tensor | None = field(default=None, init=False)

    def __post_init__(self):
        _require_rates(self.eta)
        require_real("beta1", self.beta1, at_least=0, below=1)
        require_real("beta2", self.beta2, at_least=0, below=1)
        require_real("epsilon", self.epsilon, above=0)

    def receive(self, parameter):
        """The tensor to which this step's gradient is to be added: zeros."""
        if self.gradient is None:
            self.gradient, self.mean, self.square = (torch.zeros_like(parameter) for _ in range(3))
        return self.gradient.zero_()

    def move(self, parameter):
        """Ascend in place by what was received."""
        self.steps += 1
        self.mean.lerp_(self.gradient, 1 - self.beta1)
        self.square.mul_(self.beta2).addcmul_(self.gradient, self.gradient, value=1 - self.beta2)
        scale = (self.square / (1 - self.beta2**self.steps)).sqrt_().add_(self.epsilon)
        parameter += self.eta / (1 - self.beta1**self.steps) * self.mean / scale


def _require_rates(eta):
    rates = torch.as_tensor(eta)
    require(bool((torch.isfinite(rates) & (rates > 0)).all()), "eta", eta, "finite numbers > 0")
