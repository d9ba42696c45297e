"""What is proved in which order, and what the record says of it, with Coq's answers made up."""

import json

import pytest
from ledgerbook.coq import conformance, coq, proofs, prove
from ledgerbook.ledger import coq_record

LEMMA = """Definition twice (x : R) : R := x + x.
(* THEOREM {0} | holds-as-printed | Two times √2 is it and it again. *)
(* BRIDGE twice | power.iteration.rate | x *)
(* BRIDGE Shared.tool.half | power.iteration.rate | x *)
"""
TIE = conformance.Tie("textbook.one", "twice", "twice {x}", "x + x", "done.", {}, goals=2)
ENTRIES = [
    TIE,
    conformance.Tie("textbook.two", "twice", "twice {x}", "x + x", "done.", {}, goals=5),
    conformance.Tie("textbook.two", "Shared.tool.half", "half {x}", "x / 2", "done.", {}, goals=7),
]


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A shared file, which the lemma `one` needs, and the lemma `two`, which needs nothing."""
    monkeypatch.setattr(coq_record, "folder", lambda: tmp_path / "proofs")
    monkeypatch.setattr(coq, "SCRATCH", tmp_path / "deep" / "scratch")
    monkeypatch.setattr(conformance, "ties", lambda: ENTRIES)
    (tmp_path / "proofs").mkdir()
    texts = {"shared/tool": "Definition half (x : R) : R := x / 2.\n"}
    texts |= {f"textbook/{name}": LEMMA.format(name) for name in ("one", "two")}
    return [proofs.Source(tmp_path / f"proofs/{name}.v", text) for name, text in texts.items()]


@pytest.fixture
def did(monkeypatch):
    """What Coq is asked to do."""
    did = []

    def compiled(source, options):
        did.append(source.tag)
        return {one.name: {"statement": "1 = 1", "axioms": []} for one in source.theorems}

    def crossed(source, entries, key, options):
        did.append(("cross", source.tag, len(entries)))
        return source.tag == "textbook.one"

    needs = {"shared.tool": set(), "textbook.one": {"shared.tool"}, "textbook.two": set()}
    monkeypatch.setattr(coq, "run", lambda *command: "8.16.1 4.13.1\n")
    monkeypatch.setattr(coq, "copy_sources", lambda sources: None)
    monkeypatch.setattr(coq, "dependencies", lambda sources: needs)
    monkeypatch.setattr(coq, "compile_source", compiled)
    monkeypatch.setattr(conformance, "cross", crossed)
    monkeypatch.setattr(coq, "recheck", lambda version, sources, current: True)
    return did


def test_the_record_says_what_was_proved_and_on_what_it_stands(sources, did):
    assert prove.prove(sources) == "3 compiled, 1 crossed, all re-checked"
    assert {one for one in did if isinstance(one, str)} == {source.tag for source in sources}
    assert {one for one in did if one[0] == "cross"} == {
        ("cross", "textbook.one", 1),
        ("cross", "textbook.two", 2),
    }
    tool, one, _ = sources
    text = (coq_record.folder() / "record.json").read_text(encoding="utf-8")
    said = json.loads(text)
    assert (said["coq"], said["shared"]) == ("8.16.1", {"shared.tool": tool.sha256})
    assert list(said["statements"]) == ["textbook.one", "textbook.two"]
    row = said["statements"]["textbook.one"]
    assert (row["file"], row["sha256"]) == ("proofs/textbook/one.v", one.sha256)
    assert row["requires"] == ["shared.tool"]
    (theorem,) = row["theorems"]
    assert (theorem["name"], theorem["statement"]) == ("one", "1 = 1")
    assert [tied["goals"] for tied in row["bridges"]] == [2, 7]
    # For readers of a diff: sorted, a line a value, letters as they are.
    assert text == json.dumps(said, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    assert "√2" in text


def test_without_coq_a_proof_is_named_that_the_record_does_not_speak_of_and_one_that_is_gone(
    sources, did, monkeypatch, capsys
):
    monkeypatch.setattr(proofs, "contradictions", lambda source: [])
    for source in sources:
        source.path.parent.mkdir(exist_ok=True)
        source.path.write_text(source.text, encoding="utf-8")
    prove.prove(sources)
    assert prove.without_coq(sources) == 0
    assert prove.without_coq(sources[:2]) == 1
    sources[2].path.write_text("Definition half := 2.", encoding="utf-8")
    assert prove.without_coq(sources) == 1
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("NOT")]
    assert said == [
        "NOT PROVED textbook.two: the record speaks of a file that is not there",
        "NOT PROVED textbook.two: the source of textbook.two changed since it was checked:"
        " run make prove",
    ]
