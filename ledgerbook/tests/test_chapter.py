"""One chapter alone, with parameters of a reader's own: its rows, and its page."""

import contextlib
import dataclasses
import os
import re
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes
from ledgerbook.chapters import notebooks, parameters
from ledgerbook.chapters.statements import statement
from ledgerbook.commands import chapter
from ledgerbook.execution import execute
from ledgerbook.project import parent_watch, paths, settings
from ledgerbook.site import sphinx_build
from sphinx import addnodes

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
    monkeypatch.setattr(parameters, "parse_parameters", lambda row, given: {"size": int(given)})
    monkeypatch.setattr(execute, "run_chapter", executed)
    monkeypatch.setattr(notebooks, "closing_records", lambda notebook: going.records)
    monkeypatch.setattr(chapter, "verdict", lambda claim: claim["id"])
    monkeypatch.setattr(chapter, "surprises", lambda record: record["surprises"])
    monkeypatch.setattr(chapter, "write_page", lambda row, target: tmp_path / "html/a.html")
    return going


def record(*passed, surprises=()):
    claims = [{"id": f"row {count}", "passed": one} for count, one in enumerate(passed)]
    return {"claims": claims, "surprises": list(surprises)}


AT_THE_END = ["executed: executed.ipynb (the stored chapter is untouched)"]
AT_THE_END += ["its page: html/a.html"]


def test_a_run_says_its_parameters_its_rows_and_where_its_page_is(run, capsys):
    run.records = {TAG: record(True, False), "textbook.corollary-01": record(True)}
    assert chapter.main(TAG, "9") == 0
    assert run.given == [(TAG, "9")]
    assert capsys.readouterr().out.splitlines() == [
        "parameters: size=9 seed=1",
        *("[ok] row 0", "[FAILS] row 1", "[ok] row 0"),
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


def test_a_chapter_that_is_not_written_is_left_to_the_run_to_refuse(run, monkeypatch):
    run.row.written, run.error = False, "it is not written yet"
    monkeypatch.setattr(notebooks, "read", lambda file: 1 / 0)
    assert chapter.main(TAG, "") == 1


def test_the_copy_that_a_page_is_made_in_has_what_the_site_computed(tmp_path, monkeypatch):
    extra = dict.fromkeys(("sliders", "drawings", "not-yet-made"), {})
    changed = dataclasses.replace(settings.settings(), extra=extra)
    monkeypatch.setattr(settings, "settings", lambda: changed)
    monkeypatch.setattr(paths, "EXTRA", tmp_path / "extra")
    numbers = [tmp_path / f"extra/{one}/a.js" for one in ("_fonts", "drawings", "sliders")]
    for file in numbers:
        file.parent.mkdir(parents=True)
        file.touch()
    copy = chapter.mirror(tmp_path / "copy", statement(TAG), numbers[0])
    found = sorted(copy.glob("_build/extra/*"))
    assert [one.resolve() for one in found] == [file.parent for file in numbers]


def test_the_copy_holds_the_run_as_its_chapter_and_links_to_all_else(tmp_path, monkeypatch):
    files = ("lib/code.py", "_toc.yml", "book/a.md", "book/far/away/b.csv", "book/one/c.ipynb")
    for file in files:
        (tmp_path / "own" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "own" / file).touch()
    (tmp_path / "executed.ipynb").write_text("the run", encoding="utf-8")
    monkeypatch.setattr(paths, "ROOT", tmp_path / "own")
    monkeypatch.setattr(paths, "BOOK", tmp_path / "own/book")
    monkeypatch.setattr(paths, "EXTRA", tmp_path / "own/_build/extra")
    row = SimpleNamespace(chapter=paths.BOOK / "one/c.ipynb", docname="book/one/c")
    copy = chapter.mirror(tmp_path / "a/copy", row, tmp_path / "executed.ipynb")
    links = {str(one.relative_to(copy)) for one in copy.rglob("*") if one.is_symlink()}
    assert links == {"lib", "book/a.md", "book/far/away/b.csv"}
    assert (copy / "book/one/c.ipynb").read_text("utf-8") == "the run"
    assert (copy / "_toc.yml").read_text("utf-8") == "format: jb-book\nroot: book/one/c\n"


@pytest.fixture
def making(tmp_path, monkeypatch):
    """What makes a page, as it will go: what it writes, what it says."""
    going = SimpleNamespace(makes=True, says=b"", env={}, command=[], fonts=[])

    def made(command, cwd, env, stdout, stderr):
        going.command, going.env, going.cwd = command, env, cwd
        stdout.write(going.says)
        if going.makes:
            page = os.path.join(env[chapter.TARGET], f"{statement(TAG).docname}.html")
            os.makedirs(os.path.dirname(page))
            with open(page, "w", encoding="utf-8") as file:
                file.write('<a href="../ledger.html">ledger</a>')
        return 1

    @contextlib.contextmanager
    def folder():
        with tempfile.TemporaryDirectory(dir=tmp_path) as place:
            yield Path(place)

    monkeypatch.setattr(paths, "HTML", tmp_path / "site")
    monkeypatch.setattr(chapter.scratch, "folder", folder)
    monkeypatch.setattr(chapter, "mirror", lambda copy, row, executed: copy)
    monkeypatch.setattr(chapter.slim, "write_font", going.fonts.append)
    monkeypatch.setattr(parent_watch, "run", made)
    executed = tmp_path / "chapters/one/theorem_01.ipynb"
    executed.parent.mkdir(parents=True)
    going.write = lambda: chapter.write_page(statement(TAG), executed)
    (tmp_path / "site/book").mkdir(parents=True)
    (tmp_path / "site/book/ledger.html").touch()
    return going


def test_a_page_lies_beside_its_run_and_replaces_the_one_before(making):
    page = making.write()
    assert page.as_posix().endswith("/chapters/one/html/book/textbook/theorem_01.html")
    (page.parent / "old.html").touch()
    assert making.write() == page
    assert [file.name for file in page.parent.iterdir()] == ["theorem_01.html"]
    (href,) = re.findall('href="([^"]+)"', page.read_text("utf-8"))
    assert (page.parent / href).resolve() == (paths.HTML / "book/ledger.html").resolve()
    assert making.command[1:] == [
        "-m",
        "ledgerbook.project.parent_watch",
        "ledgerbook.commands.chapter",
    ]


def test_what_makes_a_page_works_on_the_copy_and_knows_the_site(making):
    page = making.write()
    env = making.env
    assert env[settings.VARIABLE] == str(making.cwd) and env[chapter.TARGET].endswith("/html")
    assert env["PYTHONPATH"].split(os.pathsep)[0] == str(making.cwd)
    assert (page.parent / env[chapter.SITE]).resolve() == paths.HTML.resolve()
    assert making.fonts == [paths.EXTRA]  # the book's own, which the copy links to


@pytest.mark.parametrize(
    ("says", "words"), [(b"one\nthe last line\n", "the last line"), (b"", "no word")]
)
def test_where_no_page_is_made_the_last_words_are_said(making, says, words):
    making.makes, making.says = False, says
    with pytest.raises(OSError, match=f"^no page of {TAG}: {words}$"):
        making.write()


@pytest.mark.parametrize("ends", [None, sphinx_build.BuildError("what lies beyond the page")])
def test_in_the_copy_the_one_page_is_made_whatever_it_refers_to(monkeypatch, ends):
    made = []

    def sphinx(builder, target):
        made.append((builder, str(target)))
        if ends:
            raise ends

    for module, name in (
        *((chapter.collect, "collect"), (chapter.collect, "write")),
        *((chapter.bundle, "write_templates"), (chapter.access, "write_templates")),
        (chapter.site, "write_conf"),
    ):
        monkeypatch.setattr(module, name, lambda *given: None)
    monkeypatch.setattr(chapter.site, "sphinx", sphinx)
    monkeypatch.setenv(chapter.TARGET, "/a/place")
    chapter.build_page()
    assert made == [("html", "/a/place")]


@pytest.mark.parametrize(
    ("site", "domain", "target", "uri"),
    [
        ("../..", "doc", "book/ledger", "../../book/ledger.html"),
        ("../..", "doc", "book/here", None),
        ("../..", "std", "book/ledger", None),
        ("", "doc", "book/ledger", None),
        (None, "doc", "book/ledger", None),
    ],
)
def test_a_reference_to_a_page_that_is_not_here_leads_to_the_site(
    monkeypatch, site, domain, target, uri
):
    if site is None:
        monkeypatch.delenv(chapter.SITE, raising=False)
    else:
        monkeypatch.setenv(chapter.SITE, site)
    assert chapter.alone() == (site is not None)
    found = addnodes.pending_xref("", nodes.Text("words"), refdomain=domain, reftarget=target)
    document = nodes.document(None, None)
    document += nodes.paragraph("", "", found, addnodes.pending_xref("", reftarget="x"))
    app = SimpleNamespace(env=SimpleNamespace(found_docs={"book/here"}))
    chapter.name_the_site(app, document)
    links = [(link["refuri"], link.astext()) for link in document.findall(nodes.reference)]
    assert links == ([(uri, "words")] if uri else [])
    assert len([*document.findall(addnodes.pending_xref)]) == 2 - len(links)


def test_a_link_leads_to_the_site_if_the_file_is_there_and_not_here(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "HTML", tmp_path / "site")
    for file in ("site/both.html", "site/book/there.html", "own/both.html", "own/book/page.html"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    page = tmp_path / "own/book/page.html"
    links = ["../both.html", "there.html#a", "nowhere.html", "#a", "https://a.b/there.html"]
    page.write_text("".join(f'<a href="{one}">' for one in links), encoding="utf-8")
    chapter.lead_to_the_site(page, tmp_path / "own", "../../site")
    found = re.findall(r'<a href="([^"]*)">', page.read_text(encoding="utf-8"))
    assert found == ["../both.html", "../../site/book/there.html#a", *links[2:]]


def test_a_page_alone_is_read_and_written_side_by_side_as_all_are():
    both = {"parallel_read_safe": True, "parallel_write_safe": True}
    assert chapter.setup(SimpleNamespace(connect=lambda event, done: None)) == both
