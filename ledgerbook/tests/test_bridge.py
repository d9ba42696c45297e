"""When the goals that tie Coq to Python are proved again, and when they are not."""

import pytest

from ledgerbook import bridge, coq, paths, proofs

TIE = bridge.Tie("part-one.easy", "twice", "twice {x}", "x + x", "done.", {"x": "whole 3 3"})


@pytest.fixture
def crossed(tmp_path, monkeypatch):
    """Cross the bridge of one file under a key: whether it had to, and what Coq was given."""
    given = []
    monkeypatch.setattr(proofs, "PROOFS", tmp_path)
    monkeypatch.setattr(coq, "SCRATCH", tmp_path)
    monkeypatch.setattr(bridge, "coqc", lambda file, options: given.append(file))
    monkeypatch.setattr(bridge, "computed", lambda expression, arguments: 6.0)
    source = proofs.Source(tmp_path / "part-one/easy.v", "")
    return lambda key: (bridge.cross(source, [TIE], key, []), len(given))


def test_goals_are_proved_once_and_again_for_a_changed_proof(crossed):
    assert crossed("the proof") == (True, 1)
    assert crossed("the proof") == (False, 1)
    assert crossed("another proof") == (True, 2)


def test_a_goal_that_coq_refuses_is_shown(crossed, tmp_path, monkeypatch):
    def refuse(file, options):
        lines = (tmp_path / file).read_text("utf-8").splitlines()
        place = next(n for n, line in enumerate(lines, 1) if line.startswith("Goal"))
        raise proofs.Failed(f'File "./{file}", line {place}, characters 0-4: Error')

    monkeypatch.setattr(bridge, "coqc", refuse)
    with pytest.raises(proofs.Failed, match=r"bridge of \S+: Goal .*\n.*Error"):
        crossed("the proof")


def test_changed_code_that_computes_the_same_asks_coq_nothing(crossed, tmp_path, monkeypatch):
    assert crossed("the proof") == (True, 1)
    lock = tmp_path / "requirements.lock"
    lock.write_text("numpy==2", encoding="utf-8")
    monkeypatch.setattr(paths, "LOCKS", (lock,))
    assert crossed("the proof") == (False, 1)
