"""What the book says at two places is the same at both."""

import re
import tomllib

import pytest
import yaml
from ledgerbook.chapters import notebooks
from ledgerbook.chapters.statements import judged_in, statement, statements, written
from ledgerbook.ledger import coq_record
from ledgerbook.project.project import current

RELATION = re.compile(r"[=<>]|\\(?:le|ge|ll|gg|to|in|asymp|propto|approx|perp)\b")
# A page that says it in words, in another form, or by naming the statement that has it.
IN_WORDS = {
    ("scan-snap.lemma-07", "H1"),
    ("scan-snap.remark-03", "H2"),
    ("scan-snap.lemma-08", "H1"),
    ("scan-snap.lemma-11", "H4"),
    ("scan-snap.lemma-14", "H1"),
    ("scan-snap.theorem-05", "H1"),
    ("scan-snap.theorem-02", "H1"),
    ("scan-snap.positional-bias", "H1"),
    ("mechanics.setting", "H2"),
    ("mechanics.graph-svm", "H1"),
    ("mechanics.hard-retrieval", "H1"),
    ("mechanics.soft-composition", "H1"),
    ("real-text.token-by-token", "H4"),
    ("bridge.two-clocks", "H4"),
    ("bridge.early-bias", "H2"),
}
CHAPTERS = {row.tag: row for row in written()}
VALUE = re.compile(r"\{value\}`([\w.-]+)#")
PAPERS = "tian2023scan", "li2024mechanics"


def plain(formula):
    """A formula without spaces and braces, a fraction as a quotient."""
    part = r"(\{(?:[^{}]|\{[^{}]*\})*\}|\\?\w)"
    quotient = lambda found: f"{found[1].strip('{}')}/{found[2].strip('{}')}"
    formula = re.sub(rf"\\[td]?frac\s*{part}\s*{part}", quotient, formula.replace("(E)", ""))
    return re.sub(r"\s|\\[,;!]|[{}]", "", formula)


def prose(notebook):
    return "\n".join(c.source for c in notebook.cells if c.cell_type == "markdown")


@pytest.mark.parametrize("tag", CHAPTERS)
def test_a_hypothesis_has_the_formulas_of_its_row_on_the_page(tag):
    notebook = notebooks.read(CHAPTERS[tag].chapter)
    text, missing = prose(notebook), set()
    for of, record in notebooks.closing_records(notebook).items():
        for hypothesis in record["hypotheses"]:
            id = hypothesis["id"]
            said = plain(" ".join(re.findall(rf"\*\*{id}\*\*(.*?)(?=\*\*H\d|\Z)", text, re.S)))
            formulas = re.findall(r"\$([^$]+)\$", hypothesis["text"])
            if any(RELATION.search(one) and plain(one) not in said for one in formulas):
                missing.add((of, id))
    assert missing <= IN_WORDS


def home(tag):
    """The statement whose chapter judges a tag."""
    return statement(statement(tag).home or tag)


@pytest.mark.parametrize("tag", CHAPTERS)
def test_a_number_of_another_chapter_stands_beside_its_link(tag):
    own = {one.tag for one in judged_in(CHAPTERS[tag])}
    for cell in notebooks.read(CHAPTERS[tag].chapter).cells:
        for of in VALUE.findall(cell.source) if cell.cell_type == "markdown" else ():
            assert of in own or home(of).chapter.name in cell.source, cell.source


def bibliography():
    """The entries of the bibliography: key to its fields."""
    text = (current().book / "references.bib").read_text(encoding="utf-8")
    entries = re.findall(r"@\w+\{(\w+),\n(.*?)\n\}", text, re.DOTALL)
    fields = re.compile(r"^\s*(\w+)\s*=\s*\{(.*)\},?$", re.MULTILINE)
    return {key: dict(fields.findall(body)) for key, body in entries}


def test_the_years_of_the_bibliography_fit_keys_and_preprints():
    for key, entry in bibliography().items():
        assert re.search(r"\d{4}", key)[0] == entry["year"], key
        if found := re.search(r"arXiv:(\d\d)\d\d\.\d{5}", entry.get("note", "")):
            assert 0 <= int(entry["year"]) - 2000 - int(found[1]) <= 2, key


def test_both_papers_are_cited_as_in_the_bibliography():
    cited = yaml.safe_load((current().root / "CITATION.cff").read_text(encoding="utf-8"))[
        "references"
    ]
    for one, entry in zip(cited, map(bibliography().get, PAPERS), strict=True):
        names = [f"{who['family-names']}, {who['given-names']}" for who in one["authors"]]
        number = one["url"].removeprefix("https://arxiv.org/abs/")
        found = one["title"], str(one["year"]), " and ".join(names), one["collection-title"]
        assert found == tuple(entry[key] for key in ("title", "year", "author", "booktitle"))
        assert re.fullmatch(rf"arXiv:{re.escape(number)}(v\d+)?", entry["note"])


def test_the_right_answer_of_a_question_is_the_one_that_is_explained():
    text = (current().book / "self_test.md").read_text(encoding="utf-8")
    questions = re.findall(r"::::\{container\} question\n(.*?)\n::::\n", text, re.DOTALL)
    keyed = [question for question in questions if "data-right" in question]
    assert len(keyed) > 5
    for question in keyed:
        asked, _, answer = question.partition(":::{dropdown}")
        letters = " ".join(re.findall(r"^- \*\*\((\w)\)\*\*", asked, re.MULTILINE))
        explained = re.search(r"\*\*\((\w)\)\*\*", answer)[1]
        assert f'data-right="{explained}" data-choices="{letters}"' in answer


def test_a_tie_asks_at_more_than_one_value_of_each_argument():
    ties = tomllib.loads((coq_record.folder() / "ties.toml").read_text(encoding="utf-8"))["tie"]
    for tie in ties:
        for name, kind in tie.get("arguments", {}).items():
            low, high = kind.split()[-2:]
            assert low != high, f"{tie['tag']} {tie['name']}: {name}"


def test_no_page_calls_wrong_what_its_row_says_to_hold():
    from ledgerbook.ledger import judgement

    for row in written():
        notebook = notebooks.read(row.chapter)
        record = notebooks.closing_records(notebook).get(row.tag)
        if record and judgement.status(record, statements()[row.tag].kind) == "holds":
            found = re.search(
                r"\b(?:[Tt]he|[Tt]his) (?:lemma|theorem|corollary|remark) is wrong\b",
                prose(notebook),
            )
            assert not found, row.tag
