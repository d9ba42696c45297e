"""What ``make`` installs first."""

import json
import subprocess

import pytest

from tooling import install


@pytest.mark.parametrize(
    "asked, wanted",
    [(["numpy", "nvidia-cublas==13"], True), (["cuda-bindings"], True), (["numpy"], False)],
)
def test_a_torch_that_asks_for_cuda_is_told_from_one_that_does_not(tmp_path, asked, wanted):
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho '{json.dumps(asked)}'\n", encoding="utf-8")
    python.chmod(0o755)
    assert install.wants_cuda(python) is wanted


def test_an_environment_whose_packages_do_not_come_is_not_ready(tmp_path, monkeypatch):
    def run(command, check=False, **how):
        if check and "install" in command:
            raise subprocess.CalledProcessError(1, command)
        return subprocess.CompletedProcess(command, 1)

    monkeypatch.setattr(install.subprocess, "run", run)
    monkeypatch.setattr(install, "wants_cuda", lambda python: False)
    with pytest.raises(subprocess.CalledProcessError):
        install.install(tmp_path)
    assert not install.is_ready(tmp_path)
