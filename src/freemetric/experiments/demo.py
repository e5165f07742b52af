"""The demo: metrics learned on data that scikit-learn holds, in numbers and a picture."""

from pathlib import Path

from sklearn.datasets import load_iris, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from .. import DMLFE
from ..extras import require
from .evaluate import evaluate

SETS = {"wine": load_wine, "iris": load_iris}
METHODS = ("euclidean", "nca", "dmlfe", "free-energy", "rf")


def main(folder="out"):
    """Compare methods on wine and iris, print errors, and draw what DMLFE has learned.

    Parameters
    ----------
    folder : path-like, default="out"
        Folder of the picture, demo.png, which needs the extra ``plot``.
    """
    for name, load in SETS.items():
        X, y = load(return_X_y=True)
        found = evaluate(X, y, METHODS, n_folds=2, n_repeats=2)
        print(f"{name}: {len(X)} samples, two halves twice, error in %")
        for row in found.scores():
            error = f"{row['error']:6.2f} ± {row['error_se']:.2f}"
            print(f"    {row['method']:12} {error} in {row['seconds']:.2f} s a fit")
    print(f"The spaces before and after learning are in {draw(folder)}.")


def draw(folder):
    """Draw the data sets in two directions, before and after DMLFE.

    Parameters
    ----------
    folder : path-like
        Folder of the picture; it is made if need be.

    Returns
    -------
    path : Path
        The picture.
    """
    figures = require("matplotlib.figure", "plot")
    figure = figures.Figure(figsize=(9, 8), layout="constrained")
    for panels, name in zip(figure.subplots(len(SETS), 2), SETS, strict=True):
        data = SETS[name]()
        scaled = MinMaxScaler().fit_transform(data.data)
        model = make_pipeline(DMLFE(n_components=2, random_state=0))
        learned = model.fit_transform(scaled, data.target)
        for axes, X, when in zip(panels, (scaled, learned), ("before", "after")):
            for c, label in enumerate(data.target_names):
                axes.scatter(*X[data.target == c, :2].T, s=12, label=label)
            axes.set(title=f"{name}, {when}", xticks=[], yticks=[])
        panels[0].legend(frameon=False)
    path = Path(folder, "demo.png")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    return path
