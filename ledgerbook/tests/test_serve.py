"""The built pages, served to this machine only."""

import errno
import http.client
import http.server
import io
import socket
import sys
import threading

import pytest

from ledgerbook import paths, serve


@pytest.fixture
def running(tmp_path, monkeypatch):
    (tmp_path / "index.html").write_text("start")
    (tmp_path / "folder").mkdir()
    (tmp_path.parent / "outside.txt").write_text("outside")
    monkeypatch.setattr(paths, "HTML", tmp_path)
    monkeypatch.setattr(paths, "INDEX", tmp_path / "index.html")
    with serve.server(0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def status(server, path, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def test_pages_are_served_here_and_nothing_else_is(running):
    assert running.server_address[0] == "127.0.0.1"
    assert status(running, "/") == status(running, "/index.html") == 200
    assert status(running, "/folder/") == 404, "no listing"
    assert status(running, "/../outside.txt") == status(running, "/%2e%2e/outside.txt") == 404
    assert status(running, "/%00") == 404
    assert status(running, "/", Host="example.org") == 421
    assert status(running, "/", Host=f"localhost:{running.server_port}") == 200


def test_a_taken_port_and_no_port_are_refused_by_name(running):
    port = running.server_port
    with pytest.raises(ValueError, match=f"PORT = {port}, allowed: a free port"):
        serve.server(port)
    with pytest.raises(ValueError, match="PORT = 99999, allowed: a whole number from 0 to 65535"):
        serve.server(99999)


def test_without_pages_there_is_nothing_to_serve(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "INDEX", tmp_path / "index.html")
    with pytest.raises(ValueError, match="run make book"):
        serve.server(0)


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_number_that_is_no_port_is_refused(running, port):
    with pytest.raises(ValueError, match=f"PORT = {port}, allowed"):
        serve.server(port)


def test_what_is_wrong_with_the_machine_is_not_called_a_taken_port(running, monkeypatch):
    def broken(*_):
        raise OSError(errno.ENOMEM, "no memory")

    monkeypatch.setattr(http.server, "ThreadingHTTPServer", broken)
    with pytest.raises(OSError, match="no memory"):
        serve.server(0)


def test_the_address_is_said_before_the_first_page_is_asked_for(running, monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written))
    said = []

    def at_once(self):
        said.append((written.getvalue().decode(), self.server_port))

    monkeypatch.setattr(http.server.ThreadingHTTPServer, "serve_forever", at_once)
    assert serve.main(0) == 0
    ((text, port),) = said
    assert text == f"http://127.0.0.1:{port}/ (Ctrl-C stops it)\n"


def test_an_old_browser_that_names_no_host_is_served(running):
    with socket.create_connection(("127.0.0.1", running.server_port), timeout=10) as asked:
        asked.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert b" 200 " in asked.makefile("rb").readline()


def test_what_went_well_is_not_said(running, capsys):
    assert status(running, "/") == 200 and capsys.readouterr().err == ""
