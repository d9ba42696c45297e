"""What the doctor says of a made-up machine."""

from importlib.metadata import PackageNotFoundError

from ledgerbook.commands import doctor


def test_another_version_than_the_pinned_one_is_a_problem_and_another_build_of_it_is_none(
    monkeypatch,
):
    here = {"torch": "2.1.0+cpu", "numpy": "1.0"}

    def version(name):
        if name not in here:
            raise PackageNotFoundError(name)
        return here[name]

    pins = {"torch": "2.1.0", "numpy": "1.1", "scipy": "1.2"}
    monkeypatch.setattr(doctor, "pins", lambda: pins)
    monkeypatch.setattr(doctor.importlib.metadata, "version", version)
    found = [line.partition(": run")[0] for line in doctor.packages()]
    assert found == ["numpy: 1.0, wanted 1.1", "scipy: missing, wanted 1.2"]
