"""What the doctor says of a made-up machine."""

from importlib.metadata import PackageNotFoundError

from ledgerbook.commands import doctor
from ledgerbook.project import paths


def test_another_version_than_the_pinned_one_is_a_problem_and_another_build_of_it_is_none(
    tmp_path, monkeypatch
):
    here = {"torch": "2.1.0+cpu", "numpy": "1.0"}

    def version(name):
        if name not in here:
            raise PackageNotFoundError(name)
        return here[name]

    pinned = tmp_path / "requirements.txt"
    pinned.write_text("# a == b\n\ntorch==2.1.0\nnumpy==1.1\nscipy==1.2\n", encoding="utf-8")
    monkeypatch.setattr(paths, "LOCKS", (pinned,))
    monkeypatch.setattr(doctor.importlib.metadata, "version", version)
    found = [line.partition(": run")[0] for line in doctor.problems()]
    assert found == ["numpy: 1.0, wanted 1.1", "scipy: missing, wanted 1.2"]
