"""The built pages, served to this machine only."""

import http.client
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
