"""Several labels of every sample: one ensemble of metrics against neighbours, forests and chains of classifiers.

    python benchmarks/multi_label.py                                      # the table of the committed records
    python benchmarks/multi_label.py --run RECORDS --data-home DATA       # measure what RECORDS lacks, then the table

Three generated problems of 300 training samples, and a real one: "dermatology" predicts which histopathological
findings are present, those of 10 to 90 % of the patients, from the eleven clinical findings and the age. All methods
see features scaled to [0, 1]. The Brier score is the mean over labels; chains give the probabilities along their own
predictions.
"""

from resuming import markdown, one_thread_each, read, run_missing

if __name__ == "__main__":  # tests import this, and have threads of their own
    one_thread_each()

import argparse
from itertools import product
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, hamming_loss
from sklearn.model_selection import train_test_split
from sklearn.multioutput import ClassifierChain
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

COMMITTED = Path(__file__).parent / "multi_label.jsonl"
N_TRAIN, N_TEST = 300, 1000
CLINICAL = 11  # findings that come first in the table of dermatology
SCORES = ("subset accuracy", "Hamming loss", "macro F1", "Brier score")


def topics(rng):
    """Bags of words, with labels that choose the words."""
    return make_multilabel_classification(N_TRAIN + N_TEST, 20, n_classes=5, random_state=int(rng.integers(1 << 31)))


def interactions(rng):
    """Labels of different features, which matter in pairs, among as many that do not matter."""
    X = rng.random((N_TRAIN + N_TEST, 10))
    centred = X - 0.5
    Y = [centred[:, 0] * centred[:, 1] > 0, X[:, 1] * X[:, 2] > 0.25, np.abs(centred[:, 3] - centred[:, 4]) < 0.25]
    return X, _flipped(rng, np.column_stack(Y))


def hidden_plane(rng):
    """Labels are overlapping discs of one plane, which is hidden in ten features."""
    X = rng.standard_normal((N_TRAIN + N_TEST, 10))
    plane = X @ np.linalg.qr(rng.standard_normal((10, 10)))[0][:, :2]
    angles = 2 * np.pi * np.arange(5) / 5
    centres = np.column_stack([np.cos(angles), np.sin(angles)])
    return X, _flipped(rng, ((plane[:, None] - centres) ** 2).sum(axis=2) < 1.5)


def _flipped(rng, Y, share=0.03):
    """Labels as integers, of which a share is wrong."""
    return (Y ^ (rng.random(Y.shape) < share)).astype(int)


def dermatology(data_home):
    """Clinical findings and age; which histopathological findings are present."""
    table = pd.read_csv(Path(data_home) / "dermatology.csv").drop(columns="class").astype(float)
    X = table.iloc[:, :CLINICAL].assign(age=table["Age"].fillna(table["Age"].median()))
    Y = table.iloc[:, CLINICAL:-1] > 0
    return X.to_numpy(), Y.loc[:, Y.mean().between(0.1, 0.9)].to_numpy().astype(int)


GENERATED = {"topics": topics, "interactions": interactions, "hidden plane": hidden_plane}
NEIGHBORS = "15 nearest neighbours"
METHODS = (
    "free-energy",
    NEIGHBORS,
    "random forest",
    "chain of boosting",
    "chain of logistic regressions",
)


def method_of(name):
    from freemetric import FreeEnergyClassifier

    return {
        "free-energy": FreeEnergyClassifier(random_state=0),
        NEIGHBORS: KNeighborsClassifier(15),
        "random forest": RandomForestClassifier(300, random_state=0),
        "chain of boosting": ClassifierChain(HistGradientBoostingClassifier(random_state=0), random_state=0),
        "chain of logistic regressions": ClassifierChain(LogisticRegression(max_iter=1000), random_state=0),
    }[name]


def positives(model, X):
    """Probabilities (n, m) that every label is there."""
    P = model.predict_proba(X)
    return np.column_stack([p[:, 1] for p in P]) if isinstance(P, list) else P


def measure(set, split, method, data_home=None):
    """Scores on test samples, and seconds of one core."""
    X, Y = GENERATED[set](np.random.default_rng([split, 33])) if set in GENERATED else dermatology(data_home)
    size = N_TRAIN if set in GENERATED else 0.5
    X, new, Y, truth = train_test_split(X, Y, train_size=size, random_state=split)
    start, model = process_time(), make_pipeline(MinMaxScaler(), method_of(method)).fit(X, Y)
    predicted, P = model.predict(new), positives(model, new)
    seconds = process_time() - start
    found = (
        (predicted == truth).all(axis=1).mean(),
        hamming_loss(truth, predicted),
        f1_score(truth, predicted, average="macro", zero_division=0),
        ((P - truth) ** 2).mean(),
    )
    scores = {name: round(float(score), 4) for name, score in zip(SCORES, found, strict=True)}
    return {**scores, "seconds": round(seconds, 1), "n_labels": Y.shape[1]}


def show(records):
    """A table for every score: means over splits, by method and data set."""
    found = pd.DataFrame([{**record["job"], **record} for record in records])
    sets = list(dict.fromkeys(found["set"]))
    for score in (*SCORES, "seconds"):
        print()
        markdown(found.pivot_table(score, "method", "set", sort=False)[sets], score)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", metavar="RECORDS", type=Path, help="measure what this file of JSON lines lacks")
    parser.add_argument("--data-home", metavar="DATA", type=Path, help="where dermatology.csv is")
    arguments = parser.parse_args()
    if arguments.run:
        sets = [*GENERATED, *(["dermatology"] if arguments.data_home else [])]
        combined = product(range(3), sets, METHODS)
        jobs = [{"set": name, "split": split, "method": method} for split, name, method in combined]
        run_missing(arguments.run, jobs, lambda **job: measure(**job, data_home=arguments.data_home))
    show(read(arguments.run or COMMITTED))


if __name__ == "__main__":
    main()
