"""Energies for one purpose against the obvious choice: held-out scores, each in the measure that the energy is for.

    python benchmarks/energies.py                     # every task, three repeats: about three minutes
    python benchmarks/energies.py --tasks triplets    # one of them

Scores are means over repeats. "difference" is that of the energy to the obvious choice with its standard error over
repeats, positive where the energy is better. The tasks were written with seeds 0 and 1; the seeds here begin at 100.
Those of rare classes allow one dimension only, so that the map must choose whom it serves: where two dimensions held
both, on an earlier task of two classes, BalancedErrorEnergy and FBetaEnergy were not better than NCAEnergy.
"""

from resuming import one_thread_each

if __name__ == "__main__":
    one_thread_each()

import argparse
import time
import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine, make_multilabel_classification
from sklearn.metrics import balanced_accuracy_score, f1_score, jaccard_score, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.preprocessing import MinMaxScaler

from freemetric import DMLFE, ITML, LMNN, Euclidean, energies
from freemetric.mc import Annealing, ElementMove, Geometric

FIRST_SEED = 100
HOT = Annealing(Geometric(0.02, 0.9), ElementMove(0.5, n_moves=10), n_steps=60, n_replicas=4)
COLD = Annealing(Geometric(0.003, 0.9), ElementMove(0.3, n_moves=26), n_steps=40)


def halves(X, y, seed, n=None):
    """Scaled training and test halves, of n samples at most."""
    parts = train_test_split(X, y, train_size=0.5 if n is None else n, stratify=y, random_state=seed)
    scaler = MinMaxScaler().fit(parts[0])
    return scaler.transform(parts[0]), scaler.transform(parts[1]), parts[2], parts[3]


def refined(energy, X, y):
    """NCA's map into two dimensions, and the same refined by Monte Carlo on another energy."""
    nca = DMLFE(2, energy=energies.NCAEnergy(), random_state=0).fit(X, y)
    return nca, DMLFE(2, energy=energy, init=nca.components_, sampler=COLD, confinement=0.0, random_state=0).fit(X, y)


def classified(model, X, y, T):
    return KNeighborsClassifier(3).fit(model.transform(X), y).predict(model.transform(T))


def knn_error(seed):
    """Accuracy of 3-NN on breast-cancer in two dimensions."""
    X, T, y, t = halves(*load_breast_cancer(return_X_y=True), seed, 150)
    nca, own = refined(energies.KNNErrorEnergy(3), X, y)
    score = [np.mean(classified(model, X, y, T) == t) for model in (own, nca, Euclidean().fit(X, y))]
    return "KNNErrorEnergy", "NCAEnergy", score, "Euclidean"


def one_direction(tried, X, y):
    """The best direction for every energy, by the same walks."""
    return [DMLFE(1, energy=energy, sampler=HOT, random_state=0).fit(X, y) for energy in tried]


def rare_classes(rng, n, n_rare, every):
    """Two frequent classes that the first feature tells apart, and rare ones on the second; six features are noise."""
    place = np.arange(n) % every
    y = np.where(place < n_rare, 2 + place, rng.integers(2, size=n))
    X = rng.standard_normal((n, 8))
    X[:, 0] += np.where(y < 2, 2.5 * y, 1.25)
    X[:, 1] = np.where(y < 2, 0.8 * X[:, 1], 0.3 * X[:, 1] + 3 * (y - 1))
    return X, y


def held_out(tried, X, y, score):
    scaler = MinMaxScaler().fit(X[:240])
    X, T, y, t = scaler.transform(X[:240]), scaler.transform(X[240:]), y[:240], y[240:]
    models = *one_direction(tried, X, y), Euclidean().fit(X, y)
    return [score(model, X, y, T, t) for model in models]


def balanced(seed):
    """Balanced accuracy of 3-NN in one dimension, three of five classes having one sample in thirty."""

    def score(model, X, y, T, t):
        return balanced_accuracy_score(t, classified(model, X, y, T))

    X, y = rare_classes(np.random.default_rng(seed), 1240, 3, 30)
    scores = held_out((energies.BalancedErrorEnergy(3), energies.NCAEnergy()), X, y, score)
    return "BalancedErrorEnergy", "NCAEnergy", scores, "Euclidean"


def f_score(seed):
    """F1 of a rare class by 3-NN in one dimension, one sample in twelve."""

    def score(model, X, y, T, t):
        return f1_score(t == 2, classified(model, X, y, T) == 2)

    X, y = rare_classes(np.random.default_rng(seed), 1240, 1, 12)
    scores = held_out((energies.FBetaEnergy(1.0, 3, positive=2), energies.NCAEnergy()), X, y, score)
    return "FBetaEnergy", "NCAEnergy", scores, "Euclidean"


def ranking(seed):
    """Precision at 20 of queries in one dimension, where one feature has near copies and another one the class."""
    rng = np.random.default_rng(seed)
    group = rng.integers(24, size=1240)
    y, X = group % 2, rng.standard_normal((1240, 6))
    X[:, 0] = rng.permutation(24)[group] + 0.1 * X[:, 0]
    X[:, 1] += 1.5 * y

    def precision(model, X, y, T, t):
        search = NearestNeighbors(n_neighbors=20).fit(model.transform(X))
        return np.mean(y[search.kneighbors(model.transform(T), return_distance=False)] == t[:, None])

    scores = held_out((energies.RankingEnergy("precision", 20), energies.NCAEnergy()), X, y, precision)
    return "RankingEnergy", "NCAEnergy", scores, "Euclidean"


def pairs(seed):
    """Area under the ROC curve of held-out pairs of wine, a fifth of the training labels being wrong."""
    X, T, y, t = halves(*load_wine(return_X_y=True), seed)
    rng = np.random.default_rng(seed)
    some, others = rng.integers(len(X), size=(300, 2)), rng.integers(len(T), size=(2000, 2))
    labels = np.where((y[some[:, 0]] == y[some[:, 1]]) ^ (rng.random(300) < 0.2), 1, -1)
    truth = t[others[:, 0]] == t[others[:, 1]]
    start = DMLFE(energy=energies.PairEnergy(some, labels), random_state=0).fit(X)
    auc = energies.PairEnergy(some, labels, "auc")
    exact = DMLFE(energy=auc, init=start.components_, sampler=COLD, confinement=0.0)
    models = start, ITML(random_state=0).fit(X, pairs=some, pair_labels=labels), exact.set_params(random_state=0).fit(X)
    score = [roc_auc_score(truth, model.pair_score(T[others])) for model in models]
    return "PairEnergy, contrastive", "ITML", score, "PairEnergy, AUC"


def triplets(seed):
    """Share of held-out triplets of wine in the right order, a fifth of the training ones being reversed."""
    X, T, y, t = halves(*load_wine(return_X_y=True), seed)
    rng = np.random.default_rng(seed)

    def drawn(classes, n):
        a, b, c = rng.integers(len(classes), size=(3, 20 * n))
        return np.column_stack([a, b, c])[(classes[a] == classes[b]) & (classes[a] != classes[c]) & (a != b)][:n]

    some, others = drawn(y, 300), drawn(t, 2000)
    wrong = rng.random(300) < 0.2
    some[wrong] = some[wrong][:, [0, 2, 1]]
    start = DMLFE(energy=energies.TripletEnergy(some), random_state=0).fit(X)
    exact = DMLFE(energy=energies.TripletEnergy(some, "error"), init=start.components_, sampler=COLD, confinement=0.0)
    models = start, LMNN(random_state=0).fit(X, triplets=some), exact.set_params(random_state=0).fit(X)

    def right(model):
        near, far = (model.pair_distance(T[others[:, [0, k]]]) for k in (1, 2))
        return np.mean(near < far)

    return "TripletEnergy, hinge", "LMNN", [right(model) for model in models], "TripletEnergy, error"


def label_sets(seed):
    """Jaccard score of the labels that 5-NN predicts, 30 features of which 20 are noise."""
    X, Y = make_multilabel_classification(600, 10, n_classes=5, n_labels=2, random_state=seed)
    rng = np.random.default_rng(seed)
    X = MinMaxScaler().fit_transform(np.column_stack([X, X.std() * rng.standard_normal((600, 20))]))
    X, T, Y, truth = X[:200], X[200:], Y[:200], Y[200:]
    regression = DMLFE(energy="regression", random_state=0).fit(X, Y.astype(float))
    as_classes = DMLFE(random_state=0).fit(X, np.unique(Y, axis=0, return_inverse=True)[1])
    models = DMLFE(energy=energies.MultiLabelEnergy(), random_state=0).fit(X, Y), as_classes, regression
    found = [KNeighborsClassifier(5).fit(model.transform(X), Y).predict(model.transform(T)) for model in models]
    scores = [jaccard_score(truth, labels, average="samples", zero_division=1.0) for labels in found]
    return "MultiLabelEnergy", "NCAEnergy, sets as classes", scores, "RegressionEnergy"


def large_margin(seed):
    """Minus the objective of LMNN on wine: Monte Carlo at T = 1e-4 against L-BFGS."""
    X, _, y, _ = halves(*load_wine(return_X_y=True), seed)
    energy = energies.LMNNEnergy(3)
    models = DMLFE(energy=energy, confinement=0.0, random_state=0).fit(X, y), LMNN(random_state=0).fit(X, y)
    objective = energy.bind(X, y)
    scores = [-objective(model.components_[None])[0] for model in (*models, Euclidean().fit(X, y))]
    return "LMNNEnergy", "LMNN", scores, "Euclidean"


def sparsity(seed):
    """Accuracy of 3-NN: 3 features of 30 decide, 100 training samples."""
    rng = np.random.default_rng(seed)
    X = rng.random((1100, 30))
    y = (X[:, :3].sum(axis=1) > 1.5).astype(int)
    X, T, y, t = X[:100], X[100:], y[:100], y[100:]
    nca = energies.NCAEnergy()
    models = [DMLFE(energy=e, random_state=0).fit(X, y) for e in (nca + 0.02 * energies.Sparsity(), nca)]
    scores = [np.mean(classified(model, X, y, T) == t) for model in (*models, Euclidean().fit(X, y))]
    return "NCAEnergy + 0.02 Sparsity", "NCAEnergy", scores, "Euclidean"


TASKS = [knn_error, balanced, f_score, ranking, pairs, triplets, label_sets, large_margin, sparsity]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--tasks", nargs="*", default=[task.__name__ for task in TASKS])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| task | energy | score | obvious choice | score | difference | another | score | seconds |")
    print("|---|---|---|---|---|---|---|---|---|")
    for task in TASKS:
        if task.__name__ not in arguments.tasks:
            continue
        start, rows = time.perf_counter(), []
        for seed in range(FIRST_SEED, FIRST_SEED + arguments.repeats):
            own, rival, scores, third = task(seed)
            rows.append(scores)
        rows = np.array(rows)
        own_score, rival_score, third_score = rows.mean(axis=0)
        gain = rows[:, 0] - rows[:, 1]
        spread = gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else np.nan
        cells = [task.__doc__.rstrip("."), own, f"{own_score:.3f}", rival, f"{rival_score:.3f}"]
        cells += [f"{gain.mean():+.3f} ± {spread:.3f}", third, f"{third_score:.3f}"]
        print("|", " | ".join([*cells, f"{time.perf_counter() - start:.0f}"]), "|", flush=True)


if __name__ == "__main__":
    main()
