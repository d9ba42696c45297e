"""What a chapter recorded, asked in a process of its own: records, a missing module, an error."""

import json
import runpy
import signal
import sys

import pytest
from ledgerbook.figures import Picture
from ledgerbook.ledger_table import Summary

from ledgerbook import verdicts

CLOSED = """from ledgerbook.ledger_table import Summary
for number in (1, 2):
    Summary({"tag": f"a.lemma-0{number}", "main": __name__})
"""
RECORDS = [{"tag": f"a.lemma-0{number}", "main": "__main__"} for number in (1, 2)]


@pytest.fixture
def alone(monkeypatch):
    """This process as one that ends after its chapter; what it sets is put back."""
    asked = []
    for drawn in (Summary, Picture):
        monkeypatch.setattr(drawn, "__init__", drawn.__init__)
    monkeypatch.setattr(signal, "alarm", asked.append)
    return asked


@pytest.mark.parametrize(
    ("code", "found"),
    [
        (CLOSED, {"records": RECORDS}),
        ("import nowhere_at_all.within", {"needs": "nowhere_at_all"}),
        ("raise ModuleNotFoundError('some.module')", {"needs": "some"}),
        ("1 / 0", {"stopped": "ZeroDivisionError: division by zero"}),
        ("raise ValueError('one\\n  two')", {"stopped": "ValueError: one two"}),
        ("from ledgerbook.figures import Picture\nPicture()", {"records": []}),  # none is drawn
    ],
)
def test_a_chapter_is_told_by_what_it_recorded_or_lacks_or_where_it_stops(alone, code, found):
    assert verdicts.outcome(code, "a chapter") == found


def test_the_result_names_its_python_and_a_patience_is_set(alone, tmp_path, monkeypatch):
    code, result = tmp_path / "code", tmp_path / "result"
    code.write_text(CLOSED, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["verdicts", str(code), str(result)])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(verdicts.__file__, run_name="__main__")
    found = json.loads(result.read_text(encoding="utf-8"))
    assert found == {"records": RECORDS, "python": "{}.{}".format(*sys.version_info)}
    assert end.value.code == 0 and alone == [verdicts.LIMIT]
