"""Error against time of the efforts, beside a forest and boosting, on the data sets with fewer than 3,000 samples.

    python benchmarks/efforts.py --run --data-home DATA    # fits what benchmarks/efforts.jsonl lacks
    python benchmarks/efforts.py                           # prints the table and draws docs/images/efforts-*.svg

Two halves of every set, one thread, process time of a fit.
"""

from resuming import one_thread_each

if __name__ == "__main__":
    one_thread_each()

import argparse
import json
import time
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from choosing import CHOOSING, CONFIRMING
from error_seconds import save
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from variants import sources

from freemetric import FreeEnergyClassifier
from freemetric.bench.protocol import halves, probability_scores
from freemetric.datasets import load

RECORDS = Path(__file__).with_suffix(".jsonl")
METHODS = {
    **{f'effort="{effort}"': FreeEnergyClassifier(effort=effort) for effort in ("low", "default", "high")},
    "forest of 500 trees": RandomForestClassifier(500),
    "boosting by histograms": HistGradientBoostingClassifier(),
}


def read():
    return [json.loads(line) for line in RECORDS.read_text().splitlines()] if RECORDS.exists() else []


def fitted(name, method, fold, data_home):
    """What one fit is worth, as a line."""
    data = load(name, data_home)
    train, test = halves(data.y, 0)[fold]
    model = METHODS[method].set_params(random_state=fold)
    start = time.process_time()
    model.fit(data.X[train], data.y[train])
    seconds = time.process_time() - start
    P = model.predict_proba(data.X[test])
    error = 100 * float(np.mean(P.argmax(axis=1) != data.y[test]))
    brier = probability_scores(P, data.y[test])["brier"]
    line = {"set": name, "method": method, "fold": fold, "error": error, "brier": brier, "seconds": round(seconds, 3)}
    return line | ({"sources": sources()} if "effort" in method else {})


def run(data_home):
    done = {(line["set"], line["method"], line["fold"]) for line in read()}
    for job in product((*CHOOSING, *CONFIRMING), METHODS, range(2)):
        if job not in done:
            line = json.dumps(fitted(*job, data_home))
            with RECORDS.open("a") as file:
                file.write(line + "\n")


def show():
    records = pd.DataFrame(read())
    wide = records.pivot_table(index=["set", "fold"], columns="method", values=["error", "brier", "seconds"]).dropna()
    of_sets = wide.groupby(level="set").mean()
    means = of_sets.mean().unstack(level=0).loc[list(METHODS)]
    print(f"| mean over {len(of_sets)} sets | error in % | Brier score | seconds of a fit |\n|---|---|---|---|")
    for method, row in means.iterrows():
        print(f"| {method} | {row.error:.2f} | {row.brier:.4f} | {row.seconds:.2f} |")
    panels = {"error in %, mean": means[["error", "seconds"]]}
    save(panels, "efforts", own=[method for method in METHODS if "effort" in method])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--data-home", type=Path, help="where data sets are looked for first")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.run:
        run(arguments.data_home)
    show()
