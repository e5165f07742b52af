"""What all commands share: where they print, how they fail, how they show progress."""

import errno
import json
import math
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text
from typer.core import TyperGroup

from ..printable import printable

# names come from files: they are no markup
console, errors = (Console(stderr=stderr, markup=False, emoji=False) for stderr in (False, True))
USAGE, FAILURE = 2, 1  # exit codes: wrong input, and all else that goes wrong
WRONG_PATHS = (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError)
# typer brings click's exceptions along, from a place that differs between releases
THEIRS: tuple[Any, ...] = (typer.Exit, typer.Abort, typer.BadParameter.__mro__[2])


def option(metavar: str, help: str, *names: str, **more: Any) -> Any:
    """An option with a value; it is called as its parameter unless ``names`` say otherwise."""
    return typer.Option(*names, metavar=metavar, help=help, **more)


def flag(help: str, *names: str, **more: Any) -> Any:
    """An option without a value."""
    return typer.Option(*names, metavar="", help=help, **more)


def argument(metavar: str, help: str) -> Any:
    """What a command takes by its place."""
    return typer.Argument(metavar=metavar, help=help)


Json = Annotated[bool, flag("Print JSON and nothing else.", "--json")]
Advance = Callable[..., None]


class OneLine(TyperGroup):
    """Whatever goes wrong in a command is one line and an exit code; a traceback only with --debug."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except THEIRS:
            raise
        except Exception as problem:
            broken_pipe = isinstance(problem, OSError) and problem.errno == errno.EPIPE
            if broken_pipe or ctx.params.get("debug"):
                raise
            raise typer.Exit(say_why(problem)) from None


def say_why(problem: Exception) -> int:
    """One line about an exception; its exit code."""
    text = str(problem) or type(problem).__name__
    if isinstance(problem, OSError) and not isinstance(problem, ValueError) and problem.strerror:
        text = f"{problem.filename}: {problem.strerror}" if problem.filename else problem.strerror
    elif not isinstance(problem, ValueError | ImportError):  # as our own errors are
        text = f"{type(problem).__name__}: {text}; `freemetric --debug ...` shows where"
    tell(text, "red")
    return exit_code(problem)


def exit_code(problem: Exception) -> int:
    """USAGE where the input is wrong: a value, a model file or a path; FAILURE for all else, such as a full disk."""
    from numpy.linalg import LinAlgError  # a ValueError that says nothing about the input

    if isinstance(problem, OSError):  # a model file that cannot be read or written is one, too
        return USAGE if isinstance(problem, WRONG_PATHS) else FAILURE
    return USAGE if isinstance(problem, ValueError) and not isinstance(problem, LinAlgError) else FAILURE


def tell(text: object, style: str | None = None) -> None:
    """A line on stderr."""
    errors.print(printable(text), style=style, highlight=False, soft_wrap=True)


def fail(problem: object) -> NoReturn:
    """A line on stderr about what is wrong with the input, and the end."""
    tell(problem, "red")
    raise typer.Exit(USAGE)


def known_name(name: str, known: Collection[str], what: str) -> str:
    """A name that must be among the known ones."""
    if name not in known:
        fail(f"Unknown {what} {name!r}; known: {', '.join(known)}.")
    return name


def listed(text: str, known: Collection[str], what: str) -> list[str]:
    """Names separated by commas, or all."""
    names = known if text == "all" else [name.strip() for name in text.split(",") if name.strip()]
    return [known_name(name, known, what) for name in names]


def print_json(value: Any) -> None:
    """JSON on stdout; what is not a finite number is null."""
    print(json.dumps(_finite(value), indent=2, ensure_ascii=False, default=str, allow_nan=False))


def _finite(value):
    if isinstance(value, dict):
        return {str(key): _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


@contextmanager
def warnings_told() -> Iterator[None]:
    """Warnings of the library as lines on stderr, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            yield
        finally:
            for text in dict.fromkeys(str(warning.message) for warning in caught):
                tell(f"note: {text}")


class Clock(ProgressColumn):
    """Time left; time gone while that is unknown."""

    max_refresh = 0.5  # seconds

    def __init__(self):
        super().__init__()
        self.left, self.gone = TimeRemainingColumn(), TimeElapsedColumn()

    def render(self, task: Task) -> Text:
        return self.gone.render(task) if task.time_remaining is None else self.left.render(task) + " left"


@contextmanager
def progress(description: str, total: int | None = None, *, quiet: bool = False) -> Iterator[Advance]:
    """A function ``advance(done, total, description)`` that moves a bar with the time left.

    Nothing is shown off a terminal, or to those who want JSON and nothing else.
    """
    columns = TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), Clock()
    with Progress(*columns, console=errors, transient=True, disable=quiet or not errors.is_terminal) as bar:
        task = bar.add_task(description, total=total)

        def advance(done: int, total: int | None = None, description: str | None = None) -> None:
            bar.update(task, completed=done, total=total, description=description)

        yield advance
