"""The command line ``freemetric``. Exit codes: 0, all is well; 1, something failed; 2, the input cannot be used."""

try:
    import rich  # noqa: F401
    import typer  # noqa: F401
except ImportError as missing:
    raise SystemExit(f"The command line needs {missing.name}: pip install 'freemetric[cli]'.") from None

from .app import app, main

__all__ = ["app", "main"]
