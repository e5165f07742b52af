"""``freemetric datasets``: the paper's data sets."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from .console import Json, argument, console, listed, option, print_json, print_table, progress

app = typer.Typer(no_args_is_help=True, help="List, fetch and check the paper's data sets.")

DataHome = Annotated[
    Path | None, option("FOLDER", "Folder of data files. Default: that of FREEMETRIC_DATA, else the cache.")
]
Names = Annotated[str, argument("NAMES", "Names separated by commas, or all.")]


@app.command("list")
def sets_list(as_json: Json = False) -> None:
    """List the names and sizes of the data sets."""
    from .. import datasets as data

    entries = [data.info(name) for name in data.list_datasets()]
    # Of what ``load`` gives: the paper counts 59 features of anneal.
    rows = [(entry.number, entry.name, entry.rows, entry.encoded["paper"], entry.classes) for entry in entries]
    if as_json:
        names = ("number", "name", "samples", "features", "classes")
        return print_json([dict(zip(names, row, strict=True)) for row in rows])
    print_table(("#", "name", "samples", "features", "classes"), rows)


@app.command("fetch")
def sets_fetch(names: Names = "all", data_home: DataHome = None, as_json: Json = False) -> None:
    """Download the data sets that are missing."""
    from ..datasets import fetch

    _show(fetch, names, data_home, as_json)


@app.command("check")
def sets_check(names: Names = "all", data_home: DataHome = None, as_json: Json = False) -> None:
    """Check the files of the data sets against the registry."""
    from ..datasets import check

    _show(check, names, data_home, as_json)


def _show(work, names, data_home, as_json):
    """Print the result for each data set in a line; exit code 1 if one is not usable."""
    from ..datasets import list_datasets

    chosen = listed(names, list_datasets(), "data set")
    with progress("data sets", len(chosen), quiet=as_json) as advance:
        results = work(chosen, data_home, advance)
    if as_json:
        print_json([asdict(result) for result in results])
    else:
        for result in results:
            console.print(f"{result.name:14} {result.status:10} {result.detail}", markup=False, highlight=False)
    if any(result.status in ("failed", "missing", "problem") for result in results):
        raise typer.Exit(1)
