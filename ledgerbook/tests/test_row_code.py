"""Which edits of a row's code change its fingerprint, and what of the code the row reaches."""

import pytest
from ledgerbook.chapters import registry
from ledgerbook.rows import reach

PLAIN = """
LIMIT = 3
class Number: pass
class Pair:
    first: int = 1
    def added(self, other, *rest, sign=-1, **more):
        return self.first + sign * other
def helper(x, y=(1, 2), *rest, base=2, **more):
    def inner(z):
        return z - LIMIT
    return Pair().added(x) + inner(base)
class Rows(Checks):
    cases: int = 5
    def half(self, x):
        return helper(x) / self.cases
"""
SAID = {
    "other, *rest, sign=-1, **more)": (
        "other: int, *rest: Any, sign: int=-1, **more: Any) -> Number | None"
    ),
    "x, y=(1, 2), *rest, base=2, **more)": (
        "x: 'ü' , y: tuple[int, ...] = (1, 2), *rest: Any, base: int = 2, **more: Any)"
        " -> dict[str, Number]"
    ),
    "inner(z)": "inner(z: float) -> Number",
    "half(self, x)": "half(self, x: list[Number]) -> float",
}
ANNOTATED = PLAIN
for bare, annotated in SAID.items():
    assert PLAIN.count(bare) == 1
    ANNOTATED = ANNOTATED.replace(bare, annotated)


@pytest.fixture
def code(tmp_path, monkeypatch, varied):
    """The function that writes a module of rows: what the row ``half`` of it reaches."""
    varied(imports={"checks": tmp_path})

    def reached(text):
        file = tmp_path / "checks" / "some.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return reach.reach(file, "Rows", "half")

    monkeypatch.setattr(registry, "folder", lambda: tmp_path / "checks")
    return reached


def test_the_annotations_of_signatures_are_no_code(code):
    plain = code(PLAIN)
    before = reach.fingerprint(plain.places)
    annotated = code(ANNOTATED)
    assert annotated == plain  # ``Number`` is named in annotations alone
    assert reach.fingerprint(annotated.places) == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("base: int = 2", "base: int = 3"),
        ("sign: int=-1", "sign: int=1"),
        ("- LIMIT", "+ LIMIT"),
        ("LIMIT = 3", "LIMIT = 4"),
        ("first: int = 1", "first: float = 1"),
        ("*rest: Any, base", "base"),
    ],
)
def test_defaults_bodies_and_the_annotations_of_fields_are(code, old, new):
    assert ANNOTATED.count(old) == 1
    before = reach.fingerprint(code(ANNOTATED).places)
    assert reach.fingerprint(code(ANNOTATED.replace(old, new)).places) != before
