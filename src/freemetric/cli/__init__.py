"""The command line ``freemetric``: every error is one line and exit code 2."""

import re
import sys
import warnings

__all__ = ["main"]

USAGE = 2
"""The exit code of every error."""

INTERRUPTED = 130
"""The exit code after an interrupt from the keyboard."""


def main(words=None):
    """Run the command line and exit.

    Parameters
    ----------
    words : list of str or None, default=None
        The words after ``freemetric``; None takes those of the shell.
    """
    words = sys.argv[1:] if words is None else words
    try:
        import click

        from .commands import group
    except ModuleNotFoundError as problem:
        if problem.name != "click":
            raise
        stop("The command line needs click: pip install click (extra 'cli').", USAGE)
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = show_note
        try:
            group.main(words or ["--help"], "freemetric", standalone_mode=False)
        except (KeyboardInterrupt, click.Abort):
            stop("Interrupted.", INTERRUPTED)
        except Exception as problem:
            if "--debug" in words:
                raise
            stop(one_line(problem), USAGE)


def stop(message, code):
    """Print a line on stderr and exit."""
    print(f"freemetric: {message}", file=sys.stderr)
    raise SystemExit(code) from None


def one_line(problem):
    """Return the message of an exception as one line."""
    if hasattr(problem, "format_message"):  # an exception of click
        message = problem.format_message()
    elif isinstance(problem, ValueError | TypeError | OSError | ImportError):
        message = str(problem)
    else:
        message = f"{type(problem).__name__}: {problem} (--debug shows more)"
    return " ".join(message.split())


def show_note(message, *details):
    """Print a warning as one line on stderr, with options in place of parameters."""
    line = " ".join(str(message).split())
    line = re.sub(r"\b(keep|drop)=\[('.*?')\]", r"--\1 \2", line)
    print(f"note: {line}", file=sys.stderr)
