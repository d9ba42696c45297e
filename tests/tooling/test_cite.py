"""At the foot of each page: how it is cited, the papers, the sources of the code, the licence."""

import ast
import html
import re

import pytest
import yaml
from ledgerbook.chapters import fingerprint, notebooks
from ledgerbook.chapters.statements import written
from ledgerbook.project import paths
from ledgerbook.site import cite, sources

built = pytest.mark.skipif(not paths.INDEX.exists(), reason="no pages: run make book first")
OLD = "the pages are of older code: run make pages, or the page is wrong"


def test_an_entry_says_what_the_citation_file_says(monkeypatch):
    about = {
        "title": "A & B",
        "version": "2.1",
        "authors": [{"family-names": "Li", "given-names": "Y."}, {"name": "A group"}],
        "date-released": "2031-05-06",
        "doi": "10.1/x_y",
    }
    monkeypatch.setattr(cite, "citation", lambda: about)
    entry = cite.bibtex("Lemma 5 — W_fin", "paper.lemma-05")
    assert entry.startswith("@incollection{paper.lemma-05,\n") and entry.endswith("\n}")
    assert "author = {Li, Y. and {A group}}," in entry and "year = {2031}," in entry
    assert r"title = {Lemma 5 — W\_fin}" in entry and r"booktitle = {A \& B}" in entry
    assert "doi = {10.1/x_y}" in entry and "url" not in entry
    assert entry.count("{") == entry.count("}")
    assert cite.bibtex(None, "book").startswith("@misc{book,\n  title = {A \\& B},")


def test_both_papers_lead_to_the_addresses_of_the_bibliography():
    given = yaml.safe_load((paths.ROOT / "CITATION.cff").read_text(encoding="utf-8"))["references"]
    library = (paths.BOOK / "references.bib").read_text(encoding="utf-8")
    for one in given:
        entry = library[library.index(one["title"]) :].partition("\n}")[0]
        number = re.search(r"arXiv:(\d{4}\.\d{5})", entry).group(1)
        assert one["url"] == f"https://arxiv.org/abs/{number}"
    assert len(given) == 2


@built
@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_a_chapter_leads_to_the_code_that_it_stands_on(row):
    page = paths.HTML / f"{row.docname}.html"
    foot = page.read_text(encoding="utf-8").partition('<details class="cite">')[2]
    foot = html.unescape(foot.partition("</details>")[0])
    assert (
        f"@incollection{{{row.tag}," in foot
        and f"title = {{{row.name}}}".replace("_", r"\_") in foot
    )
    linked = {(page.parent / href).resolve() for href in re.findall(r'href="([^":]+)"', foot)}
    assert all(target.is_file() for target in linked)
    reached = fingerprint.closure(notebooks.code(notebooks.read(row.chapter)))
    expected = {
        f for f in reached if paths.relative(f).startswith("lib/") and f.name != "__init__.py"
    }
    assert {paths.HTML / f"{sources.page(file)}.html" for file in expected} <= linked, OLD
    assert paths.HTML / "_data/LICENSE.txt" in linked
    assert len(re.findall(r'href="https://arxiv\.org/abs/', foot)) == 2


@built
@pytest.mark.parametrize("file", sources.modules(), ids=paths.relative)
def test_a_module_s_page_holds_its_text_as_it_is(file):
    text = file.read_text(encoding="utf-8")
    page = paths.HTML / f"{sources.page(file)}.html"
    assert page.exists(), OLD
    code = page.read_text(encoding="utf-8").partition("<pre>")[2].partition("</pre>")[0]
    assert html.unescape(re.sub(r"<[^>]*>", "", code)).strip() == text.strip(), OLD
    names = {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    assert names <= set(re.findall(r'<\w+ id="(\w+)"></\w+>', code))


@built
def test_the_licence_is_the_project_s():
    assert (paths.HTML / "_data/LICENSE.txt").read_bytes() == (paths.ROOT / "LICENSE").read_bytes()
