"""What ``make lock`` makes of the list of requirements."""

import subprocess

import pytest

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


def test_a_lock_is_read_by_package_in_order_and_without_its_header():
    text = "\n".join(["# made by hand", TORCH, NUMPY, SYMPY, CUBLAS]) + "\n"
    assert lock.entries(text) == LOCKED and list(lock.entries(text)) == list(LOCKED)
    assert lock.entries("") == {}


def test_what_only_a_torch_for_cuda_needs_goes_into_the_second_lock():
    files = lock.split(LOCKED, {"numpy==2.0": NUMPY, "sympy==1.9": SYMPY})
    first, second = files["requirements.lock"], files["cuda.lock"]
    assert first.endswith(f"`make lock`.\n{NUMPY}\n{SYMPY}\n{TORCH}\n") and "cublas" not in first
    assert second.endswith(f"`make lock`.\n{CUBLAS}\n")
    assert all(text.startswith("# ") for text in files.values())


@pytest.fixture
def resolver(tmp_path, monkeypatch):
    """Stands for the environment and for uv, which locks each line as ``name==version``; its rows:
    what was asked, what was preferred.  ``fails``: the program that does not succeed.
    """

    class Resolver:
        asked, fails, printed = [], None, []

        def run(self, command, check=False, stdout=None):
            program = command[0].name
            if check and program == self.fails:
                raise subprocess.CalledProcessError(1, command)
            if program == "uv":
                assert command[0].is_relative_to(tmp_path / "lock")
                listed, out = command[3], command[command.index("--output-file") + 1]
                self.asked.append((listed.read_text(), out.read_text()))
                self.printed.append(stdout)
                out.write_text("# made\n" + listed.read_text())

    def create(folder, with_pip=False):
        assert with_pip, "nothing can be installed there"
        folder.mkdir(exist_ok=True)

    made = Resolver()
    monkeypatch.setattr(lock, "BUILD", tmp_path)
    monkeypatch.setattr(lock.venv, "create", create)
    monkeypatch.setattr(lock.subprocess, "run", made.run)
    return made


def test_what_is_resolved_keeps_what_is_preferred(resolver):
    assert lock.compile_lock("numpy==2.0\n", "numpy==1.9") == {"numpy==2.0": "numpy==2.0"}
    assert resolver.asked == [("numpy==2.0\n", "numpy==1.9")]
    assert resolver.printed == [subprocess.DEVNULL]


@pytest.mark.parametrize("program", ["python", "uv"])
def test_a_resolution_that_fails_is_not_taken_for_a_lock(resolver, program):
    resolver.fails = program
    with pytest.raises(subprocess.CalledProcessError):
        lock.compile_lock("numpy==2.0\n", "")


def test_all_three_locks_are_written(resolver, tmp_path, monkeypatch, capsys):
    """The second resolution is without torch and prefers what the first one found."""
    listed = tmp_path / "requirements.txt"
    listed.write_text("# core\nnumpy==2.0\ntorch==2.1\n")
    (tmp_path / "cuda.lock").write_text("cuda==1\n")
    monkeypatch.setattr(lock, "ROOT", tmp_path)
    monkeypatch.setattr(lock, "LOCKS", (listed, None))
    (tmp_path / "tooling").mkdir()
    assert lock.main() == 0
    assert resolver.asked == [
        ("# core\nnumpy==2.0\ntorch==2.1\n", "cuda==1\n"),
        ("# core\nnumpy==2.0\n", "numpy==2.0\ntorch==2.1"),
        (f"{lock.UV}\n", ""),
    ]
    found = {file: (tmp_path / file).read_text() for file in (*lock.HEADERS, lock.INSTALLER[0])}
    assert found == {
        "requirements.lock": lock.HEADERS["requirements.lock"] + "numpy==2.0\ntorch==2.1\n",
        "cuda.lock": lock.HEADERS["cuda.lock"] + "\n",
        "tooling/installer.lock": f"{lock.INSTALLER[1]}{lock.UV}\n",
    }
    printed = "requirements.lock: 2 packages\ncuda.lock: 0 packages\n"
    assert capsys.readouterr().out == f"{printed}tooling/installer.lock: 1 packages\n"
