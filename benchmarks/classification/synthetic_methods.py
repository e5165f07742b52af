"""Methods for synthetic.py: functions of a seed and the number of features."""

from functools import partial

from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from freemetric import NCA, FreeEnergyClassifier
from freemetric.experiments.methods import metric_classifier

OURS = "free-energy"


def tuned(model, grid, seed):
    """The best of a grid by three folds, features standardised."""
    folds = StratifiedKFold(3, shuffle=True, random_state=seed)
    grid = {f"{type(model).__name__.lower()}__{name}": grid[name] for name in grid}
    return GridSearchCV(make_pipeline(StandardScaler(), model), grid, cv=folds)


def svm(seed, n_features):
    gammas = [factor / n_features for factor in (0.1, 0.3, 1, 3, 10)]
    return tuned(SVC(), {"C": [1, 10, 100], "gamma": gammas}, seed)


def logistic(seed, n_features):
    grid = {"C": [0.01, 0.1, 1, 10, 100]}
    return tuned(LogisticRegression(max_iter=1000), grid, seed)


def neighbors(seed, n_features):
    grid = {"n_neighbors": [1, 3, 5, 9, 15, 25, 40]}
    return tuned(KNeighborsClassifier(), grid, seed)


def without_shape(make, seed, n_features):
    return make(random_state=seed)


METHODS = {
    OURS: partial(without_shape, FreeEnergyClassifier),
    "forest": partial(without_shape, partial(RandomForestClassifier, 500)),
    "extra-trees": partial(without_shape, partial(ExtraTreesClassifier, 500)),
    "boosting": partial(without_shape, HistGradientBoostingClassifier),
    "svm": svm,
    "logistic": logistic,
    "nca": lambda seed, n_features: metric_classifier(NCA, seed),
    "k-nn": neighbors,
}
