"""Outputs and records of rows, stored and computed: what differs, and how it is told."""

import base64
import io

import nbformat
import pytest
from ledgerbook.regression import compare
from PIL import Image, ImageChops, ImageDraw, ImageOps


def stream(text, name="stdout"):
    """Something printed."""
    return nbformat.v4.new_output("stream", name=name, text=text)


def shown(data, **metadata):
    """Something displayed."""
    return nbformat.v4.new_output("display_data", data, metadata=metadata)


def differences(one, other):
    """What differs between two outputs of a cell."""
    return compare.output_differences("cell 1", [one], [other])


def drawn(row, width=960):
    """A picture of 480 rows, one of which is where a black line begins, four pixels thick."""
    whole, out = Image.new("L", (width, 480), 255), io.BytesIO()
    whole.paste(0, (0, row, width, row + 4))
    whole.save(out, "PNG")
    return base64.b64encode(out.getvalue()).decode()


def two_curves():
    """A red curve that rises and a blue one that is flat."""
    picture = Image.new("RGB", (960, 480), "white")
    pen = ImageDraw.Draw(picture)
    pen.line([(x, 460 - x * x // 2200) for x in range(20, 940)], "red", 2)
    pen.line([(20, 300), (940, 300)], "blue", 2)
    return picture


def as_text(picture):
    """A picture as a notebook stores it."""
    out = io.BytesIO()
    picture.save(out, "PNG")
    return base64.b64encode(out.getvalue()).decode()


def chaotic(picture):
    """A picture that says of itself that no other processor draws it again."""
    return shown({"image/png": picture}, **{"image/png": {"chaotic": True}})


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        (stream("x 0.250\n"), stream("x 0.251\n"), []),
        (stream("x 0.250\n"), stream("x 0.253\n"), [("printed text", "x 0.250", "x 0.253")]),
        (stream("a\nb\n"), stream("a\nc\n"), [("printed text", "b", "c")]),
        (stream("a\n"), stream("a\nb\n"), [("printed text", "nothing", "b")]),
        (shown({"text/plain": "a"}), shown({"text/plain": "b"}), [("text/plain", "a", "b")]),
        (shown({"image/png": drawn(5)}), shown({"image/png": drawn(6)}), []),
        (
            shown({"image/png": drawn(5)}),
            shown({"image/png": drawn(40)}),
            [("image/png: picture", "another", "3840 pixels off")],
        ),
        (
            shown({"image/png": drawn(5)}),
            shown({"image/png": drawn(5, 600)}),
            [("image/png: picture", "another", "600 by 480 pixels where 960 by 480 are stored")],
        ),
        (
            shown({"image/png": drawn(5)}),
            shown({"image/png": "AA=="}),
            [("image/png: picture", "another", "no picture")],
        ),
        (chaotic(drawn(5)), chaotic(drawn(40)), []),
        (
            chaotic(drawn(5)),
            chaotic(drawn(5, 600)),
            [("image/png: picture", "another", "600 by 480 pixels where 960 by 480 are stored")],
        ),
        (shown({}, alt="one"), shown({}, alt="two"), [("alt", "one", "two")]),
        (
            stream("a"),
            shown({"text/plain": "a"}),
            [("kind of output", "stream of stdout", "display_data of text/plain")],
        ),
    ],
)
def test_what_a_reader_sees_is_compared_output_by_output(one, other, found):
    told = [compare.difference(f"cell 1: {place}", *pair) for place, *pair in found]
    assert differences(one, other) == told


@pytest.mark.parametrize(
    "change",
    [
        lambda picture: Image.merge("RGB", picture.split()[::-1]),  # red for blue
        lambda picture: picture.convert("L").convert("RGB"),
        ImageOps.mirror,
        ImageOps.flip,
        lambda picture: ImageChops.offset(picture, 20, 0),
        lambda picture: ImageOps.expand(picture.crop((80, 0, 960, 480)), (80, 0, 0, 0), "white"),
    ],
    ids=["other colours", "grey", "mirrored", "upside down", "moved", "a hole"],
)
def test_a_picture_is_another_one_by_colour_and_place(change):
    plain = two_curves()
    other = change(plain)
    assert compare.pictures_differ(as_text(plain), as_text(other))
    assert not compare.pictures_differ(as_text(plain), as_text(other), chaotic=True)


@pytest.mark.parametrize("steps", [(1, 0), (0, 2), (-1, 1)])
def test_a_line_may_be_two_pixels_away(steps):
    plain = two_curves()
    assert not compare.pictures_differ(as_text(plain), as_text(ImageChops.offset(plain, *steps)))


def test_an_output_that_is_there_once_is_told_by_its_kind():
    pair = [stream("a")], [stream("a"), shown({"text/plain": "b", "image/png": "AA=="})]
    both = ("nothing", "image/png, text/plain")
    for outputs, told in ((pair, both), (pair[::-1], both[::-1])):
        (found,) = compare.output_differences("cell 1", *outputs)
        assert found == compare.difference("cell 1: an output", *told)


@pytest.mark.parametrize(("length", "cut"), [(160, False), (161, True)])
def test_a_long_value_is_told_by_its_beginning_and_its_end(length, cut):
    text = "a" * (length - 2 - 60) + "b" * 60  # and two quotes
    found = compare.difference("place", text, "nothing")
    said = f"'{'a' * 99} … {'b' * 49}'" if cut else f"'{text}'"
    assert found == f"place: {said} -> nothing"


def claim(id="x", observed=0.5, **more):
    """A claim as a closing record has it."""
    return {"id": id, "observed": observed, "bound": 1.0, "passed": observed <= 1.0} | more


def closed(*claims, **more):
    return [{"closed": {"tag": "a.b", "claims": [*claims]} | more}]


@pytest.mark.parametrize(
    ("stored", "computed", "lines"),
    [
        (closed(claim()), closed(claim(observed=0.5 * (1 + 1e-7))), []),
        (
            closed(claim()),
            closed(claim(observed=0.5 * (1 + 1e-5))),
            ["a.b x: observed: 0.5 -> 0.500005 (rtol 1e-06, atol 0)"],
        ),
        (closed(claim(rtol=0.1)), closed(claim(observed=0.52, rtol=0.1)), []),
        (closed(claim(observed=0.0, atol=0.1)), closed(claim(observed=0.05, atol=0.1)), []),
        (closed(claim(margin=2.0)), closed(claim(margin=3.0)), []),
        (
            closed(claim(words="a")),
            closed(claim(words="b")),
            ["a.b x: words: 'a' -> 'b'"],
        ),
        (
            closed(claim()),
            closed(claim(), claim("y", 2.0)),
            ["a.b a new row: y, fails, observed 2"],
        ),
        (
            closed(claim(), claim("y")),
            closed(claim()),
            ["a.b a row that is gone: y, holds, observed 0.5"],
        ),
        (
            closed(findings=[{"id": "F1"}]),
            closed(),
            ["a.b: findings: [{'id': 'F1'}] -> nothing"],
        ),
        ([], closed(claim()), [f"a.b: nothing -> {closed(claim())[0]['closed']}"]),
        (
            closed(hypotheses=[{"id": "H1", "control": claim("c")}]),
            closed(hypotheses=[{"id": "H1", "control": claim("c", 2.0, passed=True)}]),
            ["a.b c: observed: 0.5 -> 2.0 (rtol 1e-06, atol 0)"],
        ),
    ],
)
def test_rows_are_compared_field_by_field(stored, computed, lines):
    assert compare.ledger_differences(stored, computed) == lines


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        (1.0, 1.0 + 1e-7, True),
        (1.0, 1, True),
        (0.0, 1e-9, False),
        ([0.1, 0.2], [0.1, 0.2 + 1e-9], True),
        ([0.1, 0.2], [0.1], False),
        ([0.1, 0.2], [0.1, 0.3], False),
        (1, True, False),
        ("a", "a", True),
        ("a", "b", False),
        (None, None, True),
        (None, 0.0, False),
    ],
)
def test_values_agree_as_numbers_or_are_equal(one, other, agree):
    for pair in ((one, other), (other, one)):
        assert compare.values_agree(*pair, 1e-6, 0.0) == agree


@pytest.mark.parametrize(
    ("stored", "computed", "same"),
    [
        ("x = 0.29999", "x = 0.30000", True),
        ("x = 0.29999", "x = 0.30001", False),
        ("x = 0.29999", "x = 0.3001", False),
        ("n = 7", "n = 8", False),
        ("a 1.5e-3", "a 1.6e-3", True),
        ("a 1.5e-3", "a 1.8e-3", False),
        ("up 1.0", "down 1.0", False),
        ("[ 1.   0.25]", "[1. 0.25]", False),
        ("[ 1.   0.25]", "[ 2.   0.25]", False),
        ("1e5", "2e5", False),
        ("0.3", "0.35", False),
        ("0.30", "0.3", True),
        ("1.5", "1.549", False),
        ("0.00", "-0.00", True),
        ("0.01", "0.02", False),
        ("7", "7.0", False),
        ("-1.25e-300", "-1.25e-300", True),
        ("version 1.5x", "version 1.6x", False),
    ],
)
def test_printed_numbers_are_free_by_their_last_digit(stored, computed, same):
    assert compare.texts_agree(stored, computed) == compare.texts_agree(computed, stored) == same
