"""How Coq is asked and what it answers; what the second checker reads: all, then what changed."""

from pathlib import Path

import pytest
from ledgerbook.coq import coq, proofs

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


def source(name, text=HEADER):
    """A file of proofs that lies nowhere."""
    return proofs.Source(Path(f"/proofs/{name}.v"), text)


def test_what_a_command_says_is_read_whole_and_of_a_failure_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(coq, "SCRATCH", tmp_path)
    assert coq.run("sh", "-c", "echo why >&2; pwd") == f"{tmp_path}\nwhy\n"
    lines = "for k in 1 2 3 4 5 6 7 8 9 10 11 12; do echo $k; done; echo why >&2; exit 2"
    with pytest.raises(proofs.Failed) as failure:
        coq.run("sh", "-c", lines)
    assert str(failure.value).split() == [str(k) for k in range(1, 13)]
    with pytest.raises(proofs.Failed, match="^why\nhow$"):
        coq.run("sh", "-c", "echo how; echo why >&2; exit 1")


@pytest.mark.parametrize("here", [(), coq.TOOLS[:1], coq.TOOLS])
def test_tools_that_are_not_on_the_path_are_missing(monkeypatch, here):
    monkeypatch.setattr(coq.shutil, "which", dict.fromkeys(here, "/bin/it").get)
    assert coq.missing_tools() == list(coq.TOOLS[len(here) :])


def test_every_folder_has_its_name_in_coq_once():
    files = [source("two-words/b"), source("part/a"), source("two-words/c")]
    names = ["-Q", "part", "Part", "-Q", "two-words", "TwoWords"]
    assert coq.mapping(files) == names


def test_coqdep_says_what_is_needed_of_the_companion_alone(monkeypatch):
    files = [source("part/a"), source("part/b_c"), source("shared/tool")]
    said = """part/a.vo part/a.glob part/a.v.beautified: part/a.v shared/tool.vo part/b_c.vo
part/a.vio: part/a.v shared/tool.vio
part/b_c.vo part/b_c.glob: part/b_c.v /usr/lib/coq/Reals.vo
shared/tool.vo: shared/tool.v
"""
    asked = []
    monkeypatch.setattr(coq, "run", lambda *command: asked.append(command) or said)
    needs = {"part.a": {"shared.tool", "part.b-c"}, "part.b-c": set(), "shared.tool": set()}
    assert coq.dependencies(files) == needs
    places = ("part/a.v", "part/b_c.v", "shared/tool.v")
    assert asked == [("coqdep", *coq.mapping(files), *places)]
    assert coq.dependencies([]) == {} and len(asked) == 1
    assert coq.closure("part.a", needs) == ["part.b-c", "shared.tool"]
    chain = {"x": {"y"}, "y": {"z"}, "z": set()}
    assert [coq.closure(name, chain) for name in "xyz"] == [["y", "z"], ["z"], []]


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


def test_a_file_is_asked_for_the_statements_and_the_axioms_of_its_theorems(tmp_path, monkeypatch):
    text = (
        f"{HEADER}(* THEOREM f | holds-as-printed | so *)\n(* THEOREM g | holds-as-printed | so *)"
    )
    file, told = source("two-words/it", text), []

    def coqc(place, options):
        told.append((place, options))
        for name in ("f", "g"):
            said = f"{name}\n     : forall n,\n       n = n\n"
            (tmp_path / f"ask_TwoWords_it.{name}.out").write_text(said, encoding="utf-8")
        said = "Axioms:\nClassical_Prop.classic : forall P,\n  P \\/ ~ P\n"
        (tmp_path / "ask_TwoWords_it.out").write_text(said, encoding="utf-8")

    monkeypatch.setattr(coq, "SCRATCH", tmp_path)
    monkeypatch.setattr(coq, "coqc", coqc)
    found = coq.compile_source(file, ["-Q"])
    row = {"statement": "{}\n: forall n,\n  n = n", "axioms": ["Classical_Prop.classic"]}
    assert found == {name: row | {"statement": row["statement"].format(name)} for name in "fg"}
    assert told == [("two-words/it.v", ["-Q"]), ("ask_TwoWords_it.v", ["-Q"])]
    asked = (tmp_path / "ask_TwoWords_it.v").read_text(encoding="utf-8").splitlines()
    before, after = asked[: asked.index(HEADER.strip())], asked[asked.index(HEADER.strip()) :]
    assert "Definition together := (@TwoWords.it.f, @TwoWords.it.g)." in before
    assert 'Redirect "ask_TwoWords_it" Print Assumptions together.' in before
    assert "Import TwoWords.it." in after and not any("Import" in line for line in before)
    assert coq.compile_source(source("two-words/it"), []) == {}


def test_a_file_that_does_not_compile_is_named(monkeypatch):
    def coqc(place, options):
        raise proofs.Failed("line 7")

    monkeypatch.setattr(coq, "coqc", coqc)
    with pytest.raises(proofs.Failed, match=r"^part/a\.v: line 7$"):
        coq.compile_source(source("part/a"), [])


@pytest.mark.parametrize(
    ("answer", "statement"),
    [
        ("f\n     : 1 = 1\n", "f\n: 1 = 1"),
        ("f\n  : a ->\n    b\n", "f\n: a ->\n  b"),
        ("f : 1 = 1\n", "f : 1 = 1"),
    ],
)
def test_a_statement_loses_the_indentation_that_all_its_lines_have(answer, statement):
    assert coq.statement(answer) == statement


@pytest.mark.parametrize(
    ("number", "named"), [(1, "M.a"), (3, "M.a, M.b, M.c"), (4, "M.a, M.b, M.c and 1 more")]
)
def test_what_nobody_has_proved_is_named_three_at_most(number, named):
    wishes = "".join(f"M.{name} : False\n" for name in "abcde"[:number])
    with pytest.raises(proofs.Failed, match=rf"^t rests on {named}, which nobody has proved$"):
        coq.axioms("t", f"Axioms:\n{wishes}")


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


def test_work_is_done_once_for_a_key(tmp_path):
    file, results = tmp_path / "kept.json", iter([{"a": [1]}, 2])

    def cached(key):
        return coq.cached(file, key, results.__next__)

    assert cached("k") == ({"a": [1]}, True)
    assert cached("k") == ({"a": [1]}, False)
    assert cached("l") == (2, True)
    assert cached("l") == (2, False)


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
