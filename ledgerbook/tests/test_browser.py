"""What is said to a browser and what is made of its answers; no browser is started."""

import base64
import contextlib
import errno
import json
import os
import shutil
from types import SimpleNamespace

import pytest

from ledgerbook import browser, lifeline

TARGET = {"id": 1, "result": {"targetId": "T"}}
ATTACHED = {"id": 2, "result": {"sessionId": "S"}}
OPENED = [TARGET, ATTACHED, {"id": 3, "result": {}}, {"id": 4, "result": {}}]


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """An answer that does not come is an error at once; what the patience was."""
    patience = browser.PATIENCE
    monkeypatch.setattr(browser, "PATIENCE", 0.2)
    return patience


class Chromium:
    """The far end of the two pipes: what it will answer, and what it was asked."""

    def __init__(self, commands, answers):
        self.commands, self.answers = commands, answers

    def answer(self, *messages, end=b"\0"):
        for message in messages:
            os.write(self.answers, json.dumps(message).encode() + end)

    def asked(self):
        """The commands so far."""
        os.set_blocking(self.commands, False)
        text = b""
        with contextlib.suppress(BlockingIOError):
            while part := os.read(self.commands, 10_000):
                text += part
        assert text.endswith(b"\0")
        return [json.loads(one) for one in text.split(b"\0")[:-1]]


@pytest.fixture
def far():
    """The far end, and the two descriptors of the near one."""
    read_commands, commands = os.pipe()
    answers, write_answers = os.pipe()
    yield Chromium(read_commands, write_answers), commands, answers
    for one in (read_commands, commands, answers, write_answers):
        with contextlib.suppress(OSError):
            os.close(one)


@pytest.fixture
def opened(far):
    """A page, and the far end, which was asked for it."""
    chromium, *near = far
    chromium.answer(*OPENED)
    page = browser.Page(*near)
    return page, chromium


def test_a_page_is_a_session_of_its_own_whose_loading_is_told(opened):
    page, chromium = opened
    chromium.answer({"id": 5, "result": {"a": 1}})
    assert page.ask("Some.thing", how=2) == {"a": 1}
    session = {"sessionId": "S"}
    assert chromium.asked() == [
        {"id": 1, "method": "Target.createTarget", "params": {"url": "about:blank"}},
        # flat: the session is named beside the command, as in those that follow
        {"id": 2, "method": "Target.attachToTarget", "params": {"targetId": "T", "flatten": True}},
        {"id": 3, "method": "Page.enable", "params": {}} | session,
        {"id": 4, "method": "Page.setLifecycleEventsEnabled", "params": {"enabled": True}}
        | session,
        {"id": 5, "method": "Some.thing", "params": {"how": 2}} | session,
    ]


def test_an_answer_is_known_by_its_number_and_read_in_pieces(opened):
    page, chromium = opened
    chromium.answer({"method": "an.event"}, {"id": 4, "result": {"old": 1}})
    text = json.dumps({"id": 5, "result": {"new": 1}}).encode()
    os.write(chromium.answers, text[:10])
    read = os.read

    def then_the_rest(descriptor, size):
        part = read(descriptor, size)
        if part.endswith(text[:10]):
            os.write(chromium.answers, text[10:] + b'\0{"id": 6, "result": {}}\0')
        return part

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(browser.os, "read", then_the_rest)
        assert page.ask("Some.thing") == {"new": 1}
    assert page.ask("Another.thing") == {}  # it had come with the one before


def test_a_refusal_is_an_error_in_the_browsers_words(opened):
    page, chromium = opened
    chromium.answer({"id": 5, "error": {"message": "no such command"}})
    with pytest.raises(OSError, match="Chromium, Some.thing: no such command"):
        page.ask("Some.thing")


def test_a_browser_that_ended_is_an_error(opened):
    page, chromium = opened
    os.close(chromium.answers)
    with pytest.raises(OSError, match="Chromium ended before it answered"):
        page.ask("Some.thing")


def test_a_browser_that_is_silent_is_an_error(opened, impatient, monkeypatch):
    page, _ = opened
    monkeypatch.setattr(browser, "PATIENCE", impatient)
    monkeypatch.setattr(browser.select, "select", lambda *waiting: ([], [], []))
    with pytest.raises(OSError, match="Chromium gave no answer in 20 minutes"):
        page.ask("Some.thing")


def test_a_page_is_open_when_itself_has_loaded_and_its_fonts_are_there(opened):
    page, chromium = opened
    chromium.asked()
    event = {"method": "Page.lifecycleEvent"}
    chromium.answer(
        {"id": 5, "result": {"loaderId": "L"}},
        event | {"params": {"loaderId": "K", "name": "load", "frameId": "F"}},
        event | {"params": {"loaderId": "L", "name": "init", "frameId": "F"}},
        event | {"params": {"loaderId": "L", "name": "load", "frameId": "F"}},
        {"id": 6, "result": {}},
    )
    page.open("file:///a.html")
    assert page.unread == b""  # it has waited for the last of them
    navigate, fonts = chromium.asked()
    assert navigate["params"] == {"url": "file:///a.html"}
    assert "document.fonts.ready" in fonts["params"]["expression"]
    assert fonts["params"]["awaitPromise"] is True


def test_a_page_that_is_not_there_is_an_error(opened):
    page, chromium = opened
    chromium.answer({"id": 5, "result": {"errorText": "net::ERR_FILE_NOT_FOUND"}})
    with pytest.raises(OSError, match="Chromium, file:///b.html: net::ERR_FILE_NOT_FOUND"):
        page.open("file:///b.html")


def test_a_file_is_put_together_from_all_its_pieces(opened, tmp_path):
    page, chromium = opened
    chromium.asked()
    second = base64.b64encode(b"\xff and more").decode()
    chromium.answer(
        {"id": 5, "result": {"stream": "7"}},
        {"id": 6, "result": {"eof": False, "data": "%PDF ü "}},
        {"id": 7, "result": {"eof": False, "data": second, "base64Encoded": True}},
        {"id": 8, "result": {"eof": True, "data": " end", "base64Encoded": False}},
    )
    page.pdf(tmp_path / "a.pdf", landscape=True)
    assert (tmp_path / "a.pdf").read_bytes() == "%PDF ü ".encode() + b"\xff and more end"
    printed, *read = chromium.asked()
    assert printed["params"] == {"transferMode": "ReturnAsStream", "landscape": True}
    assert [one["params"]["handle"] for one in read] == ["7"] * 3


def test_the_first_browser_that_is_there_is_taken(monkeypatch):
    here = {browser.doctor.CHROMIUM[-1]: "/bin/last"}
    monkeypatch.setattr(shutil, "which", here.get)
    assert browser.chromium() == "/bin/last"
    here[browser.doctor.CHROMIUM[0]] = "/bin/first"
    assert browser.chromium() == "/bin/first"
    here.clear()
    with pytest.raises(ValueError, match="browser = 'none', allowed: Chromium on the PATH"):
        browser.chromium()


@pytest.fixture
def started(monkeypatch):
    """What was started, by words, and what of it is left; it answers as a browser does."""
    seen = SimpleNamespace(ended=[], profile=None)

    def start(words, pass_fds, **options):
        seen.words, seen.options = words, options
        seen.far = Chromium(*map(os.dup, pass_fds))  # a child has descriptors of its own
        assert words[3:5] == [str(one) for one in pass_fds]
        seen.far.answer(*OPENED)
        (seen.profile,) = [w.partition("=")[2] for w in words if w.startswith("--user-data-dir")]
        return "process"

    monkeypatch.setattr(browser, "chromium", lambda: "/bin/chromium")
    monkeypatch.setattr(browser.subprocess, "Popen", start)
    monkeypatch.setattr(lifeline, "end_group", seen.ended.append)
    yield seen
    os.close(seen.far.commands)
    os.close(seen.far.answers)


def closed(descriptor):
    try:
        os.fstat(descriptor)
    except OSError:
        return True
    return False


def test_a_browser_ends_with_its_block_and_leaves_nothing(started):
    with pytest.raises(KeyError), browser.page() as page:
        assert os.path.isdir(started.profile) and started.ended == []
        assert all(closed(int(one)) for one in started.words[3:5])  # its end is seen here
        raise KeyError("in the block")
    assert started.ended == ["process"] and not os.path.exists(started.profile)
    assert closed(page.commands) and closed(page.answers)
    # its group is ended, so it must not be ours
    assert started.options["start_new_session"] is True


def test_what_a_dying_browser_still_writes_is_no_error(started, monkeypatch):
    def refuse(*words, **more):
        raise OSError(errno.ENOTEMPTY, "Directory not empty")

    with monkeypatch.context() as patch, browser.page():
        patch.setattr(os, "rmdir", refuse)
    assert os.path.isdir(started.profile)
    os.rmdir(started.profile)


@pytest.mark.parametrize(("user", "boxed"), [(0, False), (1, True), (1000, True), (None, True)])
def test_only_root_goes_without_the_sandbox(started, monkeypatch, user, boxed):
    if user is None:  # a system without such numbers
        monkeypatch.delattr(os, "geteuid", raising=False)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: user, raising=False)
    with browser.page():
        pass
    assert ("--no-sandbox" not in started.words) == boxed
    assert started.words[5:7] == ["/bin/chromium", "--headless"]
