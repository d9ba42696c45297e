"""The ledger's published form: the same words as the code, and nothing else is ever written."""

import copy

import jsonschema
import pytest
from ledgerbook.chapters import collect
from ledgerbook.chapters.statements import KINDS as STATEMENT_KINDS
from ledgerbook.ledger.judgement import KINDS, RELATIONS, STATUSES, STRENGTHS, status, strength
from ledgerbook.ledger.ledger import REACHES, STANDINGS, Ledger
from ledgerbook.ledger.ledger_table import MIME
from ledgerbook.project import paths


@pytest.fixture
def whole(project):
    """A ledger of one statement with a claim, a control, a slip, and nothing left out."""
    book = Ledger("textbook.theorem-01", hypotheses={"H1": "it is so"}, standing="established")
    book.claim("printed", "as it stands", 2.0, "<=", 1.0, kind="limit", as_printed=True)
    book.claim("holds", "as it holds", 0.5, "<=", 1.0, kind="limit")
    book.control("without", "H1", "it fails", 3.0, ">", 1.0)
    says = {
        "fails": "printed",
        "holds": "holds",
        "reach": "harmless",
        "numbers": {"printed": 2, "corrected": 1, "measured": 1},
    }
    book.erratum("E1", "(1)", "$2$", "$1$", **says)
    book.show()
    record = book.close()._repr_mimebundle_()[MIME]["closed"]
    ledger = collect.collect()
    row, (erratum,) = ledger["statements"][0], record.pop("errata")
    for claim in record["claims"]:
        claim["resolution"] = claim["resolution_of"] = None
    row |= {key: record[key] for key in ("claims", "hypotheses", "standing")}
    row |= {
        "status": status({**record, "errata": [erratum]}),
        "strength": strength(row | {"errata": []}),
    }
    files = {"script": "book/errata/E1.py", "consequences": [], "downstream": []}
    ledger["errata"] = [erratum | files]
    return ledger


def test_schema_and_code_know_the_same_words():
    defs = collect.schema()["$defs"]
    row, statement = defs["row"]["properties"], defs["statement"]["properties"]
    assert defs["status"]["enum"] == list(STATUSES)
    assert defs["strength"]["enum"] == list(STRENGTHS)
    assert set(row["kind"]["enum"]) == set(KINDS)
    assert row["relation"]["enum"] == list(RELATIONS)
    assert statement["standing"]["enum"] == list(STANDINGS)
    assert set(statement["kind"]["enum"]) == set(STATEMENT_KINDS)
    assert defs["erratum"]["properties"]["reach"]["enum"] == list(REACHES)


def test_a_whole_ledger_is_written(whole):
    collect.write(whole)
    assert collect.load() == whole


@pytest.mark.parametrize(
    "place",
    [
        ("statements", 0, "status"),
        ("statements", 0, "kind"),
        ("statements", 0, "standing"),
        ("statements", 0, "strength"),
        ("statements", 0, "inherited_strength"),
        ("statements", 0, "claims", 0, "kind"),
        ("statements", 0, "claims", 0, "relation"),
        ("statements", 0, "claims", 0, "strength"),
        ("statements", 0, "claims", 0, "role"),
        ("statements", 0, "hypotheses", 0, "control", "relation"),
        ("errata", 0, "reach"),
        ("version",),
    ],
    ids=lambda place: ".".join(map(str, place)),
)
def test_an_unknown_word_is_not_written(whole, place):
    wrong = copy.deepcopy(whole)
    holder = wrong
    for step in place[:-1]:
        holder = holder[step]
    assert place[-1] in holder
    holder[place[-1]] = "probably holds"
    with pytest.raises(jsonschema.ValidationError, match="probably holds"):
        collect.write(wrong)
    assert not paths.LEDGER.exists() and not paths.STATUSES.exists()
