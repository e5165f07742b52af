"""In which units NCA, DMLFE and SCML learn: honest error on standardised features, unit by unit.

    python benchmarks/units.py --run RECORDS --data-home DATA            # the choosing sets of benchmarks/choosing.py
    python benchmarks/units.py --run RECORDS --data-home DATA --confirm  # once: the confirming sets

Most users standardise. A learner that begins at the identity then begins elsewhere than on features in [0, 1], unless
it learns in a unit of its own; ``freemetric.learners.validation`` says which. Two-fold cross-validation, features
standardised on what is learned, k chosen by refitting two inner folds of the training half. Every fit is a line of
RECORDS; those that are there are not made again.
"""

from resuming import one_thread_each, print_rows, read

if __name__ == "__main__":  # tests import this, and have threads of their own
    one_thread_each()

import argparse
import warnings
from itertools import product
from pathlib import Path
from unittest import mock

import pandas as pd
from choosing import CHOOSING, CONFIRMING, append
from joblib import Parallel, delayed
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from freemetric import DMLFE, NCA, SCML, MetricKNeighborsClassifier
from freemetric.bench.protocol import halves, scores
from freemetric.bench.stats import wilcoxon
from freemetric.datasets import load
from freemetric.learners import validation as units

LEARNERS = {"NCA": NCA, "DMLFE": DMLFE, "SCML": SCML}
GIVEN = "as given"
UNITS = {GIVEN: lambda X: 1.0, "largest range": lambda X: units.ranges(X).max()}
JOB = ("repeat", "set", "learner", "fold", "unit")
INNER_FOLDS = 2


def honest_error(job, data_home):
    """Error in % on one half, everything chosen on the other."""
    data = load(job["set"], data_home)
    train, test = halves(data.y, job["repeat"])[job["fold"]]
    seed = 2 * job["repeat"] + job["fold"]
    learner = make_pipeline(StandardScaler(), LEARNERS[job["learner"]](random_state=seed))
    model = MetricKNeighborsClassifier(learner, n_folds=INNER_FOLDS, random_state=seed)
    with warnings.catch_warnings(), mock.patch("freemetric.learners.base.unit_of", UNITS[job["unit"]]):
        warnings.simplefilter("ignore")
        model.fit(data.X[train], data.y[train])
    return scores(model, data.X[test], data.y[test])["honest_error"]


def run_missing(path, names, arguments):
    """Fit what the records lack, and write every error at once."""
    known = [{name: record[name] for name in JOB} for record in read(path)] if path.exists() else []
    every = product(range(arguments.repeats), names, arguments.learners, range(2), UNITS)
    jobs = [dict(zip(JOB, job, strict=True)) for job in every]
    missing = [job for job in jobs if job not in known]
    run = Parallel(arguments.jobs, batch_size=1, return_as="generator")
    found = run(delayed(honest_error)(job, arguments.data_home) for job in missing)
    for job, error in zip(missing, found, strict=True):
        append(path, {**job, "error": error})


def show(records, names):
    """Means over sets, and Wilcoxon's test of every unit against features as they are given."""
    table, rows = pd.DataFrame(records), []
    table = table[table["set"].isin(names)]
    for learner, part in table.groupby("learner", sort=False):
        means = part.pivot_table(index="set", columns="unit", values="error").dropna()
        rows.append([learner, GIVEN, f"{means[GIVEN].mean():.2f}", "", ""])
        for unit in [unit for unit in UNITS if unit != GIVEN and unit in means]:
            test = wilcoxon(means[[GIVEN, unit]], unit).loc[GIVEN]
            better = f"{test.wins:.0f}/{test.ties:.0f}/{test.losses:.0f}"
            rows.append([learner, unit, f"{means[unit].mean():.2f}", better, f"{test.p_value:.2g}"])
    print_rows(["learner", "unit", "mean error in %", "better/equal/worse sets", "p"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", metavar="RECORDS", type=Path, required=True, help="a file of JSON lines")
    parser.add_argument("--confirm", action="store_true", help="the confirming sets instead of the choosing ones")
    parser.add_argument("--repeats", type=int, default=1, help="repeats of two-fold cross-validation")
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=list(LEARNERS))
    parser.add_argument("--data-home", metavar="DATA", type=Path, help="where data sets are looked for first")
    parser.add_argument("--jobs", type=int, default=1, help="fits at a time")
    arguments = parser.parse_args()
    names = CONFIRMING if arguments.confirm else CHOOSING
    run_missing(arguments.run, names, arguments)
    show(read(arguments.run), names)


if __name__ == "__main__":
    main()
