"""Tables to try the page with, which scikit-learn brings along."""

import csv
from pathlib import Path

CLASSES = ("iris", "wine", "breast_cancer")
NUMBERS = {"diabetes": "progression"}  # what is predicted
EXAMPLES = (*CLASSES, *NUMBERS)


def write_example(name: str, path: Path) -> None:
    """Write a table as CSV, its class or number last."""
    from sklearn import datasets  # slow to import

    load = getattr(datasets, f"load_{name}")
    bunch = load(scaled=False) if name in NUMBERS else load()
    target = bunch.target if name in NUMBERS else bunch.target_names[bunch.target]
    with path.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow([*bunch.feature_names, NUMBERS.get(name, "class")])
        lines.writerows(map(_cell, [*x, y]) for x, y in zip(bunch.data.tolist(), target.tolist(), strict=True))


def _cell(value):
    return str(value).removesuffix(".0")
