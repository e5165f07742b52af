"""Classes that were held out: are their samples distinguished from new samples of known classes?

    python benchmarks/novelty.py                                          # the table of the committed records
    python benchmarks/novelty.py --run RECORDS --data-home DATA           # measure what RECORDS lacks, then the table

Of every data set two classes are held out, one at a time. The model is fitted on one half of at most 600 samples of the
other classes; the AUC is that of telling samples of the class from the other half. Isolation forest, local outlier
factor and the distance to the nearest sample see features scaled to [0, 1]. The share of the other half whose p-value
is at most alpha should be alpha.
"""

from resuming import markdown, one_thread_each, read, run_missing

if __name__ == "__main__":  # tests import this, and have threads of their own
    one_thread_each()

import argparse
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors
from sklearn.preprocessing import MinMaxScaler

COMMITTED = Path(__file__).parent / "novelty.jsonl"
SETS = "anneal balance dermatology glass iris newthyroid pendigits satimage segment soybean vehicle vowel wine yeast"
MOST_KNOWN, MOST_NOVEL, FEWEST = 600, 300, 10
ALPHAS = (0.05, 0.1, 0.2)


def held_out_class(X, y, number):
    """Training samples and labels, new samples of the same classes, and samples of a class that is held out."""
    rng = np.random.default_rng(0)  # the same order of classes for every number
    novel = rng.permutation(np.flatnonzero(np.bincount(y) >= FEWEST))[number]
    known = rng.permutation(np.flatnonzero(y != novel))[:MOST_KNOWN]
    train, test = np.array_split(known, 2)
    return X[train], y[train], X[test], X[rng.permutation(np.flatnonzero(y == novel))[:MOST_NOVEL]]


def measure(set, number, data_home=None):
    """The AUC of every method, and the shares of ordinary samples that are rejected."""
    from freemetric import FreeEnergyClassifier
    from freemetric.datasets import load

    data = load(set, data_home)
    X, y, ordinary, novel = held_out_class(data.X, data.y, number)
    new, is_novel = np.concatenate([ordinary, novel]), np.repeat([0, 1], [len(ordinary), len(novel)])
    model, scale = FreeEnergyClassifier(random_state=0).fit(X, y), MinMaxScaler().fit(X)
    p, Z, Q = model.score_samples(new), scale.transform(X), scale.transform(new)
    scores = {
        "free-energy": -p,
        "isolation forest": -IsolationForest(n_estimators=500, random_state=0).fit(Z).score_samples(Q),
        "local outlier factor": -LocalOutlierFactor(novelty=True).fit(Z).score_samples(Q),
        "nearest, [0, 1]": NearestNeighbors(n_neighbors=1).fit(Z).kneighbors(Q)[0][:, 0],
    }
    aucs = {name: round(float(roc_auc_score(is_novel, score)), 4) for name, score in scores.items()}
    rejected = {str(alpha): round(float((p[is_novel == 0] <= alpha).mean()), 4) for alpha in ALPHAS}
    return {"auc": aucs, "rejected": rejected, "n": len(X), "n_ordinary": len(ordinary)}


def show(records):
    """AUC by data set and method; mean ranks; shares that are rejected."""
    aucs = pd.DataFrame([{"set": record["job"]["set"], **record["auc"]} for record in records]).groupby("set").mean()
    table = pd.concat([aucs, pd.DataFrame([aucs.mean()], index=["mean"])])
    table.loc["mean rank"] = aucs.round(6).rank(axis=1, ascending=False).mean()
    markdown(table, "AUC")
    rejected = pd.DataFrame([record["rejected"] for record in records])
    n = sum(record["n"] for record in records)  # distances that p-values are ranked among
    rows = {
        alpha: {
            "rejected": rejected[alpha].mean(),
            "standard error": np.sqrt(float(alpha) * (1 - float(alpha)) / n),
            "lowest": rejected[alpha].min(),
            "highest": rejected[alpha].max(),
        }
        for alpha in rejected
    }
    print()
    markdown(pd.DataFrame(rows).T, "alpha")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", metavar="RECORDS", type=Path, help="measure what this file of JSON lines lacks")
    parser.add_argument("--data-home", metavar="DATA", type=Path, help="where data sets are looked for first")
    arguments = parser.parse_args()
    if arguments.run:
        jobs = [{"set": name, "number": number} for number, name in product(range(2), SETS.split())]
        run_missing(arguments.run, jobs, lambda **job: measure(**job, data_home=arguments.data_home))
    show(read(arguments.run or COMMITTED))


if __name__ == "__main__":
    main()
