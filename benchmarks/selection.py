"""Features among 200 that are noise: which selectors find them, and how well 5 nearest neighbours then classify.

    python benchmarks/selection.py                      # three problems, three repeats: about three minutes
    python benchmarks/selection.py --repeats 1 --n 200

Every selector is given the true number of features. FreeEnergySelector is also shown with the number that it finds by
itself ("its own number"). Its defaults were chosen with seeds 0 to 3 and 100 to 102 of these problems; the seeds here
begin at 200.
"""

from resuming import one_thread_each

if __name__ == "__main__":
    one_thread_each()

import argparse
import time
import warnings

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, SelectFromModel, SelectKBest, f_classif, mutual_info_classif
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from freemetric import FreeEnergySelector

N_NOISE, N_TEST, FIRST_SEED = 200, 1000, 200


def linear(rng, n):
    """Five features decide by their sum."""
    X = rng.standard_normal((n, N_NOISE + 5))
    return X, X[:, :5].sum(axis=1) + 0.5 * rng.standard_normal(n) > 0, 5


def xor(rng, n):
    """Two features decide by the sign of their product; neither alone says anything."""
    X = rng.standard_normal((n, N_NOISE + 2))
    return X, X[:, 0] * X[:, 1] > 0, 2


def shell(rng, n):
    """Three features decide by their distance from the origin."""
    X = rng.standard_normal((n, N_NOISE + 3))
    return X, (X[:, :3] ** 2).sum(axis=1) > 2.37, 3


def mutual_information(X, y):
    return mutual_info_classif(X, y, random_state=0)


def first_of(values, k):
    return np.argsort(-values, kind="stable")[:k]


def free_energy(X, y, k):
    fitted = FreeEnergySelector(random_state=0).fit(X, y)
    return {"FreeEnergySelector": np.flatnonzero(fitted.ranking_ <= k), "its own number": fitted.get_support(True)}


def univariate(score):
    return lambda X, y, k: SelectKBest(score, k=k).fit(X, y).get_support(True)


def rfe(X, y, k):
    forest = RandomForestClassifier(200, random_state=0)
    return RFE(forest, n_features_to_select=k, step=0.2).fit(X, y).get_support(True)


def forest(X, y, k):
    return first_of(RandomForestClassifier(500, random_state=0).fit(X, y).feature_importances_, k)


def lasso(X, y, k):
    penalized = LogisticRegression(C=0.1, l1_ratio=1.0, solver="liblinear", random_state=0)
    return SelectFromModel(penalized, threshold=-np.inf, max_features=k).fit(X, y).get_support(True)


METHODS = {
    "FreeEnergySelector": free_energy,
    "SelectKBest, F": univariate(f_classif),
    "SelectKBest, mutual information": univariate(mutual_information),
    "RFE, forest": rfe,
    "importances of a forest": forest,
    "SelectFromModel, L1 logistic": lasso,
}


def measured(problem, seed, n):
    """Rows (method, found, selected, test error, seconds) of one draw of a problem."""
    X, y, k = problem(np.random.default_rng(seed), n + N_TEST)
    X = StandardScaler().fit(X[:n]).transform(X)
    everything = {"all features": np.arange(X.shape[1]), "the informative ones": np.arange(k)}
    for name, select in METHODS.items():
        start = time.perf_counter()
        chosen = select(X[:n], y[:n], k)
        seconds = time.perf_counter() - start
        for label, columns in (chosen if isinstance(chosen, dict) else {name: chosen}).items():
            yield label, np.mean(columns < k) * len(columns) / k, len(columns), error(X, y, n, columns), seconds
    for label, columns in everything.items():
        yield label, 1.0, len(columns), error(X, y, n, columns), 0.0


def error(X, y, n, columns):
    return 1 - KNeighborsClassifier(5).fit(X[:n][:, columns], y[:n]).score(X[n:][:, columns], y[n:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--n", type=int, default=300, help="training samples")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| problem | selector | informative found | selected | test error in % | seconds |")
    print("|---|---|---|---|---|---|")
    for problem in (linear, xor, shell):
        rows = {}
        for seed in range(FIRST_SEED, FIRST_SEED + arguments.repeats):
            for label, *values in measured(problem, seed, arguments.n):
                rows.setdefault(label, []).append(values)
        for label, values in rows.items():
            found, selected, wrong, seconds = np.mean(values, axis=0)
            print(
                f"| {problem.__name__} | {label} | {found:.2f} | {selected:.1f} | {100 * wrong:.1f} | {seconds:.1f} |"
            )


if __name__ == "__main__":
    main()
