"""What each claim sees: which are asked what, what is kept, and what is measured anew."""

from concurrent.futures import Future
from types import SimpleNamespace

import pytest
from ledgerbook.alterations import SIGN, Size
from ledgerbook.perturb import LIMIT

from ledgerbook import resolution


@pytest.fixture
def executed(monkeypatch):
    """A chapter whose executions are written down, its first one of ten seconds."""
    asked = []

    def execute(code, folder, prepare=None, limit=None):
        if prepare:
            prepare()
        asked.append((code, folder, limit))
        return f"outcome {len(asked)}"

    monkeypatch.setattr(resolution, "execute", execute)
    monkeypatch.setattr(resolution, "formulas", lambda code: ["f", "g"])
    return asked


@pytest.mark.parametrize(("seconds", "least", "most"), [(10, 40, 50), (LIMIT, LIMIT, LIMIT)])
def test_what_takes_four_times_as_long_has_not_ended(executed, monkeypatch, seconds, least, most):
    monkeypatch.setattr(resolution.time, "monotonic", iter([100.0, 100.0 + seconds]).__next__)
    changed = []
    monkeypatch.setattr(resolution, "changes", lambda names, by: dict.fromkeys(names, by))
    monkeypatch.setattr(resolution, "change", lambda name, how: changed.append((name, how)))
    chapter = resolution.Chapter("code", "folder")
    assert chapter.base == "outcome 1" and chapter.names == ["f", "g"]
    assert least <= chapter.limit <= most
    assert chapter.changed(["g"], Size(0.2)) == "outcome 2" and changed == [("g", Size(0.2))]
    assert executed == [("code", "folder", None), ("code", "folder", chapter.limit)]


def key(id):
    return "a.b", id


@pytest.fixture
def measured(monkeypatch):
    """The function that measures a chapter of six rows, and what was asked of it."""
    kinds = dict.fromkeys(["fine", "rough", "blind", "control", "red"], "limit")
    kinds["proof"] = "kernel"
    base = SimpleNamespace(
        passed={key(id): id != "red" for id in kinds},
        kinds={key(id): kind for id, kind in kinds.items()},
        claims={key(id) for id in kinds if id != "control"},
    )
    factors = {"fine": 1e-3, "rough": 1.0, "control": SIGN}
    made = SimpleNamespace(factors=[], exponents=[], blind=[])

    def by_factors(chapter, open_):
        made.factors.append(sorted(id for _, id in open_))
        return {key(id): size for id, size in factors.items()}

    def smallest(ladder, open_):
        assert tuple(ladder) == resolution.EXPONENTS
        made.exponents.append(sorted(id for _, id in open_))
        return {key("rough"): 0.05, key("control"): 0.2}

    def asked(code, folder, names, open_, limit):
        made.blind.append((names, sorted(id for _, id in open_), limit))
        return {key("blind"): "a sign"}

    chapter = SimpleNamespace(base=base, names=["f"], code="", folder="", limit=7)
    chapter.smallest = smallest
    monkeypatch.setattr(resolution, "Chapter", lambda code, folder: chapter)
    monkeypatch.setattr(resolution, "by_factors", by_factors)
    monkeypatch.setattr(resolution.blind, "asked", asked)
    for name in ("read", "code"):
        monkeypatch.setattr(resolution.notebooks, name, str)
    row = SimpleNamespace(chapter=SimpleNamespace(parent=""))
    made.measure = lambda *more: resolution.measure(row, *more)
    return made


def test_factors_are_asked_first_then_exponents_of_what_saw_none_below_two_then_formulas(measured):
    sizes, wrong = measured.measure()
    assert measured.factors == [["blind", "control", "fine", "rough"]]
    assert measured.exponents == [["blind", "control", "rough"]]
    assert measured.blind == [(["f"], ["blind"], 7)]
    assert sizes == {"a.b": {"control": 0.2, "fine": 1e-3, "rough": 0.05}}
    assert wrong == {"a.b": {"blind": "a sign"}}


def test_what_is_known_is_not_asked_again(measured):
    known = {"a.b": {"fine": 0.01, "rough": 0.01, "control": 0.2}}
    sizes, _ = measured.measure(known, False)
    assert sizes == known and measured.factors == measured.exponents == []
    assert measured.blind == [(["f"], ["blind"], 7)]
    known["a.b"]["rough"] = 0.01
    sizes, _ = measured.measure(known)
    assert measured.exponents == [["blind"]] and sizes["a.b"]["rough"] == 0.01


def test_an_exponent_stands_in_a_factors_place_and_two_choices_of_signs_differ():
    assert all(by.exponent for by in resolution.EXPONENTS)
    assert not any(by.exponent for by in resolution.FACTORS)
    assert len({*resolution.FACTORS}) == len(resolution.FACTORS)
    assert max(resolution.LADDER) < SIGN


@pytest.fixture
def closed(monkeypatch):
    """Two chapters, and what their rows are."""
    row = {"passed": True, "kind": "limit"}
    claims = {
        "a.b": [row | {"id": id} for id in ("one", "two", "blind")]
        + [row | {"id": "red", "passed": False}, row | {"id": "sure", "kind": "kernel"}],
        "a.c": [row | {"id": "three", "kind": "rate"}],
    }
    records = {tag: {tag: {"claims": rows}} for tag, rows in claims.items()}
    monkeypatch.setattr(resolution.notebooks, "read", lambda chapter: chapter)
    monkeypatch.setattr(resolution.notebooks, "closing_records", lambda found: records[found])
    return [SimpleNamespace(tag=tag, chapter=tag, kind="statement") for tag in claims]


def test_a_kind_is_told_by_its_median_and_how_many_of_all_see_anything(closed):
    stored = {"a.b": {"one": 0.5, "two": 0.1, "red": 9.0, "sure": 9.0}, "z.z": {}}
    assert resolution.medians(closed, stored) == {"limit": (0.3, 2, 3), "rate": (0, 0, 1)}


class AtOnce:
    """An executor that does what it is given."""

    def __init__(self, jobs, **_):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def submit(self, function, *given):
        done = Future()
        done.set_result(function(*given))
        return done


SIZES = {"a.b": {"one": 0.5}}


@pytest.mark.parametrize(
    ("tags", "stored", "asked"),
    [
        ([], {}, [("a.b", None, True), ("a.c", None, True)]),
        (["a.c"], {}, [("a.c", None, True)]),
        (["a.x"], {}, [("a.x", None, True)]),
        ([], {"inputs": {"a.b": "now"}}, [("a.b", SIZES, True), ("a.c", None, True)]),
        ([], {"inputs": {"a.b": "before"}}, [("a.b", None, True), ("a.c", None, True)]),
        (["a.b"], {"inputs": {"a.b": "now"}, "exponents": ["a.b"]}, [("a.b", SIZES, False)]),
        (["a.b"], {"inputs": {"a.b": "now"}, "wrong": {"a.b": {}}}, [("a.b", SIZES, True)]),
        (["a.b"], {"inputs": {"a.b": "now"}, "exponents": ["a.b"], "wrong": {"a.b": {}}}, []),
        (["a.b"], {"exponents": ["a.b"], "wrong": {"a.b": {}}}, [("a.b", None, True)]),
    ],
)
def test_what_is_out_of_date_is_measured_with_what_still_holds(
    closed, monkeypatch, capsys, tags, stored, asked
):
    done, kept = [], []
    drawn = SimpleNamespace(tag="a.x", chapter="a.c", kind="experiment")
    whole = {"inputs": {}, "exponents": [], "wrong": {}, **SIZES} | stored

    def measure(row, sizes, exponents):
        done.append((row.tag, sizes, exponents))
        return resolution.Found({"t": {"one": 1, "two": 2}, "u": {"a": 1}}, {"t": {"b": "words"}})

    monkeypatch.setattr(resolution, "ProcessPoolExecutor", AtOnce)
    monkeypatch.setattr(resolution, "written", lambda: [*closed, drawn])
    monkeypatch.setattr(
        resolution, "statement", {row.tag: row for row in (*closed, drawn)}.__getitem__
    )
    for name, value in {
        "load": lambda: whole,
        "inputs": lambda row: "now",
        "measure": measure,
    }.items():
        monkeypatch.setattr(resolution, name, value)
    monkeypatch.setattr(resolution, "formulas", lambda code: [])
    monkeypatch.setattr(resolution.notebooks, "code", str)
    monkeypatch.setattr(resolution, "store", lambda *what: kept.append(what))
    assert resolution.main(tags) == 0
    assert done == asked and {one[0] for one in kept} == {tag for tag, *_ in asked}
    assert all(one[3] == "now" for one in kept)
    said = capsys.readouterr().out.splitlines()
    assert said[-2:] == [
        "limit: median 0.5; 1 of 3 see a formula",
        "rate: median 0; 0 of 1 see a formula",
    ]
    for tag, *_ in asked:
        assert f"{tag}: 3 claims see a size, 1 a wrong formula" in said
