"""How accurate the free-energy classifier is, from records of fits on the paper's data sets.

    make bench-accuracy                                                       # benchmarks/tables/accuracy.md
    python benchmarks/accuracy.py --run FOLDER --data-home DATA --jobs 16     # fits what FOLDER lacks, then its tables
    python benchmarks/accuracy.py --compare RECORDS                           # other records against the committed ones
    python benchmarks/accuracy.py --time                                      # seconds of a fit
    python benchmarks/accuracy.py --ablation                                  # one ingredient changed at a time
    python benchmarks/accuracy.py --ablation FOLDER --data-home DATA --jobs 2 # the same, made anew

Every table compares methods only on splits that all of its methods have. "honest" chooses k without the test half;
"paper" takes the best of k = 1..40 on every test half; "one-k" the best k for all halves of a set.
"""

from resuming import one_thread_each, print_rows

one_thread_each()

import argparse
import time
import warnings
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scikit_posthocs import posthoc_nemenyi_friedman
from sklearn.datasets import make_classification
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.preprocessing import MinMaxScaler

from freemetric import FreeEnergyClassifier, Recipe
from freemetric.bench.protocol import halves, probability_scores
from freemetric.bench.records import BenchJob, Record, read_all
from freemetric.bench.results import PROTOCOLS, load_compact, mean_errors, save_compact
from freemetric.bench.runner import RunOptions, plan, run
from freemetric.bench.stats import DECIMALS, critical_difference, summarise, wilcoxon
from freemetric.datasets import info, list_datasets, load
from freemetric.extras import versions
from freemetric.learners import PAPER

HERE = Path(__file__).parent
COMMITTED = (HERE / "paper" / "records.jsonl.gz", HERE / "accuracy" / "references.jsonl.gz")
ABLATION = HERE / "accuracy" / "ablation.jsonl.gz"
OURS = "free-energy"
SHOWN = (OURS, "rf", "hist-boosting", "svm", "logistic", "nca", "euclidean")
NCA5 = "nca, k = 5"
OTHERS = (*SHOWN[1:-1], NCA5, SHOWN[-1])
METRICS = (OURS, "rf", *PAPER)
SMALL = 3000  # samples; larger sets have one repeat
REPEATS, REPEATS_LARGE = 5, 1
MOST_ABLATED = 700  # samples
REPEAT_GROUPS = {"repeats 0 to 2": (0, 1, 2), "repeats 3 and 4": (3, 4)}


# --- records


def on_common_splits(records, methods):
    """The records of these methods on the splits where all of them have one."""
    splits = defaultdict(set)
    for record in records:
        if not record.failure:
            splits[record.job.method].add((record.job.dataset, record.job.repeat, record.job.fold))
    common = set.intersection(*(splits[method] for method in methods))
    return [r for r in records if r.job.method in methods and (r.job.dataset, r.job.repeat, r.job.fold) in common]


def sizes(records):
    """Samples of every data set; the training halves of one repeat add up to all."""
    halves_of = {(r.job.dataset, r.job.fold): r.shape[0] for r in records}
    return pd.Series(halves_of).groupby(level=0).sum()


def with_five_neighbors(records):
    """NCA once more, with scikit-learn's default k = 5."""
    return records + [
        replace(r, job=replace(r.job, method=NCA5), honest_error=r.errors[4], errors=r.errors[4:5])
        for r in records
        if r.job.method == "nca"
    ]


def groups(records):
    """Names of the data sets by group: the smaller ones, then all."""
    n_samples = sizes(records)
    small = n_samples.index[n_samples < SMALL]
    return {f"{len(small)} sets under {SMALL:,} samples": small, f"all {len(n_samples)} sets": n_samples.index}


# --- tables


def errors_by_set(records):
    errors, n_samples = mean_errors(records, "honest")[list(SHOWN)], sizes(records)
    shapes = {r.job.dataset: r.shape for r in records}
    repeats = Counter(name for name, _ in {(r.job.dataset, r.job.repeat) for r in records})
    rows = []
    for name in sorted(errors.index):
        cells = [f"**{e:.2f}**" if e <= errors.loc[name].min() + 1e-6 else f"{e:.2f}" for e in errors.loc[name]]
        rows.append([name, n_samples[name], *shapes[name][1:], repeats[name], *cells])
    lowest = errors.le(errors.min(axis=1) + 1e-6, axis=0).sum()
    rows.append(["sets with the lowest error", *[""] * 4, *lowest])
    print_rows(["honest error in %", "samples", "features", "classes", "repeats", *SHOWN], rows)


def means(records):
    rows = []
    for protocol in ("honest", "paper"):
        for name, errors in by_group(records, protocol).items():
            rows.append([name, *(f"{e:.2f}" for e in errors[[OURS, *OTHERS]].mean())])
    print_rows(["mean error in %", OURS, *OTHERS], rows)


def against_others(title, columns):
    """Our mean difference to every other method, wins-ties-losses and Wilcoxon's p, for each column's errors."""
    rows = []
    for method in OTHERS:
        row = [method]
        for errors in columns.values():
            test = wilcoxon(errors[[OURS, method]], OURS).loc[method]
            difference = (errors[OURS] - errors[method]).mean()
            row.append(f"{difference:+.2f}, {test.wins:.0f}-{test.ties:.0f}-{test.losses:.0f}, p = {test.p_value:.2g}")
        rows.append(row)
    print_rows([title, *columns], rows)


def by_group(records, protocol):
    errors = mean_errors(records, protocol)
    return {f"{protocol}, {group}": errors.loc[names] for group, names in groups(records).items()}


def by_repeats(records):
    """Honest errors on the smaller sets, apart for the repeats that choices were made on and the others."""
    _, small = next(iter(groups(records).items()))
    some = {name: [r for r in records if r.job.repeat in chosen] for name, chosen in REPEAT_GROUPS.items()}
    return {name: mean_errors(part, "honest").reindex(small) for name, part in some.items() if part}


def ranks(records, methods):
    """Average ranks under all three protocols, Nemenyi's p of ours against every other, and the mean honest error."""
    cells, largest, means = defaultdict(list), [], mean_errors(records, "honest").mean()
    for protocol in PROTOCOLS:
        errors = mean_errors(records, protocol)[list(methods)].round(DECIMALS)
        rank, p = summarise(errors).table["rank"], posthoc_nemenyi_friedman(errors)[OURS]
        for method in methods:
            cells[method] += [f"{rank[method]:.2f}", "" if method == OURS else f"{p[method]:.2g}"]
        worst = p.drop([OURS, "rf"]).idxmax()
        largest.append(f"{protocol} {p[worst]:.2g} ({worst})")
    rows = sorted(([m, *row, f"{means[m]:.2f}"] for m, row in cells.items()), key=lambda row: float(row[1]))
    columns = [name for protocol in PROTOCOLS for name in (f"{protocol}: rank", "p")]
    print_rows([f"{len(errors)} sets", *columns, "honest: mean error in %"], rows)
    print(f"\ncritical difference of Nemenyi at 0.05: {critical_difference(len(methods), len(errors)):.2f}")
    print(f"largest p against another metric: {', '.join(largest)}")


def mean_of(records, field):
    """Mean of a field over the splits of a set, a DataFrame (data sets x methods)."""
    cells = defaultdict(list)
    for record in records:
        cells[record.job.dataset, record.job.method].append(getattr(record, field))
    return pd.Series({key: np.mean(np.array(values, dtype=float)) for key, values in cells.items()}).unstack()


def probabilities(records):
    rows = []
    for field in ("brier", "log_loss"):
        table = mean_of(records, field)
        for group, names in groups(records).items():
            some = table.loc[names, list(SHOWN[:3])]
            p = wilcoxon(100 * some, OURS)["p_value"]  # its ties are those of errors in %
            rows.append([f"{field}, {group}", *(f"{x:.4f}" for x in some.mean()), *(f"{p[m]:.2g}" for m in SHOWN[1:3])])
    print_rows(["mean", *SHOWN[:3], *(f"p of {OURS} against {m}" for m in SHOWN[1:3])], rows)


def seconds(records):
    group, names = next(iter(groups(records).items()))
    table = mean_of(records, "seconds").loc[names, list(SHOWN)]
    print_rows(["seconds per split", *SHOWN], [[group, *(f"{s:.2f}" for s in table.mean())]])


def targets(records):
    """What was asked for beforehand, and what came out."""
    honest, paper = (mean_errors(records, protocol) for protocol in ("honest", "paper"))
    (_, small), (_, everything) = groups(records).items()
    rows = []

    def row(what, value, wanted, reached, form=".2f"):
        rows.append([what, f"{value:{form}}", wanted, "reached" if reached else "MISSED"])

    for names, wanted, highest in ((small, 1.0, 12.9), (everything, 0.0, 13.0)):
        some = honest.loc[names]
        mean, p = some.mean(), wilcoxon(some, OURS)["p_value"]
        row(f"honest, {len(names)} sets", mean[OURS], f"<= {highest}", mean[OURS] <= highest, ".3f")
        below = mean["rf"] - mean[OURS]
        row(f"honest, points below rf, {len(names)} sets", below, f">= {wanted}" if wanted else "> 0", below > wanted)
        row(f"its Wilcoxon p, {len(names)} sets", p["rf"], "< 0.05", p["rf"] < 0.05, ".2g")
        for name, label in (("nca", "k by inner folds"), (NCA5, "k = 5")):
            below = mean[name] - mean[OURS]
            row(f"honest, points below NCA + k-NN, {label}, {len(names)} sets", below, ">= 3", below >= 3)
        mean = paper.loc[names].mean()
        row(f"paper protocol, {len(names)} sets", mean[OURS], "<= 13.5", mean[OURS] <= 13.5)
        for field in ("brier", "log_loss"):
            mean = mean_of(records, field).loc[names].mean()
            below = mean["rf"] - mean[OURS]
            row(f"{field} below rf's, {len(names)} sets", below, ">= 0", below >= 0, ".4f")
    print_rows(["target", "measured", "wanted", ""], rows)


def tables(records):
    shown = on_common_splits(records, SHOWN)
    errors_by_set(shown)
    shown = with_five_neighbors(shown)
    means(shown)
    for protocol in ("honest", "paper"):
        against_others(f"{OURS} against", by_group(shown, protocol))
    against_others(f"honest, {OURS} against", by_repeats(shown))
    for methods in (METRICS, (*METRICS, "dmlfe-paper")):
        if some := on_common_splits(records, methods):
            ranks(some, methods)
    probabilities(shown)
    seconds(shown)
    targets(shown)


def compare(path):
    """Records of a folder or a compact file against the committed ones, split by split, for every method of both."""
    new = read_all(path)[0] if path.is_dir() else load_compact(path)
    splits = {(r.job.dataset, r.job.method, r.job.repeat, r.job.fold) for r in new if not r.failure}
    old = [r for r in committed() if (r.job.dataset, r.job.method, r.job.repeat, r.job.fold) in splits]
    rows = []
    for method in dict.fromkeys(r.job.method for r in new):
        for field, digits, scale in (("honest_error", 2, 1), ("brier", 4, 100)):
            pair = pd.DataFrame({"committed": mean_of(old, field)[method], "new": mean_of(new, field)[method]}).dropna()
            test = wilcoxon(scale * pair, "new").loc["committed"]
            means = [f"{pair[name].mean():.{digits}f}" for name in pair]
            change = f"{(pair['new'] - pair['committed']).mean():+.{digits}f}"
            wins = f"{test.wins:.0f}-{test.ties:.0f}-{test.losses:.0f}"
            rows.append([method, field, len(pair), *means, change, wins, f"{test.p_value:.2g}"])
    print_rows(["method", "mean", "sets", "committed", "new", "difference", "wins-ties-losses", "Wilcoxon p"], rows)


def committed():
    return [record for path in COMMITTED for record in load_compact(path)]


def fit_missing(arguments):
    """Records in the folder: five repeats, one for large sets."""
    jobs = []
    for name in arguments.datasets or list_datasets():
        repeats = REPEATS if info(name).rows < SMALL else REPEATS_LARGE
        jobs += plan([name], dict.fromkeys((*SHOWN, *METRICS)), repeats)
    options = RunOptions(data_home=arguments.data_home, device=arguments.device)
    report = run(jobs, arguments.run, options, n_jobs=arguments.jobs)
    for line in report.problems:
        print(line)
    return read_all(arguments.run)[0]


# --- seconds of a fit


def scaled_problem(N, d):
    X, y = make_classification(N, d, n_informative=min(10, d - 2), n_classes=4, random_state=0)
    return MinMaxScaler().fit_transform(X), y


def timed(model, X, y):
    """Seconds of processor time; on one thread these are seconds, whatever else the machine does."""
    start = time.process_time()
    model.fit(X, y)
    return time.process_time() - start


def fit_times(repetitions=5):
    """One thread, one run; the two take turns, so that both meet the same machine."""
    X, y = scaled_problem(1000, 30)
    timed(FreeEnergyClassifier(random_state=0), X[:100], y[:100])  # loads compiled kernels
    pairs = [
        (
            timed(FreeEnergyClassifier(random_state=seed), X, y),
            timed(NeighborhoodComponentsAnalysis(random_state=seed), X, y),
        )
        for seed in range(repetitions)
    ]
    ours, theirs = np.median(pairs, axis=0)
    cells = [f"{ours:.1f} s", f"{theirs:.1f} s", f"{ours / theirs:.1f}", "<= 10"]
    print_rows(["1000 x 30, 4 classes", f"{OURS}", "one NCA of scikit-learn", "ratio", "wanted"], [["median", *cells]])
    Ns = (250, 500, 1000, 2000, 4000)
    times = [timed(FreeEnergyClassifier(random_state=0), *scaled_problem(N, 10)) for N in Ns]
    growth = [f"{np.log(b / a) / np.log(2):.1f}" for a, b in pairwise(times)]
    rows = [["seconds", *(f"{t:.2f}" for t in times)], ["power of N", "", *growth]]
    print_rows(["N x 10, 4 classes", *map(str, Ns)], rows)


# --- ablation


def without(part):
    return Recipe(candidates=tuple(kind for kind in Recipe().candidates if part not in kind))


def only(part):
    return Recipe(candidates=tuple(kind for kind in Recipe().candidates if part in kind))


VARIANTS = {
    "default": Recipe(),
    "another seed": Recipe(),
    "plain k-NN only": only("identity"),
    "without steps": without("steps"),
    "without quantiles": without("quantiles"),
    "scaled full only": Recipe(candidates=("scaled/full",)),
    "diagonal only": only("diagonal"),
    "without NCA's energy": without("nca"),
    "no other temperatures": Recipe(other_temperatures=False),
    "45 replicas": Recipe(n_replicas=45),
    "180 replicas": Recipe(n_replicas=180),
    "25 steps": Recipe(n_steps=25),
    "first time step not halved": Recipe(caution=1.0),
    "independent halves": Recipe(complementary_bags=False),
    "best candidate only": Recipe(selection_temperature=1e-6),
    "k = 5": Recipe(n_neighbors=(5,)),
    "no calibration": Recipe(calibration="none"),
    "calibration without bias": Recipe(calibration="slope"),
    "votes alone": Recipe(densities=()),
    "votes and wells": Recipe(densities=("student-t",)),
    "votes and mean fields": Recipe(densities=("naive-bayes", "screened-naive-bayes")),
    "without screening": Recipe(densities=("student-t", "naive-bayes")),
    "with whitened kinds": Recipe(candidates=(*Recipe().candidates, "whitened/diagonal", "whitened/full")),
}
"""Recipes, each with one ingredient changed."""


def fit_variant(job, folder, data_home, device):
    """One fit of one variant, recorded; nothing if it has been made."""
    if job.path(folder).exists():
        return
    data = load(job.dataset, data_home)
    X, y = data.X, data.y
    train, test = halves(y, job.repeat)[job.fold]
    seed = job.fold + (1000 if job.method == "another seed" else 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        model = FreeEnergyClassifier(recipe=VARIANTS[job.method], device=device, random_state=seed)
        P = model.fit(X[train], y[train]).predict_proba(X[test])
        taken = time.perf_counter() - start
    error = round(100 * float(np.mean(P.argmax(axis=1) != y[test])), 6)
    shape = (len(train), X.shape[1], P.shape[1])
    scores = probability_scores(P, y[test])
    Record(job, [error], None, error, **scores, seconds=taken, shape=shape, versions=versions()).write(folder)


def fit_ablation(arguments):
    """Records in the folder: every variant on the two halves of one repeat of the small sets."""
    names = [name for name in arguments.datasets or list_datasets() if info(name).rows <= MOST_ABLATED]
    jobs = [BenchJob(name, variant, 0, fold, "ablation") for variant in VARIANTS for name in names for fold in range(2)]
    make = delayed(fit_variant)
    Parallel(n_jobs=arguments.jobs, batch_size=1)(
        make(job, arguments.ablation, arguments.data_home, arguments.device) for job in jobs
    )
    return read_all(arguments.ablation)[0]


def ablation(arguments):
    """The records of a compact file, or of a folder that is first completed."""
    records = load_compact(arguments.ablation) if arguments.ablation.suffix == ".gz" else fit_ablation(arguments)
    if arguments.save:
        save_compact(records, arguments.save)
    ablation_table([r for r in records if not arguments.datasets or r.job.dataset in arguments.datasets])


def ablation_table(records):
    errors, brier = (mean_of(records, field) for field in ("honest_error", "brier"))
    rows = [["default", f"{errors['default'].mean():.2f}", "", f"{brier['default'].mean():.4f}", "", ""]]
    for variant in list(VARIANTS)[1:]:
        row = [variant]
        for table, digits, scale in ((errors, 2, 1), (brier, 4, 100)):
            test = wilcoxon(scale * table[["default", variant]], "default").loc[variant]  # the default's wins
            difference = (table[variant] - table["default"]).mean()
            better_equal_worse = f"{test.losses:.0f}-{test.ties:.0f}-{test.wins:.0f}"
            row += [f"{table[variant].mean():.{digits}f}"]
            row += [f"{difference:+.{digits}f}, {better_equal_worse}, p = {test.p_value:.2g}"]
        change = errors[variant] - errors["default"]
        most = change.abs().idxmax()
        rows.append([*row, f"{most} {change[most]:+.2f}"])
    columns = ["error in %", "against the default", "Brier", "against the default", "error changes most"]
    print_rows([f"{len(errors)} sets, 1 x 2 splits", *columns], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", metavar="FOLDER", type=Path, help="fit what this folder of records lacks; its tables")
    parser.add_argument("--compare", metavar="RECORDS", type=Path, help="these records against the committed ones")
    parser.add_argument("--time", action="store_true", help="seconds of a fit beside scikit-learn's NCA, one thread")
    parser.add_argument(
        "--ablation",
        metavar="RECORDS",
        nargs="?",
        type=Path,
        const=ABLATION,
        help="one ingredient changed at a time: the committed fits, those of a file, or a folder that is completed",
    )
    parser.add_argument("--save", metavar="FILE", type=Path, help="put the records of the ablation into one file")
    parser.add_argument("--data-home", metavar="DATA", type=Path, help="where data sets are looked for first")
    parser.add_argument("--datasets", nargs="+", metavar="NAME", help="only these")
    parser.add_argument("--jobs", type=int, default=1, help="fits at a time")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    arguments = parser.parse_args()
    if arguments.time:
        fit_times()
    elif arguments.compare:
        compare(arguments.compare)
    elif arguments.ablation:
        ablation(arguments)
    elif arguments.run:
        tables(fit_missing(arguments))
    else:
        tables(committed())


if __name__ == "__main__":
    main()
