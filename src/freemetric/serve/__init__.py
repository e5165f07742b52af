"""A page in the browser: drop a table, see what was understood, fit, compare, look at rows; all on this machine.

``server.py`` listens on the loopback alone and lets in nobody but the page, ``app.py`` has the routes.
``session.py`` is what the page is about, with its files in ``folders.py``; its work is done by ``jobs.py`` in processes
that can be ended, where ``worker.py`` describes tables, fits and compares. ``static/`` runs in the browser, with the
scripts and the style of the report.
"""

from .server import Options, Server

__all__ = ["Options", "Server"]
