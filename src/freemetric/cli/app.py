"""The command line as a whole: parse, one library call, print."""

from typing import Annotated

import typer

from .._version import __version__
from . import datasets, evaluate, export, model, report
from .bench_show import app as bench
from .console import OneLine

app = typer.Typer(cls=OneLine, no_args_is_help=True, help="Distance metrics learned by minimising the free energy.")
app.add_typer(bench, name="bench")
app.add_typer(datasets.app, name="datasets")
for command in (
    model.fit,
    model.predict,
    model.transform,
    model.inspect,
    report.report,
    export.export,
    evaluate.evaluate,
):
    app.command()(command)


@app.command()
def demo() -> None:
    """Learn metrics on wine and iris, and draw the space before and after."""
    from ..demo import main

    main([])


def _version(asked: bool) -> None:
    if asked:
        print(__version__)
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Say it.")] = False,
    debug: Annotated[bool, typer.Option("--debug", hidden=True, help="Show tracebacks.")] = False,
) -> None:
    """Distance metrics learned by minimising the free energy."""


def main() -> None:
    """Run the command that the shell asks for."""
    app()
