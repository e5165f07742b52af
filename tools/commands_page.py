"""Write docs/reference/commands.md from the commands: ``make pages``."""

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from freemetric.cli import app

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "commands.md"
INTRODUCTION = """# The command line

This page lists every command of `freemetric` with its options. `pip install 'freemetric[cli]'` installs the command;
`python -m freemetric` is the same. Parquet and Feather files need `freemetric[parquet]`, `export` needs
`freemetric[onnx]`, and `bench` needs `freemetric[bench]`.
[](../howto/tables.md) and [](../howto/choose.md) show the commands in use.

Every command has `--help`. Most have `--json`, which prints JSON and nothing else. Errors are one line on stderr;
`freemetric --debug COMMAND ...` shows the traceback. `freemetric --install-completion` installs completion for your
shell.

| exit code | meaning |
|---|---|
| 0 | success |
| 1 | a failure: a method on a file, a full disk, a missing extra |
| 2 | unusable input: a table, a model file, a column, an option |
| 130 | interrupted from the keyboard; existing model files are unchanged |

`make pages` generates this page from the commands.
"""


def page() -> str:
    """The page as text."""
    group = typer.main.get_command(app)
    return "\n".join(
        [
            INTRODUCTION,
            *(
                described(name, command)
                for name, command in leaves(group, "freemetric")
            ),
        ]
    )


def leaves(group: Any, path: str) -> Iterator[tuple[str, Any]]:
    """All commands under a group, by their full names."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from leaves(command, f"{path} {name}")
        elif not command.hidden:
            yield f"{path} {name}", command


def described(name: str, command: Any) -> str:
    """A heading, the help of the command, its usage, and its arguments."""
    shown = [
        param
        for param in command.params
        if not getattr(param, "hidden", False) and param.name != "help"
    ]
    arguments = [param for param in shown if param.param_type_name == "argument"]
    options = {_written(o): o for o in shown if o.param_type_name == "option"}
    needed = [words[0] for words, option in options.items() if option.required]
    rows = [f"| `{placed(a)}` | {help_of(a)} |" for a in arguments]
    rows += [
        f"| {', '.join(f'`{way}`' for way in words)} | {help_of(o)} |"
        for words, o in options.items()
    ]
    usage = " ".join([name, *map(placed, arguments), *needed, "[OPTIONS]"])
    text = inspect.cleandoc(command.help or "")
    return (
        f"## {name}\n\n{text}\n\n```text\n{usage}\n```\n\n| | |\n|---|---|\n"
        + "\n".join(rows)
        + "\n"
    )


def _written(option):
    """The ways to write an option, the long one first; --no-this as well."""
    what = option.metavar or ""
    ways = [*sorted(option.opts, key=len, reverse=True), *option.secondary_opts]
    return tuple(f"{way} {what}".strip() for way in ways)


def placed(argument: Any) -> str:
    """An argument as a command line shows it."""
    shown = f"{argument.metavar}{'...' if argument.nargs == -1 else ''}"
    return shown if argument.required else f"[{shown}]"


def help_of(param: Any) -> str:
    """The help of a parameter, and its default where there is one to know of."""
    text = (param.help or "").replace("|", "\\|")
    if param.required or param.default in (None, "") or isinstance(param.default, bool):
        return text + (
            " Required." if param.required and param.param_type_name == "option" else ""
        )
    return f"{text} Default: `{param.default}`."


if __name__ == "__main__":
    PAGE.write_text(page())
