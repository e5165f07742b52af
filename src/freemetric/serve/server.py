"""The server: on the loopback alone, until it is stopped."""

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from ..extras import require
from .jobs import Bounds, usual_bounds, warm_up

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
    """Listens from the beginning; ``run`` answers, until somebody interrupts it or the page says so.

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
        from .guard import Guard
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
        config = uvicorn.Config(
            self.guard,
            ws="none",
            log_level="critical",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=0,
        )
        self.uvicorn: Any = uvicorn.Server(config)
        self.noted: int | None = None
        self.url = self.guard.address(self.guard.token)
        self.url_for_once = self.guard.address(self.guard.word_for_once())

    def run(self) -> None:
        """Answer until stopped; then nothing of it is left. Ctrl-C ends in KeyboardInterrupt."""
        threading.Thread(target=_warm_up, daemon=True).start()
        with self._signals_noted():
            try:
                self.uvicorn.run(sockets=[self.socket])
            finally:
                self.close()
        if self.noted == signal.SIGINT:
            raise KeyboardInterrupt
        if self.noted is not None:
            signal.raise_signal(self.noted)

    @contextmanager
    def _signals_noted(self) -> Iterator[None]:
        """Ctrl-C stops the loop and is remembered: whether the loop itself would raise it depends on the moment.

        So does the end of the terminal, of which uvicorn knows nothing.
        """
        if threading.current_thread() is not threading.main_thread():  # which alone hears of signals
            yield
            return
        noted = [signal.SIGINT]
        if HANGUP is not None and signal.getsignal(HANGUP) != signal.SIG_IGN:  # which nohup wants
            noted.append(HANGUP)
        before = {number: signal.signal(number, self._note) for number in noted}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

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
    """A socket of the loopback; OSError where the port that was asked for is taken."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":  # elsewhere it would let others listen on the same port
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    for place in (USUAL_PORT, 0) if port is None else (port,):
        try:
            made.bind(("127.0.0.1", place))
        except OSError as problem:
            trouble = problem
        else:
            made.listen(64)
            return made
    made.close()
    raise OSError(trouble.errno, f"port {port} cannot be had ({trouble.strerror}); --port names another")


def _warm_up():
    """Start the process that forks all others while the user looks for a file."""
    with suppress(Exception):
        warm_up()
