"""The demo: metrics learned on data of scikit-learn, in numbers and a picture."""

from pathlib import Path

from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.preprocessing import MinMaxScaler

from .. import DMLFE
from ..exceptions import require
from .evaluate import evaluate

SETS = {"wine": load_wine, "iris": load_iris}
HALVES = RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0)
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
        found = evaluate(X, y, METHODS, cv=HALVES)
        print(f"{name}: {len(X)} samples, two halves twice, error in %")
        for row in found.scores():
            print(f"    {row['method']:12} {row['error']:6.2f} ± {row['error_se']:.2f}")
    print(f"wine before and after learning: {draw(folder)}")


def draw(folder):
    """Draw the wines in two directions, before and after DMLFE.

    Parameters
    ----------
    folder : path-like
        Folder of the picture; it is made if need be.

    Returns
    -------
    path : Path
        The picture.
    """
    figure = require("matplotlib.figure", "plot").Figure(figsize=(9, 4))
    X, y = load_wine(return_X_y=True)
    X = MinMaxScaler().fit_transform(X)
    spaces = {
        "two main directions": PCA(2).fit_transform(X),
        "after DMLFE": DMLFE(n_components=2, random_state=0).fit_transform(X, y),
    }
    for axes, (title, Z) in zip(figure.subplots(1, 2), spaces.items(), strict=True):
        axes.scatter(Z[:, 0], Z[:, 1], c=y, s=12, cmap="brg")
        axes.set(title=f"wine, {title}", xticks=[], yticks=[])
    path = Path(folder, "demo.png")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    return path
