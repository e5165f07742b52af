"""Options that commands share, and dataclasses whose fields are options."""

import inspect
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from .console import argument, option

if TYPE_CHECKING:  # commands import such packages when they run, so that help is fast
    from ..tabular import Table, TableModel

STDOUT = Path("-")
TO_FILE = ("--output", "-o")

# The names in help are copies, because the modules that define them take seconds to import; a test compares the two.
FORMATS = ("csv", "tsv", "txt", "excel", "jsonl", "json", "feather", "parquet", "arff", "libsvm")
TEXTS = (".csv", ".tsv", ".tab", ".txt", ".jsonl", ".ndjson", ".json")
WRITTEN = (*TEXTS, ".parquet", ".pq", ".feather", ".arrow", ".xlsx")
PACKED = (".gz", ".bz2", ".xz", ".zip")

PAPER = ("euclidean", "pca", "rca", "dca", "lfda", "itml", "lmnn", "dml-eig", "scml", "nca", "dmlmj", "dmlfe")
LEARNERS = (*PAPER, "covariance", "lsml", "mmc", "sdml", "lda", "gmml", "ncmml", "anmm", "ldml", "mcml")
FITTED = ("free-energy", *LEARNERS)
"""Methods of classification whose models can be saved."""

REGRESSION_FITTED = ("free-energy", "euclidean", "pca", "mlkr", "dmlfe")
"""Methods of regression whose models can be saved."""

READINGS = ("dmlfe-paper", "dmlfe-identity", "dmlfe-small-steps", "dmlfe-algorithm-1")
METHODS = ("rf", *LEARNERS, *READINGS, "free-energy", "hist-boosting", "svm", "logistic")
"""Methods of classification that can be compared."""

REGRESSION_METHODS = (*REGRESSION_FITTED, "rf", "extra-trees", "hist-boosting")
"""Methods of regression that can be compared."""

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


def setting(metavar: str, help: str, *names: str, default: Any = None, **more: Any) -> Any:
    """A field of a dataclass that is an option of commands; a flag has no ``metavar``."""
    return field(default=default, metadata={"option": option(metavar, help, *names, **more)})


@dataclass(frozen=True)
class Reading:
    """How tables are read: every field is an option."""

    format: str | None = setting(
        "FORMAT", f"Format of the table: {', '.join(FORMATS)}. By default the suffix of the file decides."
    )
    missing: list[str] | None = setting(
        "TEXT", "Text that marks a missing value, instead of '', ?, NA, nan and the like. Repeatable."
    )
    delimiter: str | None = setting(
        "CHARACTER", "Character between the fields of a text file; or the word tab or blank."
    )
    encoding: str | None = setting(
        "ENCODING", "Encoding of a text file if it is not recognised: utf-8, cp1252, latin-1, utf-16, ..."
    )
    sheet: str | None = setting("SHEET", "Sheet of an Excel file, by name or number. Default: the first.")
    decimal: str | None = setting("CHARACTER", "Decimal mark if it is not recognised: . or ,")
    thousands: str | None = setting("CHARACTER", "Mark between groups of three digits: . , ' or a blank.")
    date_order: str | None = setting("ORDER", "Order of the parts of dates if it is not recognised: ymd, dmy or mdy.")
    header: bool | None = setting(
        "",
        "Whether the first row of a text or Excel file names the columns; else they are column_1, column_2, ... "
        "Default: as in the training file, or yes.",
        "--header/--no-header",
    )

    def table(self, path: Path, model: "TableModel | None" = None) -> "Table":
        """The table of a file; for a model, it has a header as the training file had."""
        from ..tabular import read

        header = self.header if self.header is not None or model is None else model.header
        given = {**asdict(self), "missing": [*self.missing, ""] if self.missing else None, "header": header}
        return read(path, **given) if model is None else model.aligned(read(path, **given))


@dataclass(frozen=True)
class ColumnOptions:
    """How columns are used: every field is an option."""

    drop: list[str] | None = setting("COLUMN", "Column to leave out. Repeatable.")
    keep: list[str] | None = setting(
        "COLUMN", "Column to use as a feature although it looks like an identifier. Repeatable."
    )
    numeric: list[str] | None = setting("COLUMN", "Column that must hold numbers. Repeatable.")
    nominal: list[str] | None = setting("COLUMN", "Column whose numbers are names of categories. Repeatable.")

    def kinds(self) -> dict[str, list[str]]:
        """Names of columns by option."""
        return {name: names or [] for name, names in asdict(self).items()}


def with_fields(command: Callable[..., None]) -> Callable[..., None]:
    """The command, where every parameter that is a dataclass is replaced by its fields as options."""
    shown: list[inspect.Parameter] = []
    groups: dict[str, Any] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        if is_dataclass(parameter.annotation):
            groups[name] = parameter.annotation
            for own in fields(groups[name]):
                kind: Any = Annotated[(own.type, *own.metadata.values())] if own.metadata else own.type
                shown.append(parameter.replace(name=own.name, default=own.default, annotation=kind))
        else:
            shown.append(parameter)

    @wraps(command)
    def called(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{own.name: given.pop(own.name) for own in fields(group)})
        command(**given)

    called.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return called


def assignments(texts: list[str] | None) -> dict[str, Any]:
    """``name=value`` as a dict; values are JSON where they can be, else text."""
    values: dict[str, Any] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise ValueError(f"--set wants name=value, not {text!r}")
        try:
            values[name] = json.loads(value)
        except ValueError:
            values[name] = value
    return values
