"""What Theorem 3 is asked of is the flow: its derivative is its difference quotient."""

import numpy as np
import pytest

from checks.scan_snap.theorem_03 import Theorem03


@pytest.mark.parametrize("eta_z", [1.0, 2.0])
def test_the_derivative_of_the_relative_gain_is_its_slope_along_the_flow(eta_z):
    along = Theorem03(eta_z=eta_z)
    slope = np.gradient(along.r, along.times)
    np.testing.assert_allclose(along.r_dot[1:-1], slope[1:-1], rtol=0.02)
