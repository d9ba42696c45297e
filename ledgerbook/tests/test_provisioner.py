"""What is done where no kernel can be forked."""

import asyncio

import pytest
from ledgerbook.execution import provisioner
from ledgerbook.execution.provisioner import ADDRESS, ORDINARY, ForkedKernel

KERNEL = ["python3", "-m", "ipykernel_launcher", "-f", "kernel.json"]


@pytest.mark.parametrize("command", [KERNEL, ["R", "kernel.json"]])
def test_without_an_answer_a_kernel_is_started_in_the_ordinary_way_and_that_is_told(
    tmp_path, monkeypatch, command
):
    async def ordinary(self, cmd, **named):
        return cmd

    kernel, warned = ForkedKernel(), []
    monkeypatch.setattr(provisioner.LocalProvisioner, "launch_kernel", ordinary)
    monkeypatch.setattr(kernel.log, "warning", lambda words, why: warned.append(words % why))
    monkeypatch.setenv(ADDRESS, str(tmp_path / "nobody"))
    assert asyncio.run(kernel.launch_kernel(command)) == command
    (line,) = warned
    assert line.startswith("no kernel was forked (") and line.endswith("in the ordinary way")


def test_without_forks_one_line_says_so(monkeypatch):
    lines = []
    monkeypatch.setattr(provisioner, "_can_fork", lambda: False)
    with provisioner.warmed({}, lines.append):
        assert ADDRESS not in provisioner.os.environ
    assert lines == [f"{ORDINARY}: this system has no fork of a warmed process"]
