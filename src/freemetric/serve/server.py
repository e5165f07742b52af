"""The server of the page: who may ask, and how it starts and stops."""

import os
import secrets
import signal
import socket
import threading
from collections.abc import Iterable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import JSONResponse, RedirectResponse, Response

from ..extras import require
from .jobs import Bounds, usual_bounds, warm_up

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

    # quoted, because the documentation is made without starlette
    def refusal(self, scope: MutableMapping[str, Any]) -> "Response | None":
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
        ticket = self.tickets.get(path.removeprefix("/"))
        given = QueryParams(scope["query_string"]).get("ticket", "")
        if is_reading and (path in THE_PAGE or (ticket is not None and _is_same(given, ticket))):
            return None
        scheme, _, word = headers.get("authorization", "").partition(" ")
        if scheme == "Bearer" and path == ENTRANCE and method == "POST" and self._is_known(word):
            links = {link: f"{link}?ticket={ticket}" for link, ticket in self.tickets.items()}
            return JSONResponse({"token": self.token, "links": links})
        if scheme == "Bearer" and path != ENTRANCE and _is_same(word, self.token):
            return None
        return _no("Open the address that `freemetric serve` printed.")

    def _is_known(self, word):
        is_new = word in self.once
        self.once.discard(word)
        return is_new or _is_same(word, self.token)


def _is_same(given: str, secret: str) -> bool:
    return secrets.compare_digest(given.encode(), secret.encode())


def _no(why: str) -> Response:
    return JSONResponse({"error": why}, 403)


USUAL_PORT = 8765
HANGUP = getattr(signal, "SIGHUP", None)  # the terminal was closed; unknown to Windows


@dataclass(frozen=True)
class Options:
    """Options of the server.

    Attributes
    ----------
    port : int or None
        Where it listens; None: the usual port or, if that is taken, any other.
    upload : int
        Megabytes of the largest file.
    bounds : Bounds
        Time and memory of one fit or comparison.
    """

    port: int | None = None
    upload: int = 512
    bounds: Bounds = field(default_factory=usual_bounds)


class Server:
    """Listens from the beginning; ``run`` answers, until it is interrupted or stopped from the page.

    Attributes
    ----------
    url : str
        Address of the page, with the token that opens it.
    url_for_once : str
        Another that works one time.
    """

    def __init__(self, options: Options | None = None):
        uvicorn = require("uvicorn", "serve")
        require("starlette", "serve")
        from .app import LINKS, application
        from .session import Session

        options = options or Options()
        self.session = Session(options.bounds)
        try:
            self.socket = listening(options.port)
        except OSError:
            self.session.close()
            raise
        port = self.socket.getsockname()[1]
        self.guard = Guard(application(self.session, options.upload << 20, self.stop), port, LINKS)
        quiet = {"ws": "none", "log_level": "critical", "access_log": False, "server_header": False}
        self.uvicorn: Any = uvicorn.Server(uvicorn.Config(self.guard, timeout_graceful_shutdown=0, **quiet))
        self.noted: int | None = None
        self.url = self.guard.address(self.guard.token)
        self.url_for_once = self.guard.address(self.guard.word_for_once())

    def run(self) -> None:
        """Answer until stopped; then nothing of it is left. Ctrl-C ends in KeyboardInterrupt."""
        threading.Thread(target=warm_up, daemon=True).start()  # while the user looks for a file
        # Ctrl-C stops the loop and is remembered: whether the loop itself would raise it depends on the moment. So does
        # the end of the terminal, of which uvicorn knows nothing.
        noted = [signal.SIGINT]
        if HANGUP is not None and signal.getsignal(HANGUP) != signal.SIG_IGN:  # which nohup wants
            noted.append(HANGUP)
        if threading.current_thread() is not threading.main_thread():  # which alone hears of signals
            noted = []
        before = {number: signal.signal(number, self._note) for number in noted}
        try:
            self.uvicorn.run(sockets=[self.socket])
        finally:
            self.close()
            for number, handler in before.items():
                signal.signal(number, handler)
        if self.noted == signal.SIGINT:
            raise KeyboardInterrupt
        if self.noted is not None:
            signal.raise_signal(self.noted)

    def _note(self, number, _):
        self.noted = number
        self.stop()

    def stop(self) -> None:
        """Let ``run`` come to its end."""
        self.uvicorn.should_exit = True

    def close(self) -> None:
        """End what runs, remove what was kept."""
        self.session.close()
        self.socket.close()


def listening(port: int | None) -> socket.socket:
    """A socket of the loopback; OSError where the given port is taken."""
    for place in (USUAL_PORT, 0) if port is None else (port,):
        try:
            return socket.create_server(("127.0.0.1", place), backlog=64)
        except OSError as problem:
            number = problem.errno or 0
    raise OSError(number, f"port {port} cannot be had ({os.strerror(number)}); --port names another")
