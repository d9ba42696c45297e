"""``make elsewhere``: would an older processor print what is stored?

The libraries choose their kernels by processor, and kernels round differently.  In a copy of the
project they are told to take older ones; there every chapter is executed and compared with what is
stored, digit by digit as on any machine.
"""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence

from ledgerbook import paths, project
from ledgerbook.mutate import copies
from ledgerbook.statements import statement
from ledgerbook.validation import require

# What each library is told: OpenBLAS, torch, numba, the C library's mathematics, numpy.
LIBC, NUMPY = "-AVX512F,-AVX512DQ,-AVX512VL,-AVX512BW", "X86_V4 AVX512_ICL AVX512_SPR"
OLDER = {
    "avx2": {
        "OPENBLAS_CORETYPE": "Haswell",
        "ATEN_CPU_CAPABILITY": "avx2",
        "NUMBA_CPU_NAME": "haswell",
        "GLIBC_TUNABLES": f"glibc.cpu.hwcaps={LIBC}",
        "NPY_DISABLE_CPU_FEATURES": NUMPY,
    },
    "sse": {
        "OPENBLAS_CORETYPE": "Nehalem",
        "ATEN_CPU_CAPABILITY": "default",
        "NUMBA_CPU_NAME": "nehalem",
        "GLIBC_TUNABLES": f"glibc.cpu.hwcaps=-AVX2,-FMA,{LIBC}",
        "NPY_DISABLE_CPU_FEATURES": f"X86_V3 {NUMPY}",
    },
}


def main(tags: Sequence[str] = (), kernels: str = "sse") -> int:
    """Execute chapters in a copy with older kernels; the exit status of that ``book``, 1 for drift.

    Raises ``ValueError`` for kernels or a tag that nobody knows, and on a processor that has none
    of them.
    """
    require(kernels in OLDER, "kernels", kernels, f"one of {', '.join(OLDER)}")
    machine = platform.machine()
    known = machine.lower() in ("x86_64", "amd64")
    require(known, "this machine's processor", machine, "x86_64: older kernels are those of x86")
    only = ["--only", *(statement(tag).tag for tag in tags)] if tags else []
    (copy,) = copies(1, "elsewhere")
    command = [sys.executable, *project.settings().command.split()[1:], "book", "--no-pages"]
    environment = {**os.environ, **OLDER[kernels], project.VARIABLE: str(copy)}
    environment["PYTHONPATH"] = paths.python_path(copy)
    try:
        return subprocess.run([*command, *only], cwd=copy, env=environment).returncode
    finally:
        shutil.rmtree(copy)
