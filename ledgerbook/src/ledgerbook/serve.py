"""``make serve``: the built pages on this machine only."""

import errno
import functools
import http.server
from http import HTTPStatus
from typing import Any

from ledgerbook import paths
from ledgerbook.validation import require, require_integer

HOSTS = ("127.0.0.1", "localhost", "[::1]")


class Pages(http.server.SimpleHTTPRequestHandler):
    """Files, and nothing else: no listings of folders, no other host's name, no odd paths."""

    def send_head(self) -> Any:
        """Answer with a file's head, or with 404; 421 where another host's name was asked for."""
        host = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get("Host", "")
        if host and host not in HOSTS:
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
            return None
        try:
            return super().send_head()
        except ValueError:  # a null in the path
            self.send_error(HTTPStatus.NOT_FOUND)
            return None

    def list_directory(self, path: Any) -> None:
        """A folder without a start page is not there."""
        self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing of what went well."""


def server(port: int) -> http.server.ThreadingHTTPServer:
    """A server of the built pages; port 0 takes a free one."""
    require_integer("PORT", port, 0, 65535)
    require(paths.INDEX.exists(), "pages", "none", "run make book or make pages first")
    handler = functools.partial(Pages, directory=paths.HTML)
    try:
        return http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        raise ValueError(
            f"PORT = {port}, allowed: a free port, as in make serve PORT=8001"
        ) from None


def main(port: int) -> int:
    """Serve until Ctrl-C."""
    with server(port) as running:
        print(f"http://127.0.0.1:{running.server_port}/ (Ctrl-C stops it)", flush=True)
        running.serve_forever()
    return 0
