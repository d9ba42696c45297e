"""Forked kernels are the kernels that an ordinary start gives, also when one is killed."""

import os
import pkgutil

import nbformat
import pytest
from jupyter_client.provisioning import KernelProvisionerFactory
from ledgerbook.execution import environment, execute, provisioner
from ledgerbook.project.project import current

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="Linux only"),
]

CELLS = (
    "import os, sys, random, numpy as np, torch, sympy as sp\nfrom scipy import stats, optimize",
    "print(sys.argv[1:2], sys.path, sys.flags, os.getcwd(), os.environ['MARK'], __name__)",
    "{name: os.environ.get(name) for name in sorted(os.environ) if name.startswith(('OMP', 'PY'))}",
    "sorted(name for name in sys.modules if name.split('.')[0] in ('lib', 'tooling'))",
    "np.random.default_rng(0).normal(size=(40, 50)) @ np.random.default_rng(1).normal(size=50)",
    "torch.manual_seed(0); (torch.randn(50, 50) @ torch.randn(50)).sum().item(), hash('word')",
    "x = sp.Symbol('x'); print(set('abcdef'), sp.integrate(sp.exp(-x) * sp.sin(x), x))",
    "print(optimize.brentq(np.cos, 1, 2), stats.t(3).ppf(0.9), torch.get_num_threads())",
    "import signal\nsignal.getsignal(signal.SIGCHLD), os.getsid(0) == os.getpid()",
)


@pytest.fixture(scope="module", autouse=True)
def quiet():
    """Kernels of these tests are started by the provisioner, under the kernels' environment."""
    factory = KernelProvisionerFactory.instance()
    usual = factory.default_provisioner_name
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**environment.quiet(), "MARK": "here"}.items():
            patch.setenv(name, value)
        provisioner.use()
        yield
    factory.default_provisioner_name = usual


@pytest.fixture(scope="module")
def warm(quiet):
    """One warmed process for the tests that leave it alive."""
    lines = []
    with provisioner.warmed(lines.append):
        yield
    assert lines == []


def outputs(folder):
    """Outputs of the cells above, executed in ``folder``."""
    cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    done = execute.execute(nbformat.v4.new_notebook(cells=cells), folder)
    return [cell.outputs for cell in done.cells]


def test_a_forked_kernel_gives_what_a_fresh_one_gives(warm, tmp_path, monkeypatch):
    forked, start = [], provisioner.fork
    monkeypatch.setattr(
        provisioner, "fork", lambda *a, **k: forked.append(start(*a, **k)) or forked[-1]
    )
    fork = outputs(tmp_path)
    assert len(forked) == 1 and forked[0].poll() == 0
    monkeypatch.delenv(provisioner.ADDRESS)
    assert fork == outputs(tmp_path)
    assert str(tmp_path) in fork[1][0]["text"] and "here __main__" in fork[1][0]["text"]
    assert fork[3][0]["data"]["text/plain"] == "[]"


def test_what_is_made_ready_for_kernels_is_there():
    """A name that leads nowhere is passed over where kernels are made: it would cost time alone."""
    for name in current().settings.preload:
        assert callable(pkgutil.resolve_name(name)) == (":" in name)


def test_a_killed_kernel_is_reported_with_the_signal(warm, tmp_path):
    cell = nbformat.v4.new_code_cell("import os; os.kill(os.getpid(), 9)")
    with pytest.raises(RuntimeError, match=r"^the kernel died \(killed by SIGKILL, as"):
        execute.execute(nbformat.v4.new_notebook(cells=[cell]), tmp_path)
