"""``freemetric fit``, ``predict``, ``transform`` and ``inspect``: models of tables."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ..printable import counted, printable
from . import options
from .console import Json, console, log, option, print_json, progress, shown_warnings
from .options import STDOUT, TO_FILE, ColumnOptions, Data, Model, Reading, setting, with_fields

if TYPE_CHECKING:
    from ..tabular import Table, TableModel
    from ..tabular.predictions import Wanted

ALL = "all"  # columns, as the value of --keep
MOSTLY = 0.5  # share of training rows above which scores say little about new rows


@dataclass(frozen=True)
class Output:
    """Where and how a table is written: every field is an option."""

    output: Path = setting(
        "FILE", f"File to write: {options.WRITTEN_AS}; - writes CSV to standard output.", *TO_FILE, default=STDOUT
    )
    keep: list[str] | None = setting("COLUMN", "Column of the data to copy to the output, or all. Repeatable.")
    escape: bool = setting(
        "",
        "In CSV, put ' before texts that a spreadsheet would run as formulas (= + - @). Numbers stay as they are.",
        default=True,
    )

    def check(self) -> None:
        """InputError where the table cannot be written; called before any work."""
        from ..tabular.writing import check_output

        if self.output != STDOUT:
            check_output(self.output)

    def write(self, table: "Table", made: dict[str, Any], as_json: bool, summary: dict[str, Any]) -> None:
        """Write what was made of a table, beside its columns that are kept, to a file or to stdout.

        In JSON it is a summary, with the columns where there is no file.
        """
        from ..tabular.predictions import beside
        from ..tabular.writing import as_delimited, write

        columns = beside(table, made, table.columns if ALL in (self.keep or ()) else self.keep or ())
        if self.output != STDOUT:
            write(self.output, columns, self.escape)
            summary = {"output": str(self.output), **summary}
        elif as_json:
            summary = {**summary, "columns": {name: list(cells) for name, cells in columns.items()}}
        if as_json:
            print_json(summary)
        elif self.output == STDOUT:
            print(as_delimited(columns, escape=self.escape), end="")
        else:
            console.print(f"{self.output}: {counted(summary['rows'], 'row')}", soft_wrap=True)


@with_fields
def fit(
    data: Data,
    *,
    output: Annotated[Path, option("MODEL", "Model file to write.", *TO_FILE)],
    target: options.Target = None,
    task: options.Task = None,
    method: Annotated[
        str,
        option(
            "METHOD",
            f"For classification: {', '.join(options.FITTED)}. For regression: {', '.join(options.REGRESSION_FITTED)}. "
            "After a metric learner, k-NN predicts.",
        ),
    ] = "free-energy",
    parameters: Annotated[
        list[str] | None, option("NAME=VALUE", "Parameter of the method. Repeatable.", "--set")
    ] = None,
    weight: Annotated[str | None, option("COLUMN", "Column with the weights of the rows; for free-energy.")] = None,
    columns: ColumnOptions,
    seed: options.Seed = 0,
    device: options.Device = "cpu",
    jobs: Annotated[int | None, option("N", "Number of threads.")] = None,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Fit a classifier or a regressor to a table, and write it to a model file.

    Columns may hold names, dates and missing values. A target of names, or of a few different whole numbers, is
    classified. A target of numbers with decimals, or of many different numbers, is a regression target, and a note is
    printed; --task decides otherwise.
    """
    from ..tabular import TableModel
    from ..tabular.writing import check_writable
    from .show import described, expected, target_words

    check_writable(output)
    given, kinds = options.assignments(parameters), columns.kinds()
    with shown_warnings():
        table = reading.table(data)
        with progress(f"{method} on {counted(table.n_rows, 'row')}", quiet=as_json) as advance:
            how: dict[str, Any] = {"task": task, "weight": weight, "seed": seed, "device": device, **kinds}
            model = TableModel.fit(table, target, method, parameters=given, n_jobs=jobs, on_step=advance, **how)
        model.save(output, {**kinds, **asdict(reading), "n_jobs": jobs})
    if as_json:
        return print_json({"model": str(output), **described(model)})
    used = sum(column.name not in model.left_out for column in model.schema.columns)
    learned = f"{method} on {counted(model.notes['rows'], 'row')}, {counted(used, 'column')}{target_words(model)}"
    console.print(f"{output}: {learned}{expected(model.pipeline[-1])}", soft_wrap=True)


@dataclass(frozen=True)
class Added:
    """What is predicted beside the target or in its place: every field is an option."""

    proba: bool = setting("", "Add the probability of every class.", default=False)
    costs: Path | None = setting(
        "FILE",
        "For classification: predict the class of least expected cost. Columns are answers; the first column names "
        "the true class.",
    )
    novelty: bool = setting("", "Add p-values, which are small for rows unlike those of the fit.", default=False)
    reject: float | None = setting(
        "ALPHA",
        "For classification: leave rows without a prediction whose p-value is at most this, such as 0.05; "
        "p-values are added.",
    )
    interval: float | None = setting(
        "PROBABILITY",
        "For regression: add the ends of a prediction interval that holds the target with this probability, "
        "such as 0.9.",
    )
    quantiles: str | None = setting(
        "PROBABILITIES", "For regression: add the quantiles of these probabilities, such as 0.1,0.5,0.9."
    )

    def of(self, model: "TableModel", reading: Reading) -> "Wanted":
        """What a model is to predict; InputError or ValueError where it cannot."""
        from ..tabular import read
        from ..tabular.predictions import Wanted, costs_of

        try:
            chances = tuple(float(part) for part in (self.quantiles or "").split(",") if part.strip())
        except ValueError:
            raise ValueError(f"--quantiles wants probabilities such as 0.1,0.5,0.9, not {self.quantiles!r}") from None
        marks = {"decimal": reading.decimal, "thousands": reading.thousands}
        costs = None if self.costs is None else costs_of(model, read(self.costs, **marks))
        wanted = Wanted(self.proba, chances, self.interval, self.novelty, costs, self.reject)
        wanted.check(model)
        return wanted


@with_fields
def predict(
    model: Model, data: Data, *, written: Output, added: Added, reading: Reading, as_json: Json = False
) -> None:
    """Predict the target of every row of a table. Columns are matched by name.

    If the table has the target column, scores of the predictions are printed.
    """
    from ..tabular import TableModel
    from ..tabular.predictions import PREDICTION, predictions, scores_of

    with shown_warnings():
        written.check()
        loaded = TableModel.load(model)
        wanted = added.of(loaded, reading)
        table = reading.table(data, loaded)
        with progress("rows", table.n_rows, quiet=as_json) as advance:
            made = predictions(loaded, table, wanted, advance)
        scores = scores_of(loaded, table, made, wanted)
        known = scores.get("accuracy", scores.get("mae")) is not None
        scores["learned_from"] = known and loaded.share_known(table) > MOSTLY
        columns = {name: cells.tolist() for name, cells in made.items()}
        written.write(table, columns, as_json, {"rows": len(made[PREDICTION]), **scores})
    if not as_json:
        _print_scores(data, scores, added.interval)


def _print_scores(data, scores, interval):
    if scores["learned_from"]:
        what = "errors say" if "mae" in scores else "accuracy says"
        why = f"the model has learned from most of these rows, so the {what} little about new ones"
        log(f"note: {data}: {why}; `freemetric evaluate` estimates that")
    if "rejected" in scores:
        log(f"{counted(scores['rejected'], 'row')} rejected, unlike those of the fit")
    if scores.get("accuracy") is not None:
        which = "have a class" if "rejected" not in scores else "have a class and a prediction"
        cost = f", mean cost {scores['cost']:.4g}" if scores.get("cost") is not None else ""
        log(f"accuracy {100 * scores['accuracy']:.2f} %{cost} of the rows that {which}")
    if "mae" in scores:
        share = "" if scores["r2"] is None else f"R\u00b2 {scores['r2']:.4g}, "
        errors = f"{share}mean absolute error {scores['mae']:.4g}, RMSE {scores['rmse']:.4g}"
        inside = f"; {100 * scores['coverage']:.1f} % lie in their {100 * interval:g} % intervals" if interval else ""
        log(f"{errors} on the {counted(scores['known_rows'], 'row')} with a known target{inside}")


@with_fields
def transform(model: Model, data: Data, *, written: Output, reading: Reading, as_json: Json = False) -> None:
    """Map every row to the space where the learned distance is Euclidean."""
    from ..tabular import TableModel

    with shown_warnings():
        written.check()
        loaded = TableModel.load(model)
        table = reading.table(data, loaded)
        with progress("rows", table.n_rows, quiet=as_json) as advance:
            Z = loaded.transform(table, advance)
        columns = {f"z{i}": z.tolist() for i, z in enumerate(Z.T, 1)}
        written.write(table, columns, as_json, {"rows": len(Z), "components": Z.shape[1]})


def inspect(
    model: Model, top: Annotated[int, option("N", "Number of features to show.", min=1)] = 20, as_json: Json = False
) -> None:
    """Show the feature weights, preprocessing, parameters, versions and seed of a model. No code of the file is run."""
    from ..tabular import TableModel
    from .show import described, show

    with shown_warnings():
        loaded = TableModel.load(model)
        with progress("importances of the columns", quiet=as_json):
            about = described(loaded, with_importances=True)
    if as_json:
        return print_json({"model": str(model), **about})
    show(printable(model), about, top)
