"""Each row can fail: a small change is known that turns it red; an edited row is asked again."""

import pytest
from ledgerbook.chapters import registry
from ledgerbook.project.project import current
from ledgerbook.rows import changes, kept, replay, sides, witness
from ledgerbook.rows.trace import profile
from ledgerbook.rows.trial import trial


@pytest.mark.parametrize("tag", sorted(registry.declared()))
def test_a_witness_turns_its_row_red_and_a_new_row_has_one(tag):
    assert witness.trouble(tag) == []
    assert witness.lacking(tag) == []


@pytest.mark.parametrize("file", registry.files(), ids=current().relative)
def test_nothing_is_compared_with_itself(file):
    assert list(sides.alike(file.read_text(encoding="utf-8"))) == []


@pytest.fixture(scope="module")
def remembering():
    """A class of cheap rows, these rows, what its functions returned, and the rows' profile."""
    kind = registry.classes(["scan-snap.lemma-16"])["scan-snap.lemma-16"]
    rows = witness.wanted(kind)
    seen, _ = profile(kind, rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay, "LONG", 0)
        patch.setattr(replay, "ALL", 0)
        return kind, rows, replay.Memory(kind, rows, seen, kind), seen


@pytest.mark.parametrize("words", ["times 1.1", "plus 1"])
def test_what_a_search_remembers_changes_no_answer(remembering, words):
    kind, rows, memory, seen = remembering
    assert memory.kept
    turned = 0
    for name in sorted(name for name in seen.kinds if name.startswith("lib.")):
        change = lambda name=name: changes.replaced(name, changes.wrapper(words))
        plain = trial(kind, rows, change(), 60)
        recalled = trial(kind, rows, memory.around(name, change()), 60)
        told = lambda claims: {id: (one.observed, one.passed) for id, one in claims.items()}
        assert told(recalled) == told(plain), name
        turned += any(not one.passed for one in plain.values())
    assert turned


def test_an_edited_row_observes_what_its_chapter_shows(monkeypatch):
    tag = "scan-snap.lemma-16"
    kind = registry.classes([tag])[tag]
    row = next(row for row in witness.wanted(kind) if row.id == "strong")
    record, shows = kept.of_tag(tag)[row.id], witness.in_chapter(tag)
    assert witness.asked(kind, row, record) is None
    monkeypatch.setattr(witness, "in_chapter", lambda tag: {row.id: shows[row.id] * 1.1})
    assert "its chapter shows" in witness.asked(kind, row, record)
