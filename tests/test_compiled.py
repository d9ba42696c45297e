"""``njit`` with numba and without it."""

import os
import runpy
import subprocess
import sys
from importlib import reload
from pathlib import Path
from types import SimpleNamespace

import numba
import numpy as np
import pytest

from lib import compiled, kernels
from lib.mechanics import compiled_descent
from lib.mechanics.five_samples import five_samples


def of_kernels(module):
    """Loss and slopes of an output layer."""
    rng = np.random.default_rng(0)
    logits, bias = (rng.normal(size=shape).astype(np.float32) for shape in ((3, 5), 5))
    slope = np.zeros(5, np.float32)
    loss = module.slopes(logits, bias, np.array([0, 4, 2]), slope)
    return [loss, *logits.ravel(), *slope]


def of_descent(module):
    """The last moves, masses and norm of a descent."""
    data = five_samples()
    start = np.zeros((data.embeddings.shape[1],) * 2)
    moves, masses, norm = module.run_trial(data, start, 0.1, 4)
    return [*moves[-1].ravel(), *masses[-1].ravel(), norm[-1]]


def test_without_numba_functions_stay_as_they_are(monkeypatch):
    double = lambda x: 2 * x
    assert compiled.njit(cache=False)(double) is not double  # here numba is installed
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "numba", None)  # its import fails
        assert reload(compiled).njit(cache=True, nogil=True)(double) is double
    assert reload(compiled).njit(cache=False)(double)(3) == 6


@pytest.mark.parametrize(
    ("module", "values"), [(kernels, of_kernels), (compiled_descent, of_descent)]
)
def test_loops_give_the_same_numbers_as_plain_python(monkeypatch, module, values):
    """The same file, read where ``njit`` is that of a machine without numba."""
    monkeypatch.setattr(compiled, "njit", compiled._as_it_is)
    plain = SimpleNamespace(**runpy.run_path(module.__file__))
    loops = [
        name
        for name, one in vars(module).items()
        if isinstance(one, numba.core.dispatcher.Dispatcher)
    ]
    assert loops and not any(hasattr(vars(plain)[name], "py_func") for name in loops)
    np.testing.assert_allclose(values(plain), values(module), rtol=1e-5, atol=1e-6)


def test_what_can_be_kept_nowhere_is_compiled_all_the_same():
    made = {}
    exec("def double(x):\n    return 2 * x", made)  # in no file: numba finds no folder for it
    assert compiled.njit(cache=True)(made["double"])(3) == 6


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_what_was_kept_and_cut_short_is_compiled_anew(tmp_path, monkeypatch, kind):
    """What a full disk leaves; numba alone ends in an error of unpickling."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "kept"))
    code = "from lib.compiled import njit\n@njit(cache=True)\ndef twice(x): return 2 * x\n"
    (tmp_path / "twice.py").write_text(code, encoding="utf-8")

    def run():
        """Twice three, and whether that was kept."""
        twice = runpy.run_path(str(tmp_path / "twice.py"))["twice"]
        return twice(3), sum(twice.stats.cache_hits.values())

    assert run() == (6, 0) and run() == (6, 1)
    for kept in tmp_path.rglob(f"*.{kind}"):
        kept.write_bytes(kept.read_bytes()[:40])
    assert run() == (6, 0) and run() == (6, 1)


def test_a_constant_of_another_file_is_compiled_anew_when_it_changes(tmp_path):
    """Two files away: numba alone looks at the file of the function, and gives the old number."""
    files = {
        "lib/__init__.py": "",
        "lib/deep/__init__.py": "",
        "lib/deep/base.py": "FACTOR = 2.0\n",
        "lib/sizes.py": "from lib.deep import base\nLARGEST = base.FACTOR\n",
        "lib/loops.py": "from lib.compiled import njit\nfrom lib.sizes import LARGEST\n"
        "@njit(cache=True)\ndef grown(x): return LARGEST * x\n",
        "lib/compiled.py": Path(compiled.__file__).read_text(encoding="utf-8"),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    code = "from lib.loops import grown; print(grown(3.0), sum(grown.stats.cache_hits.values()))"

    def run():
        environment = os.environ | {"PYTHONPATH": str(tmp_path)}
        command = [sys.executable, "-c", code]
        return subprocess.check_output(command, cwd=tmp_path, env=environment, text=True).split()

    assert run() == ["6.0", "0"] and run() == ["6.0", "1"]
    (tmp_path / "lib/deep/base.py").write_text("FACTOR = -3.0\n", encoding="utf-8")
    assert run() == ["-9.0", "0"] and run() == ["-9.0", "1"]
