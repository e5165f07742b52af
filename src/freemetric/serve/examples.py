"""Tables to try the page with, which scikit-learn brings along."""

import csv
from pathlib import Path

from .wishes import WrongRequestError

EXAMPLES = ("iris", "wine", "breast_cancer")


def write_example(name: str, path: Path) -> None:
    """Write a table as CSV, its class last."""
    from sklearn import datasets  # slow to import

    if name not in EXAMPLES:
        raise WrongRequestError(f"there is no example {name!r}")
    bunch = getattr(datasets, f"load_{name}")()
    with path.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow([*bunch.feature_names, "class"])
        lines.writerows(
            [*map(float, x), str(bunch.target_names[c])] for x, c in zip(bunch.data, bunch.target, strict=True)
        )
