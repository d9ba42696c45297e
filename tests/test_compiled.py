"""``njit`` with numba and without it."""

import sys
from importlib import reload

from lib import compiled


def test_without_numba_functions_stay_as_they_are(monkeypatch):
    double = lambda x: 2 * x
    assert compiled.njit(cache=False)(double) is not double  # here numba is installed
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "numba", None)  # its import fails
        assert reload(compiled).njit(cache=True, nogil=True)(double) is double
    assert reload(compiled).njit(cache=False)(double)(3) == 6
