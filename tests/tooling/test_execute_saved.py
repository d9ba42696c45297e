"""``python -m tooling book`` while it runs: saved beneath it, killed, started twice."""

import os
import signal
import time

import psutil
import pytest

pytestmark = pytest.mark.long

# A chapter that waits in its second cell until somebody says go.
WAITING = """size = 7
=====
import time
from pathlib import Path
from ledgerbook.ledger.ledger import Ledger
Path("started").write_text("yes")
while not Path("go").exists():
    time.sleep(0.05)
ledger = Ledger("scan-snap.lemma-05")
ledger.claim("one", "one is one", 1, "==", 1, kind="identity")
ledger.show()
=====
ledger.close()"""


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


def test_a_save_while_the_chapter_runs_is_kept(small_book, new_chapter):
    small_book.write(new_chapter(WAITING))
    process = small_book.start()
    folder = small_book.chapter.parent
    wait_for((folder / "started").exists)
    small_book.write(new_chapter(WAITING.replace("size = 7", "size = 8"), prose="saved meanwhile"))
    saved = small_book.chapter.read_bytes()
    (folder / "go").touch()
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 1 and "EDITED WHILE IT RAN scan-snap.lemma-05" in output
    assert small_book.chapter.read_bytes() == saved
    code, output = small_book.run()
    assert code == 0 and "1 stored anew" in output
    assert small_book.read().cells[0].source == "saved meanwhile"


def test_a_killed_run_leaves_nothing_behind(small_book, new_chapter):
    small_book.write(new_chapter(WAITING))
    before = small_book.chapter.read_bytes()
    process = small_book.start()
    wait_for((small_book.chapter.parent / "started").exists)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=60)
    wait_for(lambda: processes_of(small_book.root) == [])
    assert small_book.chapter.read_bytes() == before
    partial = small_book.chapter.with_name(f".lemma_05.ipynb.{process.pid}.partial")
    partial.write_text("half of it", encoding="utf-8")
    (small_book.chapter.parent / "go").touch()
    code, output = small_book.run()
    assert code == 0 and "1 stored anew" in output
    assert small_book.leftovers() == []


def test_a_second_run_waits_for_the_first(small_book, new_chapter):
    small_book.write(new_chapter(WAITING))
    first = small_book.start()
    wait_for((small_book.chapter.parent / "started").exists)
    second = small_book.start()
    assert "waiting: another run" in second.stdout.readline()
    (small_book.chapter.parent / "go").touch()
    outputs = [process.communicate(timeout=120)[0] for process in (first, second)]
    assert [first.returncode, second.returncode] == [0, 0]
    assert "executed 1 of 1" in outputs[0] and "executed 0 of 1" in outputs[1]
