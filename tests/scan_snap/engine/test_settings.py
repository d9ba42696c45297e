"""Settings are checked where they are made, each by its name."""

import pytest
import torch

from lib.scan_snap.engine.batches import INFINITE
from lib.scan_snap.engine.settings import Settings


def test_defaults_are_the_paper_s_and_dtypes_are_torch_s():
    settings = Settings(steps=1)
    assert (settings.batch_size, settings.T, settings.optimizer) == (128, 128, "sgd")
    assert settings.torch_dtype is torch.float32
    assert Settings(steps=3, dtype="float64").torch_dtype is torch.float64


@pytest.mark.parametrize(
    "bad",
    [
        dict(steps=0),
        dict(steps=2.5),
        dict(optimizer="rmsprop"),
        dict(T=1),
        dict(batch_size=0),
        dict(batch_size=INFINITE),
        dict(momentum=1.0),
        dict(init="normal"),
        dict(dtype="float16"),
    ],
)
def test_nonsense_is_refused_by_name(bad):
    with pytest.raises(ValueError, match=f"^{next(iter(bad))} = "):
        Settings(**(dict(steps=3) | bad))
