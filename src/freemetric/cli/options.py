"""Options that the commands on people's own files share."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import names

if TYPE_CHECKING:  # at run time commands import such things when they run, so that help takes no seconds
    from ..tabular import Table

STDOUT = Path("-")

READ = "CSV, TSV or other text, Excel, JSON (lines), Feather, Parquet, ARFF or LIBSVM"

Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA", help=f"Table: {READ} file, compressed (gz, bz2, xz, zip) or not; - reads standard input."
    ),
]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="Model file that `freemetric fit` wrote.")]
Target = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Column to predict. A LIBSVM file has its own target.")
]
Task = Annotated[
    str | None,
    typer.Option(
        "--task",
        metavar="TASK",
        help="classify or regress. By default the values of the target column decide which of the two.",
    ),
]
Seed = Annotated[int, typer.Option(metavar="N", min=0, max=2**31, help="Seed of all random numbers.")]
Drop = Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="Column to leave out. Repeatable.")]
Numeric = Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="Column that must hold numbers. Repeatable.")]
Nominal = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Column whose numbers are names of categories. Repeatable."),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help=f"Format of the table: {', '.join(names.FORMATS)}. By default the suffix of the file decides.",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="ENCODING",
        help="Encoding of a text file if it is not recognised: utf-8, cp1252, latin-1, utf-16, ...",
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option("--sheet", metavar="SHEET", help="Sheet of an Excel file, by name or number. Default: the first."),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT", help="Text that marks a missing value, instead of '', ?, NA, nan and the like. Repeatable."
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(metavar="CHARACTER", help="Character between the fields of a text file; or the word tab or blank."),
]
Decimal = Annotated[str | None, typer.Option(metavar="CHARACTER", help="Decimal mark if it is not recognised: . or ,")]
Thousands = Annotated[
    str | None, typer.Option(metavar="CHARACTER", help="Mark between groups of three digits: . , ' or a blank.")
]
DateOrder = Annotated[
    str | None,
    typer.Option(metavar="ORDER", help="Order of the parts of dates if it is not recognised: ymd, dmy or mdy."),
]
KeepFeature = Annotated[
    list[str] | None,
    typer.Option(
        "--keep", metavar="COLUMN", help="Column to use as a feature although it looks like an identifier. Repeatable."
    ),
]
Device = Annotated[
    str, typer.Option("--device", metavar="DEVICE", help="Device for methods that can use several: cpu, cuda, ...")
]
Keep = Annotated[
    list[str] | None, typer.Option(metavar="COLUMN", help="Column of the data to copy to the output. Repeatable.")
]
Escape = Annotated[
    bool,
    typer.Option(
        metavar="",
        help="In CSV, put ' before texts that a spreadsheet would run as formulas (= + - @). Numbers stay as they are.",
    ),
]
WRITTEN = f"{', '.join(names.WRITTEN)}, optionally followed by {', '.join(names.PACKED)}"
Output = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="FILE", help=f"File to write: {WRITTEN}; - writes CSV to standard output."),
]


def read_data(
    path: Path,
    form: str | None,
    missing: list[str] | None,
    delimiter: str | None,
    decimal: str | None,
    thousands: str | None,
    date_order: str | None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> "Table":
    """The table of a file."""
    from ..tabular.reading import MISSING, read

    texts = [*missing, ""] if missing else MISSING
    marks = {"decimal": decimal, "thousands": thousands, "date_order": date_order}
    return read(path, form, missing=texts, delimiter=delimiter, encoding=encoding, sheet=sheet, **marks)


def kinds_of(
    drop: list[str] | None, keep: list[str] | None, numeric: list[str] | None, nominal: list[str] | None
) -> dict[str, list[str]]:
    """What the user says about columns."""
    return {"drop": drop or [], "keep": keep or [], "numeric": numeric or [], "nominal": nominal or []}


def assignments(texts: list[str] | None) -> dict[str, Any]:
    """``name=value`` as a dict; values are JSON where they can be, else text."""
    from ..tabular import InputError

    values: dict[str, Any] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InputError(f"--set wants name=value, not {text!r}")
        try:
            values[name] = json.loads(value)
        except ValueError:
            values[name] = value
    return values
