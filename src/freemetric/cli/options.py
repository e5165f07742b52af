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

Data = Annotated[Path, typer.Argument(help=f"{READ} file, perhaps packed (gz, bz2, xz, zip); - is standard input.")]
Model = Annotated[Path, typer.Argument(help="File that `freemetric fit` wrote.")]
Target = Annotated[str | None, typer.Option(help="Column to predict; a LIBSVM file has its own.")]
Task = Annotated[
    str | None, typer.Option(help="classify or regress: the target is a class or a number; else as its values look.")
]
Seed = Annotated[int, typer.Option(min=0, max=2**31, help="Seed of everything random.")]
Drop = Annotated[list[str] | None, typer.Option(help="Column to leave out; repeatable.")]
Numeric = Annotated[list[str] | None, typer.Option(help="Column that must hold numbers; repeatable.")]
Nominal = Annotated[list[str] | None, typer.Option(help="Column whose numbers are names; repeatable.")]
Format = Annotated[str | None, typer.Option("--format", help=f"{', '.join(names.FORMATS)}; else by the suffix.")]
Encoding = Annotated[
    str | None, typer.Option(help="Of a text: utf-8, cp1252, latin-1, utf-16, ...; where it is not recognised.")
]
Sheet = Annotated[str | None, typer.Option(help="Sheet of an Excel file, by name or number; else the first.")]
Missing = Annotated[
    list[str] | None, typer.Option(help="Text of a missing value, in place of '', ?, NA, nan, ...; repeatable.")
]
Delimiter = Annotated[str | None, typer.Option(help="Character between the fields of a text, or tab, or blank.")]
Decimal = Annotated[str | None, typer.Option(help="Mark before decimals, . or , where it is not recognised.")]
Thousands = Annotated[str | None, typer.Option(help="Mark between groups of three digits: . , ' or a blank.")]
DateOrder = Annotated[str | None, typer.Option(help="Of dates where it is not recognised: ymd, dmy or mdy.")]
KeepFeature = Annotated[
    list[str] | None, typer.Option("--keep", help="Column to use although it seems to name the rows; repeatable.")
]
Device = Annotated[str, typer.Option(help="Where methods compute that can choose: cpu, cuda, ...")]
Keep = Annotated[list[str] | None, typer.Option(help="Column of the data to copy to the output; repeatable.")]
Escape = Annotated[
    bool,
    typer.Option(help="Put ' before texts of CSV that a spreadsheet would run (= + - @); numbers stay as they are."),
]
WRITTEN = f"{', '.join(names.WRITTEN)}, perhaps with {', '.join(names.PACKED)}"
Output = Annotated[Path, typer.Option("--output", "-o", help=f"File to write, {WRITTEN}; - is CSV on stdout.")]


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
