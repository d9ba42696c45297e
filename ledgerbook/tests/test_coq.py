"""How Coq prints statements; what the second checker reads: all at first, then what changed."""

import pytest

from ledgerbook import coq, proofs

HEADER = "From Coq Require Import Reals.\n"
SAYS = "* Axioms: <none>\n"
INDENT = 5  # columns that Coq puts before the type, and the record does not keep


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """Re-check files of ``{name: text}``: how many it read, and what coqchk was told."""
    told = []
    monkeypatch.setattr(coq, "SCRATCH", tmp_path)
    monkeypatch.setattr(coq, "run", lambda *command: told.append(command[6:]) or SAYS)

    def recheck(texts):
        told.clear()
        sources = [proofs.Source(tmp_path / f"part/{name}.v", text) for name, text in texts.items()]
        hashes = {source.tag: source.sha256 for source in sources}
        return coq.recheck("8.16", sources, hashes), [word for words in told for word in words]

    return recheck


def test_the_second_checker_reads_the_libraries_once_and_then_what_changed(asked):
    texts = {"a": HEADER, "b": HEADER}
    assert asked(texts) == (2, ["Part.a", "Part.b"])
    assert asked(texts) == (0, [])
    assert asked(texts | {"b": f"{HEADER}Definition d := 0."}) == (1, ["-norec", "Part.b"])


def test_another_library_is_read_with_all_that_lies_below(asked):
    assert asked({"a": HEADER, "b": HEADER})[0] == 2
    more = {"a": HEADER, "b": f"{HEADER}From Coq Require Import Lra."}
    assert asked(more) == (2, ["Part.a", "Part.b"])


@pytest.mark.skipif(bool(coq.missing_tools()), reason="no Coq here")
@pytest.mark.parametrize(("columns", "lines"), [(89, 1), (90, 2)])
def test_a_statement_is_broken_into_lines_below_90_columns(columns, lines, tmp_path, monkeypatch):
    """As in the records that are kept: the same proof gives the same bytes."""
    monkeypatch.setattr(coq, "SCRATCH", tmp_path)
    name = "y" * (columns - INDENT - len(": forall n : , n = n"))
    text = f"Definition {name} := nat.\nTheorem wide : forall n : {name}, n = n.\n"
    text += "Proof. reflexivity. Qed.\n(* THEOREM wide | holds-as-printed | words *)\n"
    source = proofs.Source(tmp_path / "part/wide.v", text)
    coq.copy_sources([source])
    said = coq.compile_source(source, coq.mapping([source]))["wide"]["statement"]
    assert said.startswith("wide\n: forall n") and len(said.splitlines()) == 1 + lines


def test_the_scratch_folder_is_brought_to_the_present_sources(tmp_path, monkeypatch):
    monkeypatch.setattr(coq, "SCRATCH", tmp_path / "below/scratch")
    monkeypatch.setattr(proofs, "PROOFS", tmp_path / "proofs")
    (proofs.PROOFS / "part").mkdir(parents=True)
    one, two = (proofs.Source(tmp_path / f"part/{name}.v", HEADER) for name in "ab")
    other = proofs.Source(tmp_path / "other/c.v", HEADER)
    coq.copy_sources([one, two, other])
    folder = coq.SCRATCH / "part"
    before = (folder / "a.v").stat().st_mtime_ns
    coq.copy_sources([one])
    assert [file.name for file in folder.iterdir()] == ["a.v"]
    assert (folder / "a.v").stat().st_mtime_ns == before  # what Coq made of it is still of today
    assert (coq.SCRATCH / "other/c.v").exists()  # no folder of the companion's proofs
    coq.copy_sources([proofs.Source(one.path, "Check 0.")])
    assert (folder / "a.v").read_text(encoding="utf-8") == "Check 0."
