"""The environment of kernels: quiet, and with folders of ours where HOME cannot be written."""

import gc
import platform

from ledgerbook.execution import environment, forkserver
from ledgerbook.project import paths


def usual():
    """What is set wherever the home can be written."""
    return environment.QUIET | {"PYTHONPATH": environment.quiet()["PYTHONPATH"]}


def test_garbage_is_looked_for_as_seldom_as_in_a_kernel_and_not_never():
    gc.set_threshold(700, 10, 10)
    environment.collect_seldom()
    assert gc.get_threshold() == forkserver.SELDOM > (10_000, 1, 1) and gc.isenabled()


def test_the_companion_s_packages_come_first_and_what_was_set_stays(project, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", f"/some/where:{paths.ROOT}")
    assert environment.quiet()["PYTHONPATH"] == f"{paths.python_path()}:/some/where"


def test_a_home_that_can_be_written_is_used(project, tmp_path, monkeypatch):
    for name in environment.HOMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert environment.quiet() == usual()


def test_a_home_that_cannot_be_written_is_replaced(project, tmp_path, monkeypatch):
    for name in environment.HOMES:
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "home").write_text("a file: no folder can be made in it", encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    found = environment.quiet()
    assert environment.quiet() == found
    assert set(found) - set(usual()) == set(environment.HOMES)
    assert all(found[name].startswith(str(paths.HOMES)) for name in environment.HOMES)


def test_a_folder_that_the_user_named_is_left_alone(project, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", "/proc/nowhere")
    for name in environment.HOMES:
        monkeypatch.setenv(name, str(tmp_path))
    assert environment.quiet() == usual()


def test_python_and_platform_are_described():
    words = environment.described().split()
    assert words == ["Python", platform.python_version(), "on", platform.system(), words[-1]]
    assert words[-1] == platform.machine()
