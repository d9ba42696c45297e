"""How Coq is asked and what it answers; what the second checker reads, and when."""

from pathlib import Path

import pytest
from ledgerbook.coq import coq, proofs

HEADER = "From Coq Require Import Reals.\n"
SAYS = "* Axioms: <none>\n"


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """Re-check files of ``{name: text}``: whether it had to, and what coqchk was told."""
    told = []
    monkeypatch.setattr(coq, "SCRATCH", tmp_path)
    monkeypatch.setattr(coq, "run", lambda *command: told.append(command[6:]) or SAYS)

    def recheck(texts):
        told.clear()
        sources = [proofs.Source(tmp_path / f"part/{name}.v", text) for name, text in texts.items()]
        hashes = {source.tag: source.sha256 for source in sources}
        return coq.recheck("8.16", sources, hashes), [word for words in told for word in words]

    return recheck


def test_the_second_checker_reads_all_once_and_again_when_a_proof_changed(asked):
    texts = {"a": HEADER, "b": HEADER}
    assert asked(texts) == (True, ["Part.a", "Part.b"])
    assert asked(texts) == (False, [])
    assert asked(texts | {"b": f"{HEADER}Definition d := 0."}) == (True, ["Part.a", "Part.b"])


def source(name, text=HEADER):
    """A file of proofs that lies nowhere."""
    return proofs.Source(Path(f"/proofs/{name}.v"), text)


def test_a_result_is_of_today_while_nothing_changed_that_it_stands_on():
    needs = {"part.a": {"part.b"}, "part.b": set(), "part.c": set()}

    def keys(version="8.16", **texts):
        return coq.keys(version, [source(f"part/{k}", texts.get(k, HEADER)) for k in "abc"], needs)

    first = keys()
    assert keys() == first and len(set(first.values())) == 3

    def changed(**given):
        return {tag[-1] for tag, key in keys(**given).items() if key != first[tag]}

    assert changed(a="Check 0.") == {"a"}
    assert changed(b="Check 0.") == {"a", "b"}
    assert changed(version="8.17") == {"a", "b", "c"}


def test_all_is_done_that_can_be_and_every_failure_is_named():
    did = []

    def work(name):
        did.append(name)
        if name in "ac":
            raise proofs.Failed(f"{name} is wrong")
        return name.upper()

    needs = {"c": set(), "a": set(), "b": {"a"}, "d": set(), "e": {"d"}}
    with pytest.raises(proofs.Failed, match="^a is wrong\nc is wrong$"):
        coq.in_order(needs, work)
    assert sorted(did) == ["a", "c", "d", "e"] and did.index("d") < did.index("e")
    assert coq.in_order({"d": set(), "e": {"d"}}, work) == {"d": "D", "e": "E"}
    with pytest.raises(ZeroDivisionError):
        coq.in_order({"z": set()}, lambda name: 1 / 0)


@pytest.mark.parametrize(
    ("summary", "says"),
    [
        ("* Theory: Part.a.theory\n\n* Axioms:\n    Coq.Logic.em\n", None),
        ("* Axioms: <none>\n", None),
        ("* Axioms: <none>\n* Inductives whose positivity is assumed:\n  Part.ab\n", None),
        ("* Axioms:\n    Coq.Logic.em\n    Part.a.wish\n", "coqchk: axioms: Part.a.wish"),
        (
            "* Axioms: <none>\n* Inductives whose positivity is assumed:\n  Part.a.tree\n",
            "coqchk: inductives whose positivity is assumed: Part.a.tree",
        ),
        ("y" + "x" * 300, f"coqchk gave no summary: {'x' * 300}"),
    ],
)
def test_the_second_checker_speaks_of_axioms_and_of_rules_switched_off(summary, says):
    if says is None:
        assert coq.coqchk_says(summary, [source("part/a")]) is None
        return
    with pytest.raises(proofs.Failed) as failure:
        coq.coqchk_says(summary, [source("part/a")])
    assert str(failure.value) == says
