"""The server of the explorer: loopback only, read-only, and only for who knows its token."""

from __future__ import annotations

import errno
import gzip
import re
import secrets
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from pantala.errors import PantalaError, UsageError, first_line
from pantala.explorer.packed import as_json
from pantala.explorer.page import html, policy
from pantala.explorer.prepared import COMPRESSED_FROM, PreparedTables
from pantala.explorer.subject import Subject
from pantala.files.table_errors import UNREADABLE

__all__ = ["HOST", "ExplorerServer", "server_of"]

#: The only interface of the server.
HOST = "127.0.0.1"
#: The names by which a browser may call it. A page of another name cannot read it (DNS rebinding).
_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})
_DATA = re.compile(r"data/(\d{1,6})/([a-z]{1,20})(?:/(\d{1,9}))?")
_RUN = re.compile(r"(facts|words)/(\d{1,6})")
_REPORT = re.compile(r"report/(\d{1,6})")
#: What a report may load: its own style.
_REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"


class ExplorerServer(ThreadingHTTPServer):
    """A server for one subject.

    Attributes:
        subject: what it shows.
        tables: its packed tables.
        token: the secret part of the address.
    """

    daemon_threads = True
    # Another program may hold the port; it is not shared.
    allow_reuse_address = False

    def __init__(self, subject: Subject, port: int) -> None:
        """Binds the port; `serve_forever` answers."""
        self.subject = subject
        self.tables = PreparedTables(subject)
        self.token = secrets.token_urlsafe(16)
        super().__init__((HOST, port), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Prints nothing about a browser that closed its connection."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]

    @property
    def port(self) -> int:
        """The port."""
        return int(self.server_address[1])

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self.port}/{self.token}/"


def server_of(subject: Subject, port: int = 0) -> ExplorerServer:
    """Returns a server that listens.

    Args:
        subject: what it shows.
        port: the port; 0 stands for a free one.

    Raises:
        UsageError: the port is in use or needs rights that the user has not.
    """
    try:
        return ExplorerServer(subject, port)
    except OSError as error:
        reason = {
            errno.EADDRINUSE: "is in use",
            errno.EACCES: "needs the rights of an administrator",
        }.get(error.errno or 0, f"cannot be opened: {error.strerror or error}")
        raise UsageError(
            f"--port {port}: {reason}; choose another port, or leave --port out for a free one"
        ) from None


def _known(subject: Subject) -> dict[str, Any]:
    """Returns what the page need not ask for: the subject, and the facts of its first run."""
    try:
        return subject.document() | {"facts": [subject.facts(0)]}
    except (PantalaError, *UNREADABLE, OSError, ValueError, KeyError):
        return subject.document()  # the page asks for the facts, and says what is wrong


class _Handler(BaseHTTPRequestHandler):
    """Answers GET requests under the token; everything else is refused."""

    server: ExplorerServer
    protocol_version = "HTTP/1.1"
    server_version = "pantala"
    sys_version = ""

    def do_GET(self) -> None:
        """Sends the page, or JSON or a packed table for it."""
        if not self._is_local():
            self._send(403, "The explorer answers only to 127.0.0.1 and localhost.")
            return
        _, token, *rest = urlsplit(self.path).path.split("/", 2)
        expected = self.server.token.encode()
        if not secrets.compare_digest(token.encode("utf-8", "replace"), expected):
            self._send(403, "The address lacks the token that pantala explore printed.")
            return
        try:
            self._answer(rest[0] if rest else "")
        except UsageError as error:
            self._send(404, first_line(error))
        except ConnectionError:  # the browser has gone
            self.close_connection = True
        except (PantalaError, *UNREADABLE, OSError, ValueError, KeyError) as error:
            self._send(422, first_line(error))

    def _is_local(self) -> bool:
        host = self.headers.get("Host", "")
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        return name in _NAMES

    def _answer(self, path: str) -> None:
        subject = self.server.subject
        if path == "":
            self._send(200, html(subject.name, known=_known(subject)), "text/html")
        elif found := _RUN.fullmatch(path):
            asked = subject.facts if found[1] == "facts" else subject.words
            self._send(200, as_json(asked(int(found[2]))), "application/json")
        elif found := _REPORT.fullmatch(path):
            self._send(200, subject.report(int(found[1])), "text/html", _REPORT_POLICY)
        elif found := _DATA.fullmatch(path):
            argument = None if found[3] is None else int(found[3])
            data, compressed = self.server.tables.get(int(found[1]), found[2], argument)
            self._send(200, data, "application/octet-stream", compressed=compressed)
        else:
            self._send(404, "The explorer has no such page.")

    def _send(
        self,
        status: int,
        body: str | bytes,
        kind: str = "text/plain",
        rules: str = "",
        *,
        compressed: bool = False,
    ) -> None:
        data = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        if "gzip" in self.headers.get("Accept-Encoding", ""):
            if not compressed and len(data) > COMPRESSED_FROM:
                data, compressed = gzip.compress(data, 1), True
            if compressed:
                self.send_header("Content-Encoding", "gzip")
        elif compressed:
            data = gzip.decompress(data)
        charset = "" if kind == "application/octet-stream" else "; charset=utf-8"
        self.send_header("Content-Type", kind + charset)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Content-Security-Policy", f"{rules or policy()}; frame-ancestors 'none'")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Prints nothing: the address of the page is secret."""
