"""Wrong labels found: data values against cleanlab and pyDVL, where a share of the labels was flipped.

    python benchmarks/data_values.py --data-home DATA              # about four minutes on one core
    python benchmarks/data_values.py --data-home DATA --sets heart pima --shares 0.1 --seeds 3

Every method sees the same labels, of which a share is another class, drawn at random. Average precision and the area
under the ROC curve say how well its ranking of the rows finds them; a ranking by chance has an average precision of the
share and an area of a half. cleanlab and pyDVL are compared where they are installed.

* data values: ``FreeEnergyClassifier.data_values()``, the lowest first.
* label quality: ``FreeEnergyClassifier.label_quality()``, the out-of-bag probability of a row's own label, the lowest
  first.
* cleanlab: ``find_label_issues`` first and then all others, both by self-confidence; on out-of-fold probabilities of a
  random forest, and on the out-of-bag probabilities of FreeEnergyClassifier.
* pyDVL: k-NN Shapley values, k = 5, on standardised features, of four fifths of the rows scored by the fifth, as a mean
  over five folds.
"""

import argparse
import warnings
from importlib.util import find_spec

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from freemetric import FreeEnergyClassifier
from freemetric.datasets import load

SETS = ("wine", "sonar", "heart", "ionosphere", "breast-w", "pima", "vehicle")


def flipped(y, share, rng):
    """Labels, of which a share is another class; and which these are."""
    classes, wrong = np.unique(y), np.zeros(len(y), dtype=bool)
    wrong[rng.choice(len(y), round(share * len(y)), replace=False)] = True
    moved = (np.searchsorted(classes, y) + rng.integers(1, len(classes), len(y))) % len(classes)
    return np.where(wrong, classes[moved], y), wrong


def by_cleanlab(y, probabilities):
    """Suspicion of every row: label issues first, then others, by self-confidence."""
    from cleanlab.filter import find_label_issues
    from cleanlab.rank import get_label_quality_scores

    return find_label_issues(y, probabilities) + 1 - get_label_quality_scores(y, probabilities)


def by_pydvl(X, y, seed):
    from joblib import parallel_config
    from pydvl.valuation.dataset import Dataset
    from pydvl.valuation.methods.knn_shapley import KNNShapleyValuation

    total, Z = np.zeros(len(y)), StandardScaler().fit_transform(X)
    for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(Z, y):
        data = Dataset(Z[test], y[test])
        valuation = KNNShapleyValuation(KNeighborsClassifier(5), data, progress=False, clone_before_fit=True)
        with parallel_config(n_jobs=1):
            values = valuation.fit(Dataset(Z[train], y[train])).result
        total[train[values.indices]] += values.values
    return -total


def suspicions(X, y, seed):
    """By method, how suspicious every row is."""
    model, rows = FreeEnergyClassifier(random_state=seed).fit(X, y), np.arange(len(y))
    numbers, own = np.searchsorted(model.classes_, y), model.oob_decision_function_
    known = np.where(np.isnan(own), 1 / len(model.classes_), own)
    found = {"data values": -model.data_values(), "label quality": -known[rows, numbers]}
    if find_spec("cleanlab"):
        folds = StratifiedKFold(5, shuffle=True, random_state=seed)
        forest = RandomForestClassifier(500, random_state=seed)
        found["cleanlab, forest"] = by_cleanlab(
            numbers, cross_val_predict(forest, X, y, cv=folds, method="predict_proba")
        )
        found["cleanlab, ours"] = by_cleanlab(numbers, known)
    if find_spec("pydvl"):
        found["pyDVL k-NN Shapley"] = by_pydvl(X, numbers, seed)
    return found


def scores(name, share, seed, data_home):
    """By method, average precision and the area under the ROC curve."""
    data = load(name, data_home)
    y, wrong = flipped(data.y, share, np.random.default_rng(seed))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = suspicions(data.X, y, seed)
    return {
        method: (average_precision_score(wrong, score), roc_auc_score(wrong, score)) for method, score in found.items()
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-home", default=None)
    parser.add_argument("--sets", nargs="+", default=SETS, metavar="NAME")
    parser.add_argument("--shares", nargs="+", type=float, default=(0.1, 0.25))
    parser.add_argument("--seeds", type=int, default=1)
    arguments = parser.parse_args()
    for share in arguments.shares:
        rows, total = [], []
        for name in arguments.sets:
            runs = [scores(name, share, seed, arguments.data_home) for seed in range(arguments.seeds)]
            methods = list(runs[0])
            mean = np.mean([[run[method] for method in methods] for run in runs], axis=0)
            total.append(mean)
            rows.append((name, mean))
        rows.append(("**mean**", np.mean(total, axis=0)))
        print(f"\n{share:.0%} of the labels flipped: average precision (area under the ROC curve)\n")
        print(f"| set | {' | '.join(methods)} |")
        print("|---" * (len(methods) + 1) + "|")
        for name, mean in rows:
            print(f"| {name} | {' | '.join(f'{ap:.3f} ({auc:.3f})' for ap, auc in mean)} |", flush=True)


if __name__ == "__main__":
    main()
