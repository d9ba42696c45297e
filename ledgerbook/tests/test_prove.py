"""What is proved in which order, and what the record says of it, with Coq's answers made up."""

import json

import pytest
from ledgerbook.coq import conformance, coq, proofs, prove

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
    monkeypatch.setattr(proofs, "PROOFS", tmp_path / "proofs")
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
    text = (proofs.PROOFS / "record.json").read_text(encoding="utf-8")
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


def test_without_coq_each_proof_is_named_that_the_record_does_not_speak_of(
    sources, monkeypatch, capsys
):
    monkeypatch.setattr(proofs, "is_current", lambda tag: tag == "textbook.one")
    monkeypatch.setattr(proofs, "contradictions", lambda source: [])
    assert prove.without_coq(sources[:2]) == 0
    assert prove.without_coq(sources) == 1
    said = capsys.readouterr().out
    assert "NOT PROVED textbook.two: its source is not the one" in said
    assert "textbook.one" not in said and "shared.tool" not in said


def test_without_coq_a_recorded_file_that_is_gone_is_named(sources, monkeypatch, capsys):
    monkeypatch.setattr(proofs, "is_current", lambda tag: True)
    monkeypatch.setattr(proofs, "contradictions", lambda source: [])
    monkeypatch.setattr(
        prove.coq_record, "record", lambda folder: {"statements": {"textbook.one": {}}}
    )
    assert prove.without_coq(sources) == 0
    assert prove.without_coq(sources[2:]) == 1
    assert "NOT PROVED textbook.one: the record speaks of a file" in capsys.readouterr().out
