"""Chromium without a window, spoken to through a pipe: no port is opened, no driver needed.

The protocol is Chromium's own (DevTools); messages are JSON that ends with a null byte.
"""

import base64
import contextlib
import itertools
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ledgerbook import doctor, lifeline
from ledgerbook.validation import require

QUIET = (
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--allow-file-access-from-files",
    "--remote-debugging-pipe",
)
# It reads its commands from descriptor 3 and answers on 4; a shell knows one digit only.
START = """
import os, sys
commands, answers = (os.dup(os.dup(int(word))) for word in sys.argv[1:3])
os.dup2(commands, 3)
os.dup2(answers, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
PIECE = 2**20  # bytes
PATIENCE = 1200  # seconds


def chromium() -> str:
    """The browser.  Raises ``ValueError`` where there is none."""
    found = next(filter(None, map(shutil.which, doctor.CHROMIUM)), "")
    require(found, "browser", "none", "Chromium on the PATH (Debian: apt-get install chromium)")
    return found


class Page:
    """A page of a running Chromium, which reads from one file descriptor and writes to another."""

    def __init__(self, commands: int, answers: int):
        self.commands, self.answers, self.numbers = commands, answers, itertools.count(1)
        self.session, self.unread = {}, b""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self.session = {"sessionId": attached["sessionId"]}
        self.ask("Page.enable")
        self.ask("Page.setLifecycleEventsEnabled", enabled=True)

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The answer to a command.  Raises ``OSError`` for a refusal, or where Chromium ended."""
        number = self._send(method, parameters)
        answer = self._wait(lambda found: found.get("id") == number)
        if "error" in answer:
            raise OSError(f"Chromium, {method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, address: str) -> None:
        """Load a page with its pictures and fonts.  Raises ``OSError`` where there is none."""
        began = self.ask("Page.navigate", url=address)
        if "errorText" in began:
            raise OSError(f"Chromium, {address}: {began['errorText']}")
        loaded = {"loaderId": began["loaderId"], "name": "load"}
        self._wait(lambda found: loaded.items() <= found.get("params", {}).items())
        ready = "document.fonts.ready.then(() => 1)"
        self.ask("Runtime.evaluate", expression=ready, awaitPromise=True)

    def pdf(self, target: Path, **options: Any) -> None:
        """Print the page into a file, piece by piece: a whole book is too long for one message."""
        made = self.ask("Page.printToPDF", transferMode="ReturnAsStream", **options)
        with open(target, "wb") as file:
            piece: dict[str, Any] = {"eof": False}
            while not piece["eof"]:
                piece = self.ask("IO.read", handle=made["stream"], size=PIECE)
                encoded = piece.get("base64Encoded")
                file.write(base64.b64decode(piece["data"]) if encoded else piece["data"].encode())

    def _send(self, method: str, parameters: dict[str, Any]) -> int:
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters, **self.session}
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        return number

    def _wait(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        while True:
            while b"\0" not in self.unread:
                ready, _, _ = select.select([self.answers], [], [], PATIENCE)
                if not ready:
                    raise OSError(f"Chromium gave no answer in {PATIENCE // 60} minutes")
                part = os.read(self.answers, PIECE)
                if not part:
                    raise OSError("Chromium ended before it answered")
                self.unread += part
            text, _, self.unread = self.unread.partition(b"\0")
            found = json.loads(text)
            if wanted(found):
                return found


@contextlib.contextmanager
def page() -> Iterator[Page]:
    """A page of a Chromium of our own, which ends with the block."""
    read_commands, commands = os.pipe()
    answers, write_answers = os.pipe()
    theirs = (read_commands, write_answers)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        words = [chromium(), *QUIET, f"--user-data-dir={profile}"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:  # it refuses to serve root otherwise
            words.append("--no-sandbox")
        process = subprocess.Popen(
            [sys.executable, "-c", START, str(read_commands), str(write_answers), *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=theirs,
            start_new_session=True,
        )
        for one in theirs:
            os.close(one)
        try:
            yield Page(commands, answers)
        finally:
            lifeline.end_group(process)
            os.close(commands)
            os.close(answers)
