"""``njit`` with numba and without it."""

import os
import subprocess
import sys
from importlib import reload
from pathlib import Path

import numpy as np
import pytest

from lib import compiled

ROOT = Path(__file__).parent.parent
PLAIN = "import sys; sys.modules['numba'] = None; import numpy as np; "  # its import fails
LOOPS = {
    "lib.kernels": """
from lib.kernels import slopes
rng = np.random.default_rng(0)
logits, bias = (rng.normal(size=shape).astype(np.float32) for shape in ((3, 5), 5))
slope = np.zeros(5, np.float32)
loss = slopes(logits, bias, np.array([0, 4, 2]), slope)
print(loss, *logits.ravel(), *slope)""",
    "lib.mechanics.compiled_descent": """
from lib.mechanics.compiled_descent import run_trial
from lib.mechanics.five_samples import five_samples
data = five_samples()
moves, masses, norm = run_trial(data, np.zeros((data.embeddings.shape[1],) * 2), 0.1, 4)
print(*moves[-1].ravel(), *masses[-1].ravel(), norm[-1])""",
}


def test_without_numba_functions_stay_as_they_are(monkeypatch):
    double = lambda x: 2 * x
    assert compiled.njit(cache=False)(double) is not double  # here numba is installed
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "numba", None)  # its import fails
        assert reload(compiled).njit(cache=True, nogil=True)(double) is double
    assert reload(compiled).njit(cache=False)(double)(3) == 6


@pytest.mark.parametrize("loop", LOOPS)
def test_loops_give_the_same_numbers_as_plain_python(loop):
    """In a process of its own, in which numba cannot be imported."""
    found = [
        subprocess.run(
            [sys.executable, "-c", start + LOOPS[loop]],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for start in (PLAIN, "import numpy as np")
    ]
    plain, fast = (np.array(values, dtype=float) for values in found)
    np.testing.assert_allclose(plain, fast, rtol=1e-5, atol=1e-6)


def test_what_can_be_kept_nowhere_is_compiled_all_the_same():
    made = {}
    exec("def double(x):\n    return 2 * x", made)  # in no file: numba finds no folder for it
    assert compiled.njit(cache=True)(made["double"])(3) == 6


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_what_was_kept_and_cut_short_is_compiled_anew(tmp_path, kind):
    """What a full disk leaves; numba alone ends in an error of unpickling."""
    code = "from lib.compiled import njit\n@njit(cache=True)\ndef twice(x): return 2 * x\n"
    file = tmp_path / "twice.py"
    file.write_text(f"{code}print(twice(3))\n", encoding="utf-8")
    env = os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path / "kept")}

    def run():
        done = subprocess.run([sys.executable, file], env=env, capture_output=True, text=True)
        return done.stdout, done.stderr

    assert run() == ("6\n", "")
    for kept in tmp_path.rglob(f"*.{kind}"):
        kept.write_bytes(kept.read_bytes()[:40])
    assert run() == ("6\n", "") and run() == ("6\n", "")
