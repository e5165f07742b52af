"""Commands that are imported when they are called: their imports take seconds, ``--version`` and ``--help`` none."""

import inspect
from importlib import import_module
from typing import Any

import typer

from .console import OneLine


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
