"""The demo: metrics learned on data of scikit-learn, in numbers and a picture."""

from pathlib import Path

from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.model_selection import RepeatedStratifiedKFold, train_test_split
from sklearn.neighbors import KNeighborsClassifier

from .. import DMLFE
from ..exceptions import require
from .evaluate import evaluate

SETS = {"wine": load_wine, "iris": load_iris}
HALVES = RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0)
COLORS = (
    "tab:blue",
    "tab:orange",
    "tab:green",
    "tab:red",
    "tab:purple",
    "tab:brown",
    "tab:pink",
    "tab:gray",
    "darkkhaki",
    "tab:cyan",
)
METHODS = ("euclidean", "nca", "dmlfe", "free-energy", "rf")


def main(folder="out"):
    """Compare methods on wine and iris, print errors, and draw what DMLFE has learned.

    Parameters
    ----------
    folder : path-like, default="out"
        Folder of the picture, demo.png, which needs the extra ``plot``.
    """
    require("matplotlib", "plot")  # before minutes of fits
    for name, load in SETS.items():
        X, y = load(return_X_y=True)
        found = evaluate(X, y, METHODS, cv=HALVES)
        print(f"{name}: {len(X)} samples, two halves twice, error in %")
        for row in found.scores():
            print(f"    {row['method']:12} {row['error']:6.2f} ± {row['error_se']:.2f}")
    print(f"digits before and after learning: {draw(folder)}")


def draw(folder):
    """Draw images of digits in two directions, before and after a metric is learned.

    Both pictures show images that the metric has not learned from, and how many of them
    their five nearest neighbours in the plane classify.

    Parameters
    ----------
    folder : path-like
        Folder of the picture; it is made if need be.

    Returns
    -------
    path : Path
        The picture.
    """
    figure = require("matplotlib.figure", "plot").Figure((10, 5), layout="constrained")
    X, y = load_digits(return_X_y=True)
    X, X_new, y, y_new = train_test_split(X / 16, y, stratify=y, random_state=0)
    learners = {
        "before: two main directions": PCA(2),
        "after: two learned directions": DMLFE(2, init="lda", random_state=0),
    }
    for axes, (title, learner) in zip(
        figure.subplots(1, 2), learners.items(), strict=True
    ):
        Z = learner.fit_transform(X, y)
        Z_new = learner.transform(X_new)
        score = KNeighborsClassifier(5).fit(Z, y).score(Z_new, y_new)
        axes.scatter(*Z_new.T, s=0)
        for point, digit in zip(Z_new, y_new, strict=True):
            color = COLORS[digit]
            axes.text(*point, str(digit), color=color, ha="center", va="center", size=8)
        axes.set(xticks=[], yticks=[])
        axes.set_title(f"{title}, {100 * score:.0f} % right")
    path = Path(folder, "demo.png")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    return path
