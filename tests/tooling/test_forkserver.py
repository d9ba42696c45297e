"""Forked kernels are the kernels that an ordinary start gives, and nothing outlives its owner."""

import dataclasses
import json
import os
import pkgutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import nbformat
import papermill
import psutil
import pytest
from jupyter_client.manager import KernelManager
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner
from ledgerbook.execution import environment, forkserver, provisioner, worker
from ledgerbook.project import settings

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="Linux only"),
]

CELLS = (
    "import os, sys, random, numpy as np, torch, sympy as sp\nfrom scipy import stats, optimize",
    "print(sys.argv[:2], sys.path, sys.flags, os.getcwd(), os.environ['MARK'], __name__)",
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
    with provisioner.warmed(environment.quiet(), say=lines.append):
        yield
    assert lines == []


@pytest.fixture
def kernel():
    """Start a kernel: (manager, client, its output files' folder)."""
    started = []

    def start(**options):
        manager = KernelManager(kernel_name="python3")
        manager.start_kernel(**options)
        client = manager.client()
        client.start_channels()
        client.wait_for_ready(timeout=60)
        started.append((manager, client))
        return manager, client

    yield start
    for manager, client in started:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def forked(manager):
    return isinstance(manager.provisioner.process, provisioner.ForkedProcess)


def eventually(condition, seconds=20):
    """Whether ``condition`` comes true in time."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def outputs(folder, name):
    """Outputs of the cells above, executed in ``folder``."""
    source, target = folder / "source.ipynb", folder / name
    cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), source)
    papermill.execute_notebook(
        str(source), str(target), kernel_name="python3", progress_bar=False, cwd=str(folder)
    )
    return [cell.outputs for cell in nbformat.read(target, 4).cells if cell.cell_type == "code"]


def test_a_forked_kernel_gives_what_a_fresh_one_gives(warm, tmp_path, monkeypatch):
    before = provisioner.children_cost()[0]
    fork = outputs(tmp_path, "forked.ipynb")
    assert provisioner.forked_cost["peak"] > 50e6 and provisioner.children_cost()[0] > before
    monkeypatch.delenv(provisioner.ADDRESS)
    assert fork == outputs(tmp_path, "fresh.ipynb")
    assert str(tmp_path) in fork[1][0]["text"] and "here __main__" in fork[1][0]["text"]
    assert fork[3][0]["data"]["text/plain"] == "[]"


@pytest.mark.parametrize("name", settings.settings().preload)
def test_what_is_made_ready_for_kernels_is_there(name):
    """A name that leads nowhere is passed over where kernels are made: it would cost time alone."""
    assert callable(pkgutil.resolve_name(name)) == (":" in name)


def test_a_crash_is_reported_with_its_status(warm, kernel):
    for code, expected in (("os._exit(7)", 7), ("os.kill(os.getpid(), 9)", -signal.SIGKILL)):
        manager, client = kernel()
        assert forked(manager) and manager.is_alive()
        process = manager.provisioner.process
        client.execute(f"import os; {code}")
        assert eventually(lambda: not manager.is_alive())
        assert process.poll() == process.wait() == expected


@pytest.mark.parametrize("server", [True, False], ids=["forked", "ordinary"])
def test_a_killed_kernel_is_reported_with_the_signal(warm, tmp_path, monkeypatch, server):
    if not server:
        monkeypatch.delenv(provisioner.ADDRESS)
    monkeypatch.setattr(provisioner, "ends", [])
    cell = nbformat.v4.new_code_cell("import os; os.kill(os.getpid(), 9)")
    source = tmp_path / "source.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), source)
    with pytest.raises(Exception) as error:
        worker.execute(source, tmp_path / "target.ipynb", {}, tmp_path)
    assert worker.describe(error.value) == "the kernel died (killed by SIGKILL)"


def test_an_interrupt_stops_the_cell_and_not_the_kernel(warm, kernel):
    manager, client = kernel()
    message = client.execute("import time; print('begun', flush=True); time.sleep(60)")
    while client.get_iopub_msg(timeout=20)["msg_type"] != "stream":
        pass
    manager.interrupt_kernel()
    reply = client.get_shell_msg(timeout=20)
    assert reply["parent_header"]["msg_id"] == message
    assert reply["content"]["ename"] == "KeyboardInterrupt" and manager.is_alive()


@pytest.mark.parametrize("server", [True, False], ids=["forked", "ordinary"])
def test_a_shutdown_is_silent(warm, kernel, tmp_path, monkeypatch, server):
    if not server:
        monkeypatch.delenv(provisioner.ADDRESS)
    signals, pass_on = [], LocalProvisioner.send_signal

    async def note(self, signum):
        signals.append(signum)
        await pass_on(self, signum)

    monkeypatch.setattr(LocalProvisioner, "send_signal", note)
    with open(tmp_path / "log", "w") as log:
        manager, client = kernel(stdout=log, stderr=log)
        assert forked(manager) == server
        folder = Path(manager.connection_file).parent
        client.stop_channels()
        manager.shutdown_kernel()
    assert (tmp_path / "log").read_text() == "" and not folder.exists()
    assert signals == []  # an interrupt would be reported as an error, if it came at a bad moment


def test_without_its_client_a_kernel_is_killed(warm, kernel):
    manager, _ = kernel()
    process = manager.provisioner.process
    process.connection.close()
    assert eventually(lambda: not psutil.pid_exists(process.pid))
    process.returncode = -signal.SIGKILL


def test_a_changed_thread_count_is_not_forked(warm, kernel, caplog):
    manager, client = kernel(env=os.environ | {"OMP_NUM_THREADS": "2"})
    assert not forked(manager)
    assert "OMP_NUM_THREADS changed since the imports" in caplog.text


def test_no_fork_beside_a_thread():
    request = {"executable": sys.executable, "env": dict(os.environ)}
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    try:
        assert "threads run in the server" in forkserver.refusal(request)
    finally:
        end.set()
        thread.join()
    code = (
        "import json, sys; from ledgerbook import forkserver;"
        "print(forkserver.refusal(json.load(sys.stdin)))"
    )
    alone = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(request), text=True, capture_output=True
    )
    assert alone.stdout == "None\n"
    assert "no-python" in forkserver.refusal(request | {"executable": "no-python"})


def test_a_dead_server_takes_its_kernels_along_and_is_replaced_by_the_ordinary_start(
    kernel, monkeypatch
):
    few = dataclasses.replace(settings.settings(), preload=())
    monkeypatch.setattr(settings, "settings", lambda: few)
    lines = []
    with provisioner.warmed(environment.quiet(), say=lines.append):
        manager, client = kernel()
        process = manager.provisioner.process
        client.execute("sum(range(10**12))")  # holds the interpreter: none of its threads runs
        time.sleep(1)
        psutil.Process(process.pid).parent().kill()
        assert eventually(lambda: not psutil.pid_exists(process.pid))
        assert not manager.is_alive() and process.returncode == -signal.SIGKILL
        manager, _ = kernel()
        assert manager.is_alive() and not forked(manager)
    assert lines == [
        "kernels start in the ordinary way: the warmed process died (killed by SIGKILL)"
    ]


def test_without_fork_kernels_start_in_the_ordinary_way(kernel, monkeypatch):
    monkeypatch.delattr(os, "fork")
    monkeypatch.delenv(provisioner.ADDRESS, raising=False)
    lines = []
    with provisioner.warmed(environment.quiet(), say=lines.append):
        manager, _ = kernel()
        assert manager.is_alive() and not forked(manager)
    assert len(lines) == 1 and "no fork" in lines[0]
