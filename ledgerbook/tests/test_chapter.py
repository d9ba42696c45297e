"""One chapter with parameters: what the command says, and the page that it makes."""

import re
from types import SimpleNamespace

import pytest
from ledgerbook.chapters import notebooks
from ledgerbook.commands import chapter
from ledgerbook.execution import execute
from ledgerbook.project import paths

TAG = "textbook.theorem-01"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run of a chapter, as it will go: what is executed, what its ledgers recorded."""
    row = SimpleNamespace(tag=TAG, written=True, chapter="stored")
    going = SimpleNamespace(row=row, error=None, records={}, given=[])

    def executed(tag, given):
        going.given.append((tag, given))
        return tmp_path / "executed.ipynb", going.error

    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(chapter, "statement", {TAG: row}.__getitem__)
    monkeypatch.setattr(notebooks, "read", str)
    monkeypatch.setattr(notebooks, "parameters", lambda notebook: {"size": 7, "seed": 1})
    monkeypatch.setattr(chapter, "parse_parameters", lambda row, given: {"size": int(given)})
    monkeypatch.setattr(execute, "run_chapter", executed)
    monkeypatch.setattr(notebooks, "closing_records", lambda notebook: going.records)
    monkeypatch.setattr(chapter, "verdict", lambda claim: claim["id"])
    monkeypatch.setattr(chapter, "surprises", lambda record: record["surprises"])
    monkeypatch.setattr(chapter, "write_page", lambda row, target: tmp_path / "html/a.html")
    return going


def record(*passed, surprises=()):
    claims = [{"id": f"row {count}", "passed": one} for count, one in enumerate(passed)]
    return {"claims": claims, "hypotheses": [], "surprises": list(surprises)}


AT_THE_END = ["executed: executed.ipynb (the stored chapter is untouched)"]
AT_THE_END += ["its page: html/a.html"]


def test_a_run_says_its_parameters_its_rows_and_where_its_page_is(run, capsys):
    run.records = {TAG: record(True, False), "textbook.corollary-01": record(True)}
    control = {"id": "without", "passed": True}
    run.records[TAG]["hypotheses"] = [{"id": "H1", "control": control}]
    assert chapter.main(TAG, "9") == 0
    assert run.given == [(TAG, "9")]
    assert capsys.readouterr().out.splitlines() == [
        "parameters: size=9 seed=1",
        *("[ok] row 0", "[FAILS] row 1", "[ok] without", "[ok] row 0"),
        "no surprise",
        *AT_THE_END,
    ]


@pytest.mark.parametrize(
    ("records", "lines"),
    [
        ({TAG: record(surprises=["a fails", "b fails"])}, ["SURPRISE a fails\nSURPRISE b fails\n"]),
        ({}, [f"SURPRISE {TAG}: no ledger row"]),
    ],
)
def test_a_surprise_is_status_one_and_has_its_page(run, capsys, records, lines):
    run.records = records
    assert chapter.main(TAG, "7") == 1
    said = capsys.readouterr().out
    assert all(line in said for line in lines) and "no surprise" not in said
    assert said.splitlines()[-2:] == AT_THE_END


def test_a_run_that_stopped_is_one_line_and_has_no_page(run, capsys):
    run.error = "cell 3: size = 0, allowed: more"
    assert chapter.main(TAG, "0") == 1
    said = capsys.readouterr().out.splitlines()
    assert said[1:] == [f"FAILED {TAG}: cell 3: size = 0, allowed: more"]


def test_the_page_shows_the_run_and_leads_to_the_book(built_once):
    book = built_once("power_iteration")
    stored = (book.root / "book/textbook/theorem_01.ipynb").read_bytes()
    code, said = book.run("chapter", "textbook.theorem-01", "matrices=150")
    assert code == 0 and "its page: _build/chapters/textbook.theorem-01/html/" in said, said
    page = book.root / re.search(r"its page: (\S+)", said)[1]
    text = page.read_text(encoding="utf-8")
    assert "two-by-two" in text and str(book.root) not in text
    banner = re.sub("<[^>]+>", "", text)
    assert "A run of your own, with matrices=150 (the book: 200)" in banner
    assert "This run: Theorem 1 ✎ holds as corrected." in banner
    # What is not beside the page is taken from the site, where the site has it.
    links = re.findall(r'\shref="([^":#]+)', text[text.index("<article") :])
    gone = [link for link in links if not (page.parent / link).exists()]
    top = re.search(r"its page: (\S+/html)/", said)[1]
    inside = [(page.parent / link).resolve().relative_to(book.root / top) for link in gone]
    assert [one for one in inside if (book.root / "_build/html" / one).exists()] == []
    assert (book.root / "book/textbook/theorem_01.ipynb").read_bytes() == stored


def test_a_value_that_the_chapter_refuses_starts_no_kernel(companion_in, tmp_path):
    book = companion_in(tmp_path, "power_iteration")
    code, said = book.run("chapter", "textbook.theorem-01", "matrices=0")
    assert code == 2 and said.startswith("error: matrices = 0, allowed: a whole number from ")
    assert len(said.splitlines()) == 1 and not list(book.root.glob("_build/chapters"))
