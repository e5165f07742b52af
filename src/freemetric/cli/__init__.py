"""The command line ``freemetric``.

Exit codes: 0, all is well; 1, something failed; 2, the input cannot be used; 130, stopped from the keyboard.
"""

import inspect
from typing import Annotated

try:
    import rich  # noqa: F401
    import typer

    from .._version import __version__
    from . import bench, datasets, evaluate, model, outputs
    from .console import OneLine, option
except ImportError as missing:
    if (missing.name or "").startswith("freemetric"):
        raise
    raise SystemExit(f"The command line needs {missing.name}: pip install 'freemetric[cli]'.") from None
except KeyboardInterrupt:
    raise SystemExit(130) from None

__all__ = ["app", "main"]

app = typer.Typer(cls=OneLine, no_args_is_help=True, help="Distance metrics learned by minimising the free energy.")
for command in (
    *(outputs.example, model.fit, model.predict, model.transform, model.inspect, outputs.report, outputs.export),
    *(evaluate.evaluate, outputs.serve, outputs.demo, outputs.warmup),
):
    # One line for each paragraph, so that help can wrap it to the width of the terminal.
    paragraphs = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    app.command(help="\n\n".join(part.replace("\n", " ") for part in paragraphs))(command)
app.add_typer(bench.app, name="bench")
app.add_typer(datasets.app, name="datasets")


def _version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, option("", "Show the version and exit.", "--version", callback=_version, is_eager=True)
    ] = False,
    debug: Annotated[bool, option("", "Show tracebacks.", "--debug", hidden=True)] = False,
) -> None:
    """Distance metrics learned by minimising the free energy."""


def main() -> None:
    """Run the command of the shell."""
    app()
