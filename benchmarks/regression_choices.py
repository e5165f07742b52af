"""What the parts of the regressor's recipe are worth: each changed alone, on the sets that defaults may be chosen on.

    python benchmarks/regression_choices.py                                # benchmarks/tables/regression_choices.md
    python benchmarks/regression_choices.py --confirmed                    # what was chosen, on other sets
    python benchmarks/regression_choices.py --run FILE.jsonl --jobs 16     # fits what FILE lacks
    python benchmarks/regression_choices.py --run FILE.jsonl --changes "dict(trends=())" "dict(noises=())"
    python benchmarks/regression_choices.py --run FILE.jsonl --changes "dict(colder=0)" --sample-rows 2000 --repeats 1

A fit is a line of FILE: 3 x 2 halves of every table, and six samples of 200 rows of every synthetic problem; or of
these alone with more rows. The registry says which sets choose and which confirm; --role confirming is for what has
been chosen, once.
"""

from resuming import one_thread_each, print_rows

if __name__ == "__main__":  # tests import this, and have threads of their own
    one_thread_each()

import argparse
import gzip
import json
import sys
import time
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from variants import canonical, changed_recipe, sources

from freemetric import FreeEnergyRegressor
from freemetric.bench.protocol import TASKS
from freemetric.bench.regression import list_tables, prediction_scores, predictions, truth_scores
from freemetric.bench.stats import wilcoxon
from freemetric.datasets import list_regression, regression_info

COMMITTED = Path(__file__).parent / "regression" / "choices.jsonl.gz"
DEFAULT = "dict()"
CHANGES = {
    "dict(trends=())": "no trends",
    "dict(trends=('linear', 'steps'))": "no quadratic trend",
    "dict(trends=('steps', 'surface'))": "no linear trend",
    "dict(trends=('linear', 'surface'))": "no stepwise trend",
    "dict(noises=())": "no model of the noise",
    "dict(trend_prior=0.2)": "a stronger prior on trends",
}
REPEATS, SAMPLE_ROWS = 3, 200


def sets_of(role, sample_rows=SAMPLE_ROWS):
    """Tables of a role and its synthetic problems with so many rows; of more rows than usual, problems alone."""
    tables = list_tables() if sample_rows == SAMPLE_ROWS else []
    problems = [f"{name}-{sample_rows}" for name in list_regression("generated") if regression_info(name).role == role]
    return [name for name in tables if regression_info(name).role == role] + problems


def fitted(name, change, repeat, fold, data_home=None):
    """What one fit is worth, as a line."""
    task = TASKS["synthetic" if is_synthetic(name) else "regression"]
    X, y, Q, truth = task.split(task.load(name, data_home), repeat, fold)
    model = FreeEnergyRegressor(recipe=changed_recipe(change), random_state=2 * repeat + fold)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        model.fit(X, y).predict(Q)
        seconds = time.perf_counter() - start
        found = predictions(model, Q)
    scores = prediction_scores(truth.y if is_synthetic(name) else truth, *found)
    if is_synthetic(name):
        known = truth_scores(truth, found[0], found[2])
        scores |= {"coverage": known["coverage"], "excess": known["excess"] / known["noise"]}
    kept = {name: scores[name] for name in ("r2", "coverage", "excess") if name in scores}
    kept |= {"pinball": scores["pinball"] / scores["spread"], "seconds": round(seconds, 2)}
    return {"set": name, "change": change, "repeat": repeat, "fold": fold, "sources": sources(), **kept}


def read(path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as file:
        text = file.read().replace("reading_prior", "trend_prior")  # the name that older records have
    return [json.loads(line) for line in text.splitlines()]


def run_missing(arguments):
    """Lines are written as fits end; a run that was killed goes on."""
    changes = [DEFAULT, *map(canonical, arguments.changes or CHANGES)]
    done = read(arguments.run) if arguments.run.exists() else []
    known = {(r["set"], r["change"], r["repeat"], r["fold"]) for r in done}
    order = product(range(arguments.repeats), sets_of(arguments.role, arguments.sample_rows), changes, range(2))
    jobs = [job for job in ((name, c, r, f) for r, name, c, f in order) if job not in known]
    fits = Parallel(arguments.jobs, return_as="generator_unordered")(
        delayed(fitted)(*job, arguments.data_home) for job in jobs
    )
    with arguments.run.open("a") as file:
        for number, line in enumerate(fits, 1):
            print(json.dumps(line), file=file, flush=True)
            if number % 50 == 0 or number == len(jobs):
                print(f"{number} of {len(jobs)} fits", file=sys.stderr, flush=True)


def paired(lines, change):
    """Means of every set of the default and a change, on the fits that both have: (sets) x (scores, both)."""
    both = pd.DataFrame([line for line in lines if line["change"] in (DEFAULT, change)])
    counts = both.groupby(["set", "repeat", "fold"])["change"].transform("nunique")
    both = both[counts == both["change"].nunique()]
    coverage = 100 * np.array(both["coverage"].tolist())
    both = both.assign(r2=100 * both["r2"], pinball=100 * both["pinball"], **dict(zip("abc", coverage.T, strict=True)))
    return both.groupby(["set", "change"])[["r2", "pinball", "seconds", *"abc"]].mean().unstack()


def compared(lines, change):
    """A row on tables: R2 in points, Wilcoxon's test paired by set, pinball loss, coverage, time."""
    means = paired([line for line in lines if "excess" not in line], change)
    gain, row = means["r2"][change] - means["r2"][DEFAULT], ["", "", ""]
    if change != DEFAULT:
        test = wilcoxon(-means["r2"], change).loc[DEFAULT]
        row = [f"{gain.mean():+.2f}", f"{int(test.wins)}-{int(test.losses)}", f"{test.p_value:.2g}"]
    coverage = " / ".join(f"{means[place][change].mean():.1f}" for place in "abc")
    seconds = f"{(means['seconds'][change] / means['seconds'][DEFAULT]).median():.2f}"
    return [f"{means['r2'][change].mean():.2f}", *row, f"{means['pinball'][change].mean():.2f}", coverage, seconds]


def show(path, role):
    lines = [line for line in read(path) if role_of(line["set"]) == role]
    if not lines:
        sys.exit(f"{path.name} has no records of {role} sets: --run FILE.jsonl --role {role} makes some.")
    found, ours = {line["change"] for line in lines}, {line["set"] for line in lines}
    changes = [c for c in dict.fromkeys([DEFAULT, *CHANGES, *sorted(found)]) if c in found]
    named = {c: "the default" if c == DEFAULT else CHANGES.get(c, f"`{c}`") for c in changes}
    print(f"{len(ours)} {role} sets, {len(lines)} fits")
    head = ["recipe", "R2, points", "difference", "better-worse", "p", "pinball loss"]
    head += ["coverage of 80 / 90 / 95 %", "seconds, ratio"]
    on_tables = [c for c in changes if any(line["change"] == c and "excess" not in line for line in lines)]
    print_rows(head, [[named[c], *compared(lines, c)] for c in on_tables])
    for rows in sorted({int(name.rpartition("-")[2]) for name in ours if is_synthetic(name)}):
        show_problems(
            [line for line in lines if is_synthetic(line["set"]) and line["set"].endswith(f"-{rows}")], named, rows
        )


def show_problems(lines, named, rows):
    """Excess of every problem in % of its noise, and how long it took."""
    frame = pd.DataFrame(lines)
    means = 100 * frame.groupby(["set", "change"])["excess"].mean().unstack()
    seconds = frame.groupby(["set", "change"])["seconds"].mean().unstack()
    problems = [name.rpartition("-")[0] for name in means.index]
    of = [c for c in named if c in means]
    cells = [[*(f"{x:.1f}" for x in means[c]), f"{(seconds[c] / seconds[DEFAULT]).median():.2f}"] for c in of]
    head = [f"excess in % of the noise, N = {rows:,}", *problems, "seconds, ratio"]
    print_rows(head, [[named[c], *row] for c, row in zip(of, cells, strict=True)])


def is_synthetic(name):
    return name.rpartition("-")[0] in list_regression("generated")


def role_of(name):
    return regression_info(name.rpartition("-")[0] if is_synthetic(name) else name).role


def arguments_of(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", metavar="FILE", type=Path, help="fit what this file of lines lacks")
    parser.add_argument("--show", metavar="FILE", type=Path, default=COMMITTED, help="the table of another file")
    parser.add_argument("--confirmed", action="store_true", help="the table of the sets that confirm")
    parser.add_argument("--role", choices=("choosing", "confirming"), default="choosing")
    parser.add_argument("--changes", nargs="+", metavar="CHANGE", help='of the recipe, like "dict(trends=())"')
    parser.add_argument("--sample-rows", type=int, default=SAMPLE_ROWS, metavar="N", help="rows of the generated sets")
    parser.add_argument("--data-home", metavar="FOLDER", type=Path, help="where exported sets are looked for first")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="most repeats")
    parser.add_argument("--jobs", type=int, default=1, help="fits at a time")
    return parser.parse_args(words)


def main():
    arguments = arguments_of()
    if arguments.run:
        run_missing(arguments)
    show(arguments.run or arguments.show, "confirming" if arguments.confirmed else arguments.role)


if __name__ == "__main__":
    main()
