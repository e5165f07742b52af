"""Output, errors and progress of all commands."""

import errno
import json
import math
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich import progress as bars
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer.core import TyperGroup

from ..printable import printable

# Names come from files and are not markup.
console, errors = (Console(stderr=stderr, markup=False, emoji=False) for stderr in (False, True))
USAGE, FAILURE = 2, 1  # exit codes of wrong input and of all other errors
WRONG_PATHS = (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError)
# typer brings click's exceptions along, from a place that differs between releases
THEIRS: tuple[Any, ...] = (typer.Exit, typer.Abort, typer.BadParameter.__mro__[2])


def option(metavar: str, help: str, *names: str, **more: Any) -> Any:
    """An option, a flag without ``metavar``; its name is that of the parameter unless ``names`` are given."""
    return typer.Option(*names, metavar=metavar, help=help, **more)


def argument(metavar: str, help: str) -> Any:
    """A positional argument."""
    return typer.Argument(metavar=metavar, help=help)


Json = Annotated[bool, option("", "Print JSON and nothing else.", "--json")]
Advance = Callable[..., None]


class OneLine(TyperGroup):
    """Every error of a command is one line and an exit code; a traceback only with --debug."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except THEIRS:
            raise
        except Exception as problem:
            broken_pipe = isinstance(problem, OSError) and problem.errno == errno.EPIPE
            if broken_pipe or ctx.params.get("debug"):
                raise
            raise typer.Exit(print_error(problem)) from None


def print_error(problem: Exception) -> int:
    """Print one line about an exception; its exit code."""
    text = str(problem) or type(problem).__name__
    if isinstance(problem, OSError) and not isinstance(problem, ValueError) and problem.strerror:
        text = f"{problem.filename}: {problem.strerror}" if problem.filename else problem.strerror
    elif not isinstance(problem, ValueError | ImportError):  # which our own errors are
        text = f"{type(problem).__name__}: {text}; `freemetric --debug ...` shows where"
    log(text, "red")
    return exit_code(problem)


def exit_code(problem: Exception) -> int:
    """USAGE where the input is wrong: a value, a model file or a path; FAILURE for all else, such as a full disk."""
    from numpy.linalg import LinAlgError  # a ValueError that is not about the input

    if isinstance(problem, OSError):  # a model file that cannot be read or written is one, too
        return USAGE if isinstance(problem, WRONG_PATHS) else FAILURE
    return USAGE if isinstance(problem, ValueError) and not isinstance(problem, LinAlgError) else FAILURE


def log(text: object, style: str | None = None) -> None:
    """A line on stderr."""
    errors.print(printable(text), style=style, highlight=False, soft_wrap=True)


def known_name(name: str, known: Collection[str], what: str) -> str:
    """A name that must be among the known ones."""
    if name not in known:
        raise ValueError(f"Unknown {what} {name!r}; known: {', '.join(known)}.")
    return name


def listed(text: str, known: Collection[str], what: str) -> list[str]:
    """Names separated by commas, or all."""
    names = known if text == "all" else [name.strip() for name in text.split(",") if name.strip()]
    return [known_name(name, known, what) for name in names]


def print_json(value: Any) -> None:
    """JSON on stdout; numbers that are not finite are null."""
    print(json.dumps(_finite(value), indent=2, ensure_ascii=False, default=str, allow_nan=False))


def print_result(as_json: bool, value: dict[str, Any], text: str) -> None:
    """The result of a command as JSON, or as a line of text."""
    if as_json:
        print_json(value)
    else:
        console.print(text, soft_wrap=True)


def print_table(columns: Iterable[str], rows: Iterable[Iterable[object]], title: str | None = None) -> None:
    """A table of printable cells."""
    table = Table(*columns, title=title)
    for row in rows:
        table.add_row(*map(printable, row))
    console.print(table)


def _finite(value):
    if isinstance(value, dict):
        return {str(key): _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


@contextmanager
def shown_warnings() -> Iterator[None]:
    """Print warnings of the library as lines on stderr, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            yield
        finally:
            for text in dict.fromkeys(str(warning.message) for warning in caught):
                log(f"note: {text}")


class Clock(bars.ProgressColumn):
    """Time left, or time elapsed while that is unknown."""

    max_refresh = 0.5  # seconds

    def __init__(self):
        super().__init__()
        self.left, self.elapsed = bars.TimeRemainingColumn(), bars.TimeElapsedColumn()

    def render(self, task: bars.Task) -> Text:
        return self.elapsed.render(task) if task.time_remaining is None else self.left.render(task) + " left"


@contextmanager
def progress(description: str, total: int | None = None, *, quiet: bool = False) -> Iterator[Advance]:
    """A function ``advance(done, total, description)`` that moves a bar with the time left.

    Nothing is shown where stderr is no terminal, or where ``quiet``.
    """
    columns = bars.TextColumn("{task.description}", markup=False), bars.BarColumn(), bars.MofNCompleteColumn(), Clock()
    with bars.Progress(*columns, console=errors, transient=True, disable=quiet or not errors.is_terminal) as bar:
        task = bar.add_task(description, total=total)

        def advance(done: int, total: int | None = None, description: str | None = None) -> None:
            bar.update(task, completed=done, total=total, description=description)

        yield advance
