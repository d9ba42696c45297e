"""``python -m tooling book`` for real, on a book of one chapter: run again, edited, saved beneath
it, killed, started twice.
"""

import os
import signal
import time

import psutil
import pytest
from ledgerbook.chapters import notebooks
from ledgerbook.execution import snapshot

pytestmark = pytest.mark.long

# A chapter that waits in its second cell until somebody says go.
WAITING = """size = 7
=====
import time
from pathlib import Path
from ledgerbook.ledger.checks import Checks, claim
Path("started").write_text("yes")
while not Path("go").exists():
    time.sleep(0.05)
class Lemma(Checks):
    tag = "scan-snap.lemma-05"
    @claim("==", 1, "identity")
    def one(self):
        "one is one"
        return 1
ledger = Lemma()
ledger.show("claim")
=====
ledger.close()"""


def test_run_again_alter_and_edit(small_book):
    code, output = small_book.run()
    assert code == 0 and "executed 1 of 1 chapters: 1 stored anew" in output
    assert "FAILED" not in output
    whole = small_book.chapter.read_bytes()
    assert snapshot.execution_problem(small_book.read()) is None
    unused = small_book.root / "lib/unused.py"
    unused.write_text("# not imported by this chapter\n", encoding="utf-8")
    notebook = small_book.read()
    notebooks.ledger_outputs(notebook)[0]["rows"][0]["observed"] *= 1.5
    small_book.write(notebook)
    altered = small_book.chapter.read_bytes()
    code, output = small_book.run()
    assert code == 1 and "ALTERED BY HAND scan-snap.lemma-05: first: observed" in output
    assert "executed 0 of 1 chapters" in output and small_book.chapter.read_bytes() == altered
    small_book.chapter.write_bytes(whole)

    formulas = small_book.root / "lib/log_sums.py"
    source = formulas.read_text(encoding="utf-8")
    formulas.write_text(source.replace("return mass /", "return -mass /"), encoding="utf-8")
    code, output = small_book.run()
    turned = "A VERDICT TURNED scan-snap.lemma-05: first: "
    assert code == 1 and f"{turned}observed: 0.25 -> -0.25" in output
    assert f"{turned}passed: True -> False" in output
    assert small_book.chapter.read_bytes() == whole and small_book.leftovers() == []


def wait_for(condition, seconds=60):
    """Poll until a condition holds; fails the test when it never does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def processes_of(root):
    """Processes that work in a folder."""
    found = []
    for process in psutil.process_iter(["cwd", "cmdline"]):
        if str(root) in " ".join([process.info["cwd"] or "", *(process.info["cmdline"] or ())]):
            found.append(process.pid)
    return [pid for pid in found if pid != os.getpid()]


def test_a_killed_run_leaves_nothing_a_second_one_waits_and_a_save_meanwhile_is_kept(
    small_book, new_chapter
):
    small_book.write(new_chapter(WAITING))
    before = small_book.chapter.read_bytes()
    process = small_book.start()
    started = small_book.chapter.parent / "started"
    wait_for(started.exists)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=60)
    wait_for(lambda: processes_of(small_book.root) == [])
    assert small_book.chapter.read_bytes() == before
    partial = small_book.chapter.with_name(f".lemma_05.ipynb.{process.pid}.partial")
    partial.write_text("half of it", encoding="utf-8")
    started.unlink()
    first = small_book.start()
    wait_for(started.exists)
    second = small_book.start()
    assert "waiting: another run" in second.stdout.readline()
    small_book.write(new_chapter(WAITING.replace("size = 7", "size = 8"), prose="saved meanwhile"))
    (small_book.chapter.parent / "go").touch()
    outputs = [process.communicate(timeout=120)[0] for process in (first, second)]
    assert [first.returncode, second.returncode] == [1, 0] and small_book.leftovers() == []
    assert "EDITED WHILE IT RAN scan-snap.lemma-05" in outputs[0]
    assert "executed 1 of 1" in outputs[1]  # what was saved: it stands as it was, with its outputs
    stored = small_book.read()
    assert stored.cells[0].source == "saved meanwhile" and "size = 8" in stored.cells[1].source
