"""The command line ``freemetric``.

Exit codes: 0, all is well; 1, something failed; 2, the input cannot be used; 130, stopped from the keyboard.
"""

try:
    import rich  # noqa: F401
    import typer  # noqa: F401

    from .app import app, main
except ImportError as missing:
    if (missing.name or "").startswith("freemetric"):
        raise
    raise SystemExit(f"The command line needs {missing.name}: pip install 'freemetric[cli]'.") from None
except KeyboardInterrupt:
    raise SystemExit(130) from None

__all__ = ["app", "main"]
