"""A killed owner of forked kernels: its processes and folders go too."""

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from ledgerbook.project import tempdirs

pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="Linux only")

OWNER = """
import dataclasses, os, sys, time
from jupyter_client.manager import start_new_kernel
from ledgerbook import environment, project, provisioner
few = dataclasses.replace(project.settings(), preload=())
project.settings = lambda: few
os.environ.update(environment.quiet())
provisioner.use()
with provisioner.warmed(environment.quiet()):
    manager, client = start_new_kernel(kernel_name="python3")
    client.execute("import time; time.sleep(600)")
    server = os.path.dirname(os.environ[provisioner.ADDRESS])
    print(manager.provisioner.process.pid, server, os.path.dirname(manager.connection_file))
    sys.stdout.flush()
    time.sleep(600)
"""


def test_a_killed_owner_leaves_no_process_and_no_folder():
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True)
    pid, server, folder = owner.stdout.readline().split()
    kernel = psutil.Process(int(pid))
    processes = [kernel, kernel.parent()]
    assert processes[1].parent().pid == owner.pid and Path(server, "server").is_socket()
    owner.kill()
    owner.wait()
    assert psutil.wait_procs(processes, timeout=60)[1] == []
    tempdirs.sweep()  # as the next run does
    assert not Path(server).exists() and not Path(folder).exists()
