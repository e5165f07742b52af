"""Who may talk to the server: the page that was opened with its token, and nobody else.

Other web pages cannot reach it: requests for another host (DNS rebinding), from another origin or from another site
are refused, and so are all that lack the cookie, which only who knows the token gets. The token is in the address that
is printed; the browser is opened with a word that works once, for other users see the arguments of programs.
"""

import secrets
from collections.abc import MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import PlainTextResponse, RedirectResponse, Response

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


class Guard:
    """An ASGI application in front of another, which listens on a port of the loopback."""

    def __init__(self, app: Any, port: int):
        self.app, self.hosts = app, (f"127.0.0.1:{port}", f"localhost:{port}")
        self.cookie, self.token = f"freemetric-{port}", secrets.token_urlsafe(32)
        self.once: set[str] = set()

    def word_for_once(self) -> str:
        """A word that opens the page one time."""
        word = secrets.token_urlsafe(32)
        self.once.add(word)
        return word

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
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
        """Why a request is not let in, or how it gets in; None if it may pass."""
        headers = Headers(scope=scope)
        if headers.get("host", "") not in self.hosts:
            return PlainTextResponse("another host", 403)
        if headers.get("origin", f"http://{headers['host']}") != f"http://{headers['host']}":
            return PlainTextResponse("another origin", 403)
        given = QueryParams(scope["query_string"]).get("token", "")
        if given and scope["path"] == "/" and scope["method"] == "GET":
            return self._let_in() if self._is_known(given) else PlainTextResponse("a wrong token", 403)
        if scope["path"] != "/" and headers.get("sec-fetch-site", "none") not in FRIENDLY_SITES:
            return PlainTextResponse("another site", 403)
        if not secrets.compare_digest(self._cookie(headers), self.token.encode()):
            return PlainTextResponse("open the address that `freemetric serve` printed", 403)
        return None

    def _is_known(self, given):
        if given in self.once:
            self.once.discard(given)
            return True
        return secrets.compare_digest(given.encode(), self.token.encode())

    def _let_in(self):
        """A cookie, and the page without the token in its address."""
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self.cookie, self.token, httponly=True, samesite="lax", path="/")
        return answer

    def _cookie(self, headers) -> bytes:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return b""
        return b"" if found is None else found.value.encode()
