"""``freemetric evaluate``: an honest comparison on people's own files."""

from pathlib import Path
from typing import Annotated

import typer

from ..tabular import Comparison, InputError, Limits, Settings, compare
from ..tabular.methods import METHODS
from .console import FAILURE, USAGE, Json, listed, print_json, progress, tell, warnings_told
from .options import (
    DateOrder,
    Decimal,
    Delimiter,
    Device,
    Drop,
    Format,
    KeepFeature,
    Missing,
    Nominal,
    Numeric,
    Seed,
    Target,
    Thousands,
    assignments,
    kinds_of,
    read_data,
)


def evaluate(
    data: Annotated[list[Path], typer.Argument(help="Files: CSV, TSV, Parquet, ARFF or LIBSVM.")],
    target: Target = None,
    methods: Annotated[
        str, typer.Option(help=f"Names separated by commas, or all: {', '.join(METHODS)}.")
    ] = "free-energy,nca,euclidean,rf",
    folds: Annotated[int, typer.Option(min=2, help="Folds of a repeat.")] = 5,
    repeats: Annotated[int, typer.Option(min=1, help="Repeats of the cross-validation.")] = 2,
    parameters: Annotated[
        list[str] | None, typer.Option("--set", help="Parameter, method.name=value; repeatable.")
    ] = None,
    drop: Drop = None,
    keep: KeepFeature = None,
    numeric: Numeric = None,
    nominal: Nominal = None,
    seed: Seed = 0,
    device: Device = "cpu",
    jobs: Annotated[int | None, typer.Option(help="Splits at a time.")] = None,
    limit: Annotated[float | None, typer.Option(min=0, help="Most seconds of one fit.")] = None,
    megabytes: Annotated[float | None, typer.Option(min=0, help="Most memory of one fit.")] = None,
    form: Format = None,
    missing: Missing = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    date_order: DateOrder = None,
    as_json: Json = False,
) -> None:
    """Compare methods by cross-validation: all that is learned or chosen comes from the training rows of each split.

    With several files, average ranks and critical differences follow, each method against the first. A method that is
    over the limit on one split of a file is not tried on its other splits.
    """
    chosen = listed(methods, METHODS, "method", USAGE)
    given = _by_method(assignments(parameters), chosen)
    settings = Settings(folds, repeats, seed, given, device, Limits(limit, megabytes))
    with warnings_told():
        tables = {
            name: read_data(path, form, missing, delimiter, decimal, thousands, date_order)
            for name, path in _named(data).items()
        }
        with progress("fits", len(tables) * folds * repeats * len(chosen), quiet=as_json) as advance:
            splits = compare(
                tables,
                target,
                chosen,
                settings,
                n_jobs=jobs,
                on_fit=lambda split, done, total: advance(done, total, f"{split.method} on {split.file}"),
                **kinds_of(drop, keep, numeric, nominal),
            )
        comparison = Comparison(splits, settings)
        _show(comparison, as_json)
    for line in dict.fromkeys(f"{split.file}, {split.method}: {split.failure}" for split in comparison.failures):
        tell(line, "red")
    if comparison.failures:
        raise typer.Exit(FAILURE)


def _show(comparison, as_json):
    """Errors; and ranks where there are files enough, as far as the installed libraries can tell them."""
    from ..bench.file_ranks import has_ranks, rank_tables, ranks_as_json  # loads the statistics

    if as_json:
        return print_json({**comparison.as_json(), **ranks_as_json(comparison)})
    print(comparison.table().markdown(), end="")
    try:
        for table in rank_tables(comparison) if has_ranks(comparison) else ():
            print(f"\n{table.markdown()}", end="")
    except ImportError as missing:
        tell(f"note: no tests against {comparison.methods[0]}. {missing}")


def _named(paths):
    """Files by the shortest names that tell them apart."""
    short = [path.name for path in paths]
    if len(set(short)) < len(short):
        short = [str(path) for path in paths]
    if len(set(short)) < len(short):
        raise InputError("a file is named twice")
    return dict(zip(short, paths, strict=True))


def _by_method(given, methods):
    parameters: dict[str, dict] = {}
    for name, value in given.items():
        method, _, parameter = name.partition(".")
        if method not in methods or not parameter:
            raise InputError(f"--set wants method.name=value with one of {', '.join(methods)}, not {name!r}")
        parameters.setdefault(method, {})[parameter] = value
    return parameters
