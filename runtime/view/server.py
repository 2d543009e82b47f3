"""The pages over HTTP, for this machine alone: it listens on the loopback address, answers GET and changes nothing."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from ..store.errors import StoreError
from ..store.terns import Store
from .markup import document, element
from .pages import Page, navigation, page_for
from .style import STYLE

HOST = "127.0.0.1"
_LOCAL = ("127.0.0.1", "localhost", "[::1]")


class ViewServer(ThreadingHTTPServer):
    """`port` 0 takes a free one; `address` is what a browser opens."""

    daemon_threads = True

    def __init__(self, store: Path, *, port: int = 0, tenant: str = "") -> None:
        super().__init__((HOST, port), _Handler)
        self.store = store
        self.tenant = tenant

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.server_address[1]}/"


class _Handler(BaseHTTPRequestHandler):
    server: ViewServer
    server_version = "jrun"
    sys_version = ""

    def do_GET(self) -> None:
        # A page of somebody else's whose name was made to lead here must not read what is in the store.
        if (self.headers.get("Host") or "").rsplit(":", 1)[0] not in _LOCAL:
            self._send(Page("this server answers only to 127.0.0.1", 403, "text/plain; charset=utf-8"))
            return
        split = urlsplit(self.path)
        query = {name: texts[-1] for name, texts in parse_qs(split.query).items()}
        try:
            # Opened anew for each page: a store belongs to one thread, and to open it costs less than a page.
            with Store.read(self.server.store) as store:
                page = page_for(store, unquote(split.path), query, tenant=self.server.tenant)
        except StoreError as error:
            page = _trouble(str(error))
        self._send(page)

    def _send(self, page: Page) -> None:
        body = page.body.encode("utf-8", "replace")
        self.send_response(page.status)
        self.send_header("Content-Type", page.kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: what was looked at is nobody's business."""


def _trouble(message: str) -> Page:
    body = (navigation(), element("h1", "The store cannot be read"), element("pre", message))
    return Page(document("jrun view", STYLE, *body), 500)
