"""Gaps and categories before and inside of the metric: what each treatment does to the error.

    python benchmarks/gaps.py                              # the tables of docs/results.md, from gaps.jsonl
    python benchmarks/gaps.py --run FILE --stage choosing  # fits what FILE lacks, with effort="low"
    python benchmarks/gaps.py --run FILE --stage confirming

Two halves of every table of mixed_data.py, at most 600 rows: a model learns on one and is scored on the other.
Confirming tables were fitted once, with the default effort, after the choice. "NaN" leaves gaps to the model.
"""

import argparse
import json
import warnings
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, TargetEncoder

from freemetric import FreeEnergyClassifier, FreeEnergyRegressor

COMMITTED = Path(__file__).parent / "gaps.jsonl"
MOST_ROWS = 600
MEDIAN = partial(SimpleImputer, strategy="median", keep_empty_features=True)


def one_hot(target_type):
    """A feature for every name that is there twice, and one for all others."""
    usual = {"min_frequency": 2, "max_categories": 32, "handle_unknown": "infrequent_if_exist"}
    return OneHotEncoder(**usual, sparse_output=False)


def codes(target_type):
    """Smoothed class frequencies or mean targets of every name, cross-fitted; those of all rows for unseen names."""
    return TargetEncoder(target_type=target_type, random_state=0)


def both(target_type):
    return make_union(one_hot(target_type), codes(target_type))


TREATMENTS = {
    "median": (MEDIAN, one_hot),
    "median, indicator": (partial(MEDIAN, add_indicator=True), one_hot),
    "NaN": (FunctionTransformer, one_hot),
    "NaN, value difference": (FunctionTransformer, codes),
    "NaN, both": (FunctionTransformer, both),
}
GAPPY, NAMED = tuple(TREATMENTS)[:3], tuple(TREATMENTS)[2:]
STAGES = {
    "choosing": {
        GAPPY: ("car-origin", "pbc", "fastfood", "gestation", "bank-credit"),
        NAMED: ("highway", "salaries", "smoking", "computing"),
    },
    "confirming": {GAPPY[1:]: ("homeless", "students", "un", "titanic", "births", "flchain", "happiness", "loans")},
}
"""Of the tables of that role, those with many gaps among numbers, and those with categories of many values."""


def measure(name, treatment, fold, effort):
    """Error (wrong classes, or 1 - R2) and log loss (of regression: absolute error) on the other half, in per cent."""
    from mixed_data import load_table

    X, y, classes = load_table(name)
    some = np.sort(np.random.default_rng(0).permutation(len(X))[:MOST_ROWS])
    X, y = X.iloc[some], y[some]
    split = (KFold if classes is None else StratifiedKFold)(2, shuffle=True, random_state=0)
    train, test = list(split.split(X, y))[fold]
    numbers, names = TREATMENTS[treatment]
    made = make_column_transformer(
        (numbers(), make_column_selector(dtype_include="number")),
        (names("continuous" if classes is None else "auto"), make_column_selector(dtype_include="category")),
        sparse_threshold=0,
    )
    kind = FreeEnergyRegressor if classes is None else FreeEnergyClassifier
    model = make_pipeline(made, kind(effort=effort, random_state=0)).fit(X.iloc[train], y[train])
    if classes is None:
        apart = model.predict(X.iloc[test]) - y[test]
        unit = y[test] - y[test].mean()
        return 100 * (apart**2).sum() / (unit**2).sum(), 100 * np.abs(apart).mean() / y[test].std()
    P, present = model.predict_proba(X.iloc[test]), np.isin(y[test], model.classes_)
    wrong = 100 * np.mean(model.classes_[P.argmax(axis=1)] != y[test])
    return wrong, 100 * log_loss(y[test][present], P[present], labels=model.classes_)


def run(path, stage):
    """Fit what a file lacks, and add it."""
    effort = "low" if stage == "choosing" else "default"
    for treatments, names in STAGES[stage].items():
        for name in names:
            for fold in (0, 1):
                for treatment in treatments:
                    job = {"stage": stage, "table": name, "fold": fold, "treatment": treatment}
                    if path.exists() and any(job.items() <= record.items() for record in read(path)):
                        continue
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")  # about rare classes and unseen names
                        error, loss = measure(name, treatment, fold, effort)
                    with path.open("a") as file:
                        file.write(json.dumps({**job, "error": round(error, 3), "loss": round(loss, 3)}) + "\n")


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def show(records):
    """Means over the halves of every table, and the mean change against the first treatment, in per cent of it."""
    frame = pd.DataFrame(records)
    for stage, measured in product(STAGES, ("error", "loss")):
        for treatments, tables in STAGES[stage].items():
            some = frame[(frame.stage == stage) & frame.table.isin(tables) & frame.treatment.isin(treatments)]
            if some.empty:
                continue
            halves = some.pivot_table(index=["table", "fold"], columns="treatment", values=measured)[list(treatments)]
            table = halves.dropna().groupby("table").mean()
            change = 100 * (table.div(table[treatments[0]], axis=0) - 1).mean()
            print(f"\n{stage}, {measured}")
            print(pd.concat([table, change.rename("mean change in %").to_frame().T]).round(2).to_string())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, metavar="FILE")
    parser.add_argument("--stage", choices=STAGES, default="choosing")
    arguments = parser.parse_args()
    if arguments.run:
        run(arguments.run, arguments.stage)
    show(read(arguments.run or COMMITTED))


if __name__ == "__main__":
    main()
