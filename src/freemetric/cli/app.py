"""The commands, imported when they are called."""

import inspect
from importlib import import_module
from typing import Annotated, Any

import typer

from .._version import __version__
from .console import OneLine, flag


class LazyGroup(OneLine):
    """A group that lists placeholders, and calls the commands that they stand for."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return name, called(command), rest


def add(app: typer.Typer, name: str, place: str, words: str) -> None:
    """List a command by its name and a few words; ``place`` is "module:function" or "module:group" in this package."""

    def placeholder() -> None: ...

    placeholder.__doc__ = words
    placeholder.place = name, place  # type: ignore[attr-defined]
    app.command(name)(placeholder)


def called(command: Any) -> Any:
    """The command that a placeholder stands for; any other as it is."""
    place = getattr(getattr(command, "callback", None), "place", None)
    return loaded(*place) if place else command


def loaded(name: str, place: str) -> Any:
    """A command, or a group of them, made from the function or the Typer at a place."""
    module, _, attribute = place.partition(":")
    found = getattr(import_module(f".{module}", __package__), attribute)
    holder = typer.Typer()
    if isinstance(found, typer.Typer):
        holder.add_typer(found, name=name)
    else:
        holder.command(name, help=unwrapped(found.__doc__ or ""))(found)
    return typer.main.get_group(holder).commands[name]


def unwrapped(text: str) -> str:
    """A docstring with one line for each paragraph, so that help can wrap it to the width of the terminal."""
    return "\n\n".join(part.replace("\n", " ") for part in inspect.cleandoc(text).split("\n\n"))


COMMANDS = {
    "fit": ("model:fit", "Fit a classifier or a regressor to a table, and write it to a model file."),
    "predict": ("model:predict", "Predict the target of every row of a table."),
    "transform": ("model:transform", "Map every row to the space where the learned distance is Euclidean."),
    "inspect": ("model:inspect", "Show what a model is and how its metric weighs the features."),
    "report": ("outputs:report", "Write one HTML page about a model."),
    "export": ("outputs:export", "Write a model as an ONNX graph, which predicts without Python."),
    "evaluate": ("evaluate:evaluate", "Compare methods on your own tables by cross-validation."),
    "serve": ("serve:serve", "Open a page in the browser to fit, compare and look at models."),
    "bench": ("bench_show:app", "Run the paper's comparison, and show its tables and figures."),
    "datasets": ("datasets:app", "List, fetch and check the paper's data sets."),
    "demo": ("outputs:demo", "Learn metrics on wine and iris, and draw the space before and after."),
}
"""Where every command lives, and the words beside its name; the rest of its help stands with it."""

app = typer.Typer(cls=LazyGroup, no_args_is_help=True, help="Distance metrics learned by minimising the free energy.")
for name, (place, words) in COMMANDS.items():
    add(app, name, place, words)


def _version(asked: bool) -> None:
    if asked:
        print(__version__)
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[bool, flag("Show the version and exit.", "--version", callback=_version, is_eager=True)] = False,
    debug: Annotated[bool, flag("Show tracebacks.", "--debug", hidden=True)] = False,
) -> None:
    """Distance metrics learned by minimising the free energy."""


def main() -> None:
    """Run the command that the shell asks for."""
    app()
