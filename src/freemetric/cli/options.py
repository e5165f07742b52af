"""Options that the commands on people's own files share."""

import inspect
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from .console import argument, option

if TYPE_CHECKING:  # at run time commands import such things when they run, so that help takes no seconds
    from ..tabular import Table

STDOUT = Path("-")

# Names that help lists are written out, for what they name takes seconds to import; a test compares the two.
FORMATS = ("csv", "tsv", "txt", "excel", "jsonl", "json", "feather", "parquet", "arff", "libsvm")
"""Formats that are read."""

TEXTS = (".csv", ".tsv", ".tab", ".txt", ".jsonl", ".ndjson", ".json")
WRITTEN = (*TEXTS, ".parquet", ".pq", ".feather", ".arrow", ".xlsx")
"""Endings of files that are written."""

PACKED = (".gz", ".bz2", ".xz", ".zip")
"""Endings of packed files that are written."""

PAPER = ("euclidean", "pca", "rca", "dca", "lfda", "itml", "lmnn", "dml-eig", "scml", "nca", "dmlmj", "dmlfe")
LEARNERS = (*PAPER, "covariance", "lsml", "mmc", "sdml", "lda", "gmml", "ncmml", "anmm", "ldml", "mcml")
FITTED = ("free-energy", *LEARNERS)
"""Methods whose models can be saved."""

FITTED_TO_NUMBERS = ("free-energy", "euclidean", "pca", "mlkr", "dmlfe")
"""Those that predict numbers."""

METHODS = ("rf", *LEARNERS, "dmlfe-paper", "free-energy", "hist-boosting", "svm", "logistic")
"""Methods that can be compared."""

NUMBER_METHODS = (*FITTED_TO_NUMBERS, "rf", "extra-trees", "hist-boosting")
"""Methods that can be compared on numbers."""

READ = "CSV, TSV or other text, Excel, JSON (lines), Feather, Parquet, ARFF or LIBSVM"

Data = Annotated[
    Path, argument("DATA", f"Table: {READ} file, compressed (gz, bz2, xz, zip) or not; - reads standard input.")
]
Model = Annotated[Path, argument("MODEL", "Model file that `freemetric fit` wrote.")]
Target = Annotated[str | None, option("COLUMN", "Column to predict. A LIBSVM file has its own target.")]
Task = Annotated[
    str | None,
    option("TASK", "classify or regress. By default the values of the target column decide which of the two."),
]
Seed = Annotated[int, option("N", "Seed of all random numbers.", min=0, max=2**31)]
Device = Annotated[str, option("DEVICE", "Device for methods that can use several: cpu, cuda, ...")]
WRITTEN_AS = f"{', '.join(WRITTEN)}, optionally followed by {', '.join(PACKED)}"


@dataclass(frozen=True)
class Reading:
    """How tables are read: every field is an option of the commands that take such an object."""

    format: Annotated[
        str | None,
        option("FORMAT", f"Format of the table: {', '.join(FORMATS)}. By default the suffix of the file decides."),
    ] = None
    missing: Annotated[
        list[str] | None,
        option("TEXT", "Text that marks a missing value, instead of '', ?, NA, nan and the like. Repeatable."),
    ] = None
    delimiter: Annotated[
        str | None, option("CHARACTER", "Character between the fields of a text file; or the word tab or blank.")
    ] = None
    encoding: Annotated[
        str | None,
        option("ENCODING", "Encoding of a text file if it is not recognised: utf-8, cp1252, latin-1, utf-16, ..."),
    ] = None
    sheet: Annotated[str | None, option("SHEET", "Sheet of an Excel file, by name or number. Default: the first.")] = (
        None
    )
    decimal: Annotated[str | None, option("CHARACTER", "Decimal mark if it is not recognised: . or ,")] = None
    thousands: Annotated[str | None, option("CHARACTER", "Mark between groups of three digits: . , ' or a blank.")] = (
        None
    )
    date_order: Annotated[
        str | None, option("ORDER", "Order of the parts of dates if it is not recognised: ymd, dmy or mdy.")
    ] = None

    def table(self, path: Path) -> "Table":
        """The table of a file."""
        from ..tabular import read

        return read(path, **{**asdict(self), "missing": [*self.missing, ""] if self.missing else None})


@dataclass(frozen=True)
class Columns:
    """What users say about columns: every field is an option."""

    drop: Annotated[list[str] | None, option("COLUMN", "Column to leave out. Repeatable.")] = None
    keep: Annotated[
        list[str] | None,
        option("COLUMN", "Column to use as a feature although it looks like an identifier. Repeatable."),
    ] = None
    numeric: Annotated[list[str] | None, option("COLUMN", "Column that must hold numbers. Repeatable.")] = None
    nominal: Annotated[
        list[str] | None, option("COLUMN", "Column whose numbers are names of categories. Repeatable.")
    ] = None

    def kinds(self) -> dict[str, list[str]]:
        """Names of columns by what is said of them."""
        return {name: names or [] for name, names in asdict(self).items()}


AS_FOUND, ALL_COLUMNS = Reading(), Columns()
"""Defaults of commands, where nothing is said."""


def with_fields(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the fields of its parameters that are dataclasses as options in their place."""
    own = inspect.signature(command).parameters
    grouped = {name: {field.name for field in fields(one.annotation)} for name, one in own.items() if _is_group(one)}
    shown = [part for one in own.values() for part in (_options(one) if _is_group(one) else [one])]

    @wraps(command)
    def called(**given: Any) -> None:
        for name, parts in grouped.items():
            given[name] = own[name].annotation(**{part: given.pop(part) for part in parts})
        command(**given)

    called.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    called.__annotations__ = {one.name: one.annotation for one in shown}
    return called


def _is_group(parameter: inspect.Parameter) -> bool:
    return is_dataclass(parameter.annotation)


def _options(parameter: inspect.Parameter) -> Iterator[inspect.Parameter]:
    for one in inspect.signature(parameter.annotation).parameters.values():
        yield one.replace(kind=parameter.kind)


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
