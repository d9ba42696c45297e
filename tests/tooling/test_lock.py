"""What ``make lock`` makes of the list of requirements."""

from tooling import lock

TORCH = "torch==2.1 \\\n    --hash=sha256:aa"
CUBLAS = (
    "nvidia-cublas==13 ; sys_platform == 'linux' \\\n    --hash=sha256:bb \\\n    --hash=sha256:cc"
)
NUMPY = "numpy==2.0 \\\n    --hash=sha256:dd"
SYMPY = "sympy==1.9 \\\n    --hash=sha256:ee"
LOCKED = {
    "numpy==2.0": NUMPY,
    "nvidia-cublas==13": CUBLAS,
    "sympy==1.9": SYMPY,
    "torch==2.1": TORCH,
}


def test_what_only_a_torch_for_cuda_needs_goes_into_the_second_lock():
    others = {"numpy==2.0": NUMPY, "sympy==1.9": SYMPY}
    files = lock.texts(LOCKED, others, {"uv==0.1": "uv==0.1"})
    first, second, _ = files.values()
    assert first.endswith(f"`make lock`.\n{NUMPY}\n{SYMPY}\n{TORCH}\n") and "cublas" not in first
    assert second.endswith(f"`make lock`.\n{CUBLAS}\n")
    assert all(text.startswith("# ") for text in files.values())
