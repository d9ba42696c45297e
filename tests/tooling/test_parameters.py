"""Parameters of a chapter: read by the defaults' kinds, refused by name, printed as read."""

import shlex

import pytest
from ledgerbook.chapters import notebooks, parameters
from ledgerbook.chapters.parameters import parse_parameters, parse_value
from ledgerbook.chapters.statements import statement, written
from ledgerbook.pages import parts

LEMMA = statement("scan-snap.lemma-05")
FIGURE = statement("scan-snap.figure-05")


def test_values_are_read_by_the_kind_of_the_default():
    assert parse_parameters(LEMMA, "M=200 eta_y=0.5") == {"M": 200, "eta_y": 0.5}
    assert parse_value("eta_y", "1e-3", 0.5) == 1e-3
    for text, value in (("1e3", 1000), ("010", 10), ("+7", 7), ("-1", -1)):
        found = parse_value("M", text, 600)
        assert found == value and isinstance(found, int), text
    assert parse_value("decades", "2.5", 3) == 2.5, "a chapter decides whether it needs a whole one"
    assert parse_value("corpus", "2024-01-01", "embedded") == "2024-01-01"
    assert isinstance(parse_value("eta_y", "2", 0.5), float)


@pytest.mark.parametrize(
    "text",
    ["many", "1:30", "[", "{a: 1}", "@x", "*a", "!!python/name:x", "nan", "inf", "1e999", ""],
)
def test_what_is_no_number_is_refused_by_name(text):
    with pytest.raises(ValueError, match=r"M = '.*', allowed: a whole number, as the default 600"):
        parse_value("M", text, 600)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("N=3", "P = 'N=3', allowed: name=value with name one of M, K, eta_y"),
        ("M", "P = 'M', allowed: name=value"),
        ("M=200 100", "P = '100', allowed: name=value"),
        ("M=200 M=100", "P = 'M=100', allowed: each name once; M = '200' came"),
        ("M='200", "allowed: quotes that close"),
    ],
)
def test_what_is_no_parameter_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        parse_parameters(LEMMA, text)


@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_the_command_that_a_page_prints_is_accepted(row):
    """As a shell hands it over."""
    values = notebooks.parameters(notebooks.read(row.chapter))
    printed = parts.provenance(row).rpartition("other parameters `")[2].partition("`")[0]
    make, target, chapter, given = shlex.split(printed)
    assert (make, target, chapter) == ("make", "chapter", f"CH={row.tag}")
    assert given.startswith("P=")
    assert parse_parameters(row, given[2:]) == values


@pytest.mark.parametrize("text", ["a b", "it's", 'say "so"', "$HOME `id`", "back\\slash", ""])
def test_any_text_comes_back(text):
    row = statement("scan-snap.figure-07")
    given = shlex.split(parameters.command(row, {"corpus": text}))[-1].removeprefix("P=")
    assert parse_parameters(row, given) == {"corpus": text}
