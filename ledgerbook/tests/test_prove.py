"""What is proved in which order, and what the record says of it, with Coq's answers made up."""

import json
import shutil
import sys
from pathlib import Path

import pytest
from ledgerbook.coq import conformance, proofs, prove
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
    monkeypatch.setattr(prove, "scratch", lambda: tmp_path / "deep" / "scratch")
    monkeypatch.setattr(conformance, "goals_file", lambda source, ties: f"{len(ties)} ties")
    (tmp_path / "proofs").mkdir()
    texts = {"shared/tool": "Definition half (x : R) : R := x / 2.\n"}
    texts |= {f"textbook/{name}": LEMMA.format(name) for name in ("one", "two")}
    return [proofs.Source(tmp_path / f"proofs/{name}.v", text) for name, text in texts.items()]


@pytest.fixture
def did(monkeypatch):
    """What Coq is asked to do; it accepts everything."""
    did = []
    answers = {
        "coqc": "8.16.1 4.13.1",
        "coqdep": "textbook/one.vo: textbook/one.v shared/tool.vo\ntextbook/two.vo: textbook/two.v",
        "coqchk": "* Axioms: <none>",
    }

    def run(command, *words, **_):
        did.append((command, *words))
        for file in prove.scratch().glob("*/*.v") if command == "make" else ():
            if not file.with_suffix(".vo").exists():
                file.with_suffix(".vo").touch()
            file.with_suffix(".out").write_text("Closed under the global context", "utf-8")
            said = file.with_suffix(f".{file.stem.partition('_')[2]}.out")
            said.write_text("it\n     : 1 = 1", "utf-8")
        return answers.get(command, "")

    monkeypatch.setattr(prove, "run", run)
    return did


def test_the_record_says_what_was_proved_and_on_what_it_stands(sources, did):
    prove.prove(sources, ENTRIES)
    tool, one, _ = sources
    compiled = did[1][did[1].index("Makefile") + 1 :]
    assert {*compiled} == {
        *("shared/tool.v", "textbook/one.v", "textbook/two.v"),
        *("asked/Textbook_one.v", "asked/Textbook_two.v"),
        *("tied/Textbook_one.v", "tied/Textbook_two.v"),
    }
    text = (coq_record.folder() / "record.json").read_text(encoding="utf-8")
    said = json.loads(text)
    assert (said["coq"], said["shared"]) == ("8.16.1", {"shared.tool": tool.sha256})
    assert list(said["statements"]) == ["textbook.one", "textbook.two"]
    row = said["statements"]["textbook.one"]
    assert (row["sha256"], row["requires"]) == (one.sha256, ["shared.tool"])
    (theorem,) = row["theorems"]
    assert (theorem["name"], theorem["statement"]) == ("one", "it\n: 1 = 1")
    # For readers of a diff: sorted, a line a value, letters as they are.
    assert text == json.dumps(said, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    assert "√2" in text


def test_a_theorem_that_was_compared_with_the_print_and_changed_is_to_be_read_again(
    sources, did, monkeypatch, capsys
):
    for source in sources:
        source.path.parent.mkdir(exist_ok=True)
        source.path.write_text(source.text, encoding="utf-8")
    monkeypatch.setattr(proofs, "find", lambda: sources)
    monkeypatch.setattr(conformance, "ties", list)
    monkeypatch.setattr(conformance, "unmatched", lambda sources, entries: [])
    monkeypatch.setattr(prove, "missing_tools", list)
    compared = '["textbook.one"]\nbasis = "0"\nform = "As printed."\n'
    (coq_record.folder() / "compared.toml").write_text(compared, encoding="utf-8")
    assert prove.main() == 0
    assert "READ AGAIN compared.toml: textbook.one: " in capsys.readouterr().out


def test_an_error_is_told_with_its_place_and_a_goal_is_shown(sources):
    (prove.scratch() / "tied").mkdir(parents=True)
    (prove.scratch() / "tied/a.v").write_text("Open.\nGoal 1 = 2.\n", encoding="utf-8")
    said = 'File "./tied/a.v", line 2, characters 0-4:\nError: No\n such thing.\nmake[1]: *** [1]\n'
    command = sys.executable, "-c", f"import sys; sys.exit({said!r})"
    with pytest.raises(
        proofs.Failed, match=r"^tied/a.v, line 2: Goal 1 = 2.: Error: No such thing.$"
    ):
        prove.run(*command)


MAKEFILE = """all: part/a.vo part/b.vo
part/%.vo: part/%.v
\t@echo COQC $<
\t@test $* != b || sleep 1.5
\t@touch $@
"""


@pytest.mark.skipif(shutil.which("make") is None, reason="no make here")
def test_each_file_is_said_when_it_is_compiled_and_how_many_there_are(sources, capsys):
    """A makefile as Coq's, whose files take no Coq; one of the two takes longer than a look."""
    (prove.scratch() / "part").mkdir(parents=True)
    (prove.scratch() / "Makefile").write_text(MAKEFILE, encoding="utf-8")
    for name in "ab":
        (prove.scratch() / f"part/{name}.v").touch()
    prove.compile_new()
    said = capsys.readouterr().out.splitlines()
    assert [line.partition(" (")[0] for line in said] == [
        "1/2 compiled part/a.v",
        "2/2 compiled part/b.v",
    ]
    prove.compile_new()
    assert capsys.readouterr().out == ""


def test_a_command_that_does_not_end_is_ended_and_named(sources, monkeypatch):
    prove.scratch().mkdir(parents=True)
    monkeypatch.setattr(prove, "LIMIT", 1)
    with pytest.raises(proofs.Failed, match=r"took more than 1 s$"):
        prove.run(sys.executable, "-c", "import time; time.sleep(60)")


def test_where_there_are_no_proofs_that_is_one_line(sources):
    with pytest.raises(ValueError, match=r"^proofs = .*proofs', allowed: a folder of the project"):
        prove.main()


def test_what_is_unchanged_is_left_alone_and_read_a_second_time_once(sources, did):
    for asked in (1, 1):
        prove.prove(sources, ENTRIES)
        assert sum(command[0] == "coqchk" for command in did) == asked
    times = {file: file.stat().st_mtime_ns for file in prove.scratch().rglob("*.v")}
    prove.prove(sources[:2], ENTRIES)
    left = {file: file.stat().st_mtime_ns for file in prove.scratch().rglob("*.v")}
    assert left.items() < times.items() and not list(prove.scratch().glob("*/*two.vo"))
    (prove.scratch() / "textbook/one.vo").touch()
    prove.prove(sources[:2], ENTRIES)
    assert sum(command[0] == "coqchk" for command in did) == 2


@pytest.mark.parametrize(
    ("summary", "says"),
    [
        ("* Theory: Part.a.theory\n\n* Axioms:\n    Coq.Logic.em\n", None),
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
    sources = [proofs.Source(Path("/proofs/part/a.v"), "")]
    if says is None:
        assert prove.coqchk_says(summary, sources) is None
        return
    with pytest.raises(proofs.Failed) as failure:
        prove.coqchk_says(summary, sources)
    assert str(failure.value) == says


def test_without_coq_a_proof_is_named_that_the_record_does_not_speak_of_and_one_that_is_gone(
    sources, did, monkeypatch, capsys
):
    monkeypatch.setattr(proofs, "contradictions", lambda source: [])
    for source in sources:
        source.path.parent.mkdir(exist_ok=True)
        source.path.write_text(source.text, encoding="utf-8")
    prove.prove(sources, ENTRIES)
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
