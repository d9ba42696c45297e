"""Joint ascent on endless sequences against automatic differentiation of the objective."""

import numpy as np
import pytest
import torch

from lib.scan_snap.four_classes import four_classes
from lib.scan_snap.mean_ascent import mean_ascent, overlap_path


def by_autograd(classes, M, eta_y, eta_z, steps):
    """(Y, Z, |dJ/dZ| / |dJ/dY|, f_0 . f_1) before each step, class by class."""
    Y, Z = (torch.zeros(M, M, dtype=torch.float64, requires_grad=True) for _ in range(2))
    law = np.pad(classes.conditional, [(0, 0), (0, M - classes.vocab_size)])
    for _ in range(steps + 1):
        total, features = torch.zeros((), dtype=torch.float64), []
        for row, m, n in zip(law, classes.query, classes.next_token, strict=True):
            b = torch.tensor(row) * torch.exp(Z[m])
            features.append(b / torch.sqrt((b**2).sum()))
            logits = features[-1] @ Y
            total = total + logits[n] - torch.log(torch.exp(logits).sum())
        by_y, by_z = torch.autograd.grad(total / len(law), (Y, Z))
        overlap = (features[0] @ features[1]).item()
        yield Y.detach().numpy(), Z.detach().numpy(), (by_z.norm() / by_y.norm()).item(), overlap
        with torch.no_grad():
            Y, Z = Y + eta_y * by_y, Z + eta_z * by_z
        Y.requires_grad_(), Z.requires_grad_()


def test_steps_are_those_of_autograd():
    classes, keep = four_classes(), (0, 1, 5, 12)
    found = mean_ascent(classes, 0.7, [0.3, 2.0], keep)
    assert found.Y.shape == (4, 2, *(classes.vocab_size,) * 2) and found.speed.shape == (4, 2)
    for place, eta_z in enumerate((0.3, 2.0)):
        path = list(by_autograd(classes, classes.vocab_size, 0.7, eta_z, 12))
        for one, step in enumerate(keep):
            Y, Z, speed, _ = path[step]
            np.testing.assert_allclose(found.Y[one, place], Y, atol=1e-13)
            np.testing.assert_allclose(found.Z[one, place], Z, atol=1e-13)
            assert found.speed[one, place] == pytest.approx(speed, rel=1e-10, abs=1e-14)
    assert np.abs(found.Z[-1]).max() > 1e-3


@pytest.mark.parametrize("more", [0, 3])
def test_overlaps_are_those_of_autograd(more):
    classes = four_classes()
    M = classes.vocab_size + more
    wanted = [overlap for *_, overlap in by_autograd(classes, M, 1.5, 1.5, 9)]
    found = overlap_path(classes, M, 10, rate=1.5)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert abs(found[-1] - found[0]) > 1e-4


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="keep"):
        mean_ascent(four_classes(), 1.0, [1.0], (3, 2))
    with pytest.raises(ValueError, match="vocabulary"):
        overlap_path(four_classes(), 2, 3)
