"""The main job on data that ships with scikit-learn: ``python -m freemetric.demo``.

Learns metrics on wine and iris, prints how well they classify patterns they never saw, and draws the space before
and after.
"""

import argparse
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from . import DMLFE, Euclidean, FreeEnergyClassifier, MetricKNeighborsClassifier

Make = Callable[[int], BaseEstimator]  # of a seed


def knn(learner: BaseEstimator) -> MetricKNeighborsClassifier:
    """k-NN in a learned space; k is chosen by refitting inner folds."""
    return MetricKNeighborsClassifier(make_pipeline(MinMaxScaler(), learner), random_state=0)


SETS = {"wine": load_wine, "iris": load_iris}
METHODS: dict[str, Make] = {
    "Euclidean + k-NN": lambda seed: knn(Euclidean()),
    "scikit-learn's NCA + k-NN": lambda seed: knn(NeighborhoodComponentsAnalysis(random_state=seed)),
    "DMLFE + k-NN": lambda seed: knn(DMLFE(random_state=seed)),
    "FreeEnergyClassifier": lambda seed: FreeEnergyClassifier(random_state=seed),
    "random forest": lambda seed: RandomForestClassifier(random_state=seed),
}


def main(argv: Sequence[str] | None = None) -> None:
    """Compare, then draw."""
    try:
        import matplotlib
        import rich
    except ImportError as missing:
        raise SystemExit(f"The demo needs {missing.name}: pip install 'freemetric[cli,display]'.") from None
    parser = argparse.ArgumentParser(
        prog="freemetric.demo", description="The main job on data that ships with scikit-learn."
    )
    parser.add_argument("--repeats", type=int, default=3, help="repeats of two-fold cross-validation")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the picture")
    arguments = parser.parse_args(argv)
    if arguments.repeats < 1:
        parser.error("--repeats must be at least 1")
    matplotlib.use("Agg")
    console = rich.get_console()
    console.print(compare(arguments.repeats, console))
    console.print("k is chosen by inner folds or out-of-bag votes, never on the test half.")
    console.print(f"The space before and after: {draw(arguments.out)}")


def compare(repeats: int, console: Any) -> Any:
    """A table of test errors and seconds, with a progress bar while it is made."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.table import Table

    table = Table(title=f"Error on unseen halves in %, mean of {repeats} x 2 splits")
    table.add_column("method")
    for name in SETS:
        table.add_column(name, justify="right")
    table.add_column("seconds a fit", justify="right")
    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("compiling the kernels (once)", total=len(METHODS) * len(SETS) * 2 * repeats)
        DMLFE().fit(*load_iris(return_X_y=True))
        for method, make in METHODS.items():
            cells, seconds = [], []
            for name, load in SETS.items():
                progress.update(task, description=f"{method} on {name}")
                errors, (X, y) = [], load(return_X_y=True)
                for error, elapsed in fits(make, X, y, repeats):
                    errors.append(error)
                    seconds.append(elapsed)
                    progress.advance(task)
                cells.append(f"{np.mean(errors):.2f}")
            table.add_row(method, *cells, f"{np.mean(seconds):.2f}")
    return table


def fits(make: Make, X: np.ndarray, y: np.ndarray, repeats: int) -> Iterator[tuple[float, float]]:
    """Test error in % and seconds of every split."""
    for seed in range(repeats):
        for train, test in StratifiedKFold(2, shuffle=True, random_state=seed).split(X, y):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # scikit-learn's NCA
                start = time.perf_counter()
                model = make(seed).fit(X[train], y[train])
                yield 100 * np.mean(model.predict(X[test]) != y[test]), time.perf_counter() - start


def draw(folder: Path) -> Path:
    """Both data sets in their two main directions, as they come and as DMLFE sees them."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(len(SETS), 2, figsize=(9, 4.2 * len(SETS)), layout="constrained")
    for row, (name, load) in zip(axes, SETS.items(), strict=True):
        data = load()
        X = MinMaxScaler().fit_transform(data.data)
        Z = DMLFE(random_state=0).fit(X, data.target).transform(X)
        for axis, space, title in zip(row, (X, Z), ("as it comes", "learned by DMLFE"), strict=True):
            plane = PCA(2).fit_transform(space)
            for c, label in enumerate(data.target_names):
                axis.scatter(*plane[data.target == c].T, s=22, alpha=0.8, edgecolor="white", linewidth=0.5, label=label)
            axis.set(title=f"{name}, {title}", xticks=[], yticks=[], aspect="equal", adjustable="datalim")
        row[0].legend(frameon=False)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "demo.png"
    figure.savefig(path, dpi=120)
    plt.close(figure)
    return path


if __name__ == "__main__":
    main()
