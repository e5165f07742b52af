"""Risk certificates beside errors on held-out halves, and what voting by bags alone costs; prints a table.

    python benchmarks/certificates.py --data-home DATA

Halves of every set, each the training set once. "model" is the classifier with all of its samples voting; "bag-only"
the ensemble that is certified, its majority and its mean votes. Bounds are of delta = 0.05. Larger sets are sampled.
"""

import argparse
import warnings

import numpy as np
from prediction_sets import samples
from sklearn.model_selection import StratifiedKFold

from freemetric import FreeEnergyClassifier
from freemetric.exceptions import DataWarning

SETS = ("heart", "card", "pima", "vehicle", "german", "balance", "page-blocks", "satimage", "pendigits")
COLUMNS = (
    *("error, model", "error, bag-only", "bound of the majority", "error of one, bag-only", "bound of one"),
    *("Brier, model", "Brier, bag-only", "bound of Brier"),
)


def brier(probabilities, y):
    """Half the squared distance to the truth, the mean."""
    return np.square(probabilities - np.eye(probabilities.shape[1])[y]).sum(axis=1).mean() / 2


def measured(X, y, train, test, n_replicas):
    """A row of the table: errors and bounds in percent, Brier scores as they are."""
    model = FreeEnergyClassifier(n_replicas, random_state=0).fit(X[train], y[train])
    one, majority, mean = (model.risk_certificate(loss=loss) for loss in ("error", "majority", "brier"))
    new, truth = X[test], y[test]
    right = one.votes(new)[np.arange(len(truth)), truth].mean()
    errors = [1 - model.score(new, truth), (majority.predict(new) != truth).mean(), majority.bound]
    briers = [brier(model.predict_proba(new), truth), brier(mean.votes(new), truth), mean.bound]
    return [*(100 * np.array([*errors, 1 - right, one.bound])), *briers]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-home", default=None)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--replicas", type=int, default=24)
    parser.add_argument("--most", type=int, default=4000, help="samples of a set")
    given = parser.parse_args()
    warnings.simplefilter("ignore", DataWarning)  # copies and rare classes of some sets
    print("| set | training rows | " + " | ".join(COLUMNS) + " |\n|---|---|" + "---|" * len(COLUMNS), flush=True)
    for name in given.sets:
        X, y = samples(name, given.data_home, given.most)
        halves = list(StratifiedKFold(2, shuffle=True, random_state=0).split(X, y))
        row = np.mean([measured(X, y, train, test, given.replicas) for train, test in halves], axis=0)
        cells = [*(f"{value:.1f}" for value in row[:5]), *(f"{value:.3f}" for value in row[5:])]
        print(f"| {name} | {len(halves[0][0])} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
