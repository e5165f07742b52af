"""``freemetric serve``: a page in the browser."""

import os
import signal
import sys
import threading
import webbrowser
from typing import Annotated

from .console import console, flag, option

ENDS = ("SIGTERM", "SIGHUP")  # a request to end, and a closed terminal


def serve(
    port: Annotated[int | None, option("PORT", "Port on 127.0.0.1. Default: a free one.", min=1, max=65535)] = None,
    browser: Annotated[bool, flag("Open the page in the browser.", "--browser/--no-browser")] = True,
    upload: Annotated[int, option("MEGABYTES", "Largest file that may be uploaded.", min=1, max=4096)] = 512,
    limit: Annotated[float | None, option("SECONDS", "Longest time of one fit or comparison.", min=0)] = None,
    megabytes: Annotated[
        float | None, option("MEGABYTES", "Largest memory of one fit or comparison. Default: all there is.", min=0)
    ] = None,
) -> None:
    """Open a page in the browser: upload a table, check its columns, fit, compare, look at rows, download the model.

    The page is for this machine and this user alone: the server listens on 127.0.0.1, asks for the token in the printed
    address, and uses no other network. Ctrl-C, or Quit on the page, stops it and deletes all uploaded files.
    """
    from ..serve import Options, Server

    server = Server(Options(port, upload, _bounds(limit, megabytes)))
    _clear_up_when_ended()
    _keep_quiet_about_ended_work()
    console.print(f"{server.url}\nOpen this address in a browser of this machine; Ctrl-C ends it.", soft_wrap=True)
    if browser and has_screen():
        threading.Thread(target=webbrowser.open, args=(server.url_for_once,), daemon=True).start()
    server.run()


def _clear_up_when_ended():
    """Exit with the code of shells instead of dying, so that uploaded files are removed."""
    for number in (getattr(signal, name) for name in ENDS if hasattr(signal, name)):
        if signal.getsignal(number) != signal.SIG_IGN:  # which nohup wants
            signal.signal(number, lambda number, _: sys.exit(128 + number))


def _keep_quiet_about_ended_work():
    """Ended work leaves semaphores, which Python clears away with a warning that helps nobody."""
    given = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [given, "ignore:resource_tracker:UserWarning"]))


def _bounds(limit, megabytes):
    from ..serve.jobs import Bounds, usual_bounds

    if megabytes is None:
        return usual_bounds()._replace(seconds=limit)
    from ..tabular import Limits  # takes seconds

    Limits(limit, megabytes)  # raises an error where memory cannot be limited
    return Bounds(limit, megabytes)


def has_screen() -> bool:
    """Whether a browser has a place to show up; one in the terminal would take it away from us."""
    on_unix = sys.platform not in ("win32", "darwin")
    return not on_unix or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
