"""The command line as a whole: parse, one library call, print."""

from typing import Annotated

import typer

from .._version import __version__
from .lazy import LazyGroup, add

COMMANDS = {
    "fit": ("model:fit", "Fit a classifier or a regressor to a table, and write it to a model file."),
    "predict": ("model:predict", "Predict the target of every row of a table."),
    "transform": ("model:transform", "Map every row to the space where the learned distance is Euclidean."),
    "inspect": ("model:inspect", "Show what a model is and how its metric weighs the features."),
    "report": ("report:report", "Write one HTML page about a model."),
    "export": ("export:export", "Write a model as an ONNX graph, which predicts without Python."),
    "evaluate": ("evaluate:evaluate", "Compare methods on your own tables by cross-validation."),
    "serve": ("serve:serve", "Open a page in the browser to fit, compare and look at models."),
    "bench": ("bench_show:app", "Run the paper's comparison, and show its tables and figures."),
    "datasets": ("datasets:app", "List, fetch and check the paper's data sets."),
    "demo": ("demo:demo", "Learn metrics on wine and iris, and draw the space before and after."),
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
    version: Annotated[
        bool, typer.Option("--version", metavar="", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", metavar="", hidden=True, help="Show tracebacks.")] = False,
) -> None:
    """Distance metrics learned by minimising the free energy."""


def main() -> None:
    """Run the command that the shell asks for."""
    app()
