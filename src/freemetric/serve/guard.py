"""Access to the server: for the page that was opened with its token, and nobody else.

The token is in the address that is printed, behind the #: browsers send that part to nobody. The page keeps it in the
storage of its tab, which belongs to one host *and port*, and sends it as a header with everything that it asks. It is
never in a cookie, because browsers send cookies to every port of a host, that is to the server of whoever has one on
this machine. What the browser loads without the page's scripts (a report in a frame, a download) has a ticket in its
address, which opens this one file.

Without the token there is only the page itself, which holds no data. Other web pages do not reach even that: requests
for another host (DNS rebinding), from another origin or from another site are refused. The browser is opened with a
word that works once, for other users see the arguments of programs.
"""

import secrets
from collections.abc import Iterable, MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import JSONResponse, RedirectResponse, Response

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
FRIENDLY_SITES = ("same-origin", "none")
THE_PAGE = ("/", "/page.js", "/page.css", "/plotly.js")
ENTRANCE = "/api/enter"


class Guard:
    """An ASGI application in front of another, on a port of the loopback.

    ``links`` are paths, without the first slash, that the browser loads by itself.
    """

    def __init__(self, app: Any, port: int, links: Iterable[str] = ()):
        shown = "" if port == 80 else f":{port}"  # browsers leave out what is usual
        self.app, self.host, self.alias = app, f"127.0.0.1{shown}", f"localhost{shown}"
        self.token = secrets.token_urlsafe(32)
        self.tickets = {path: secrets.token_urlsafe(32) for path in links}
        self.once: set[str] = set()

    def word_for_once(self) -> str:
        """A word that opens the page one time."""
        word = secrets.token_urlsafe(32)
        self.once.add(word)
        return word

    def address(self, word: str) -> str:
        """The address of the page, with a word that opens it."""
        return f"http://{self.host}/#token={word}"

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        answer = self.refusal(scope) or self.app

        async def send_with_headers(message):
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await answer(scope, receive, send_with_headers)

    def refusal(self, scope: MutableMapping[str, Any]) -> Response | None:
        """The answer to a request that may not pass, or that enters; None if it may pass."""
        headers, path, method = Headers(scope=scope), scope["path"], scope["method"]
        is_reading = method in ("GET", "HEAD")
        if headers.get("host") == self.alias and path == "/" and is_reading:
            return RedirectResponse(f"http://{self.host}/")  # one origin, so one storage; browsers keep what follows #
        if headers.get("host") != self.host:
            return _no("another host")
        if headers.get("origin", f"http://{self.host}") != f"http://{self.host}":
            return _no("another origin")
        if path != "/" and headers.get("sec-fetch-site", "none") not in FRIENDLY_SITES:
            return _no("another site")
        if is_reading and (path in THE_PAGE or self._has_ticket(scope)):
            return None
        scheme, _, word = headers.get("authorization", "").partition(" ")
        if scheme == "Bearer" and path == ENTRANCE and method == "POST" and self._is_known(word):
            links = {link: f"{link}?ticket={ticket}" for link, ticket in self.tickets.items()}
            return JSONResponse({"token": self.token, "links": links})
        if scheme == "Bearer" and path != ENTRANCE and _is_same(word, self.token):
            return None
        return _no("Open the address that `freemetric serve` printed.")

    def _has_ticket(self, scope):
        ticket = self.tickets.get(scope["path"].removeprefix("/"))
        return ticket is not None and _is_same(QueryParams(scope["query_string"]).get("ticket", ""), ticket)

    def _is_known(self, word):
        if word in self.once:
            self.once.discard(word)
            return True
        return _is_same(word, self.token)


def _is_same(given: str, secret: str) -> bool:
    return secrets.compare_digest(given.encode(), secret.encode())


def _no(why: str) -> Response:
    return JSONResponse({"error": why}, 403)
