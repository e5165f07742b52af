"""Tables of the comparison of regressors, in markdown: pure functions of records."""

from collections import defaultdict

import numpy as np
import pandas as pd
from resuming import print_rows
from standing import holm

from freemetric.bench.records import INTERVALS
from freemetric.bench.results import MEASURES
from freemetric.bench.stats import critical_difference, friedman, summarise, wilcoxon
from freemetric.datasets import SYNTHETIC, regression_info

COMPARED = {"unexplained": "1 - R2", "mae": "MAE", "pinball": "pinball"}
"""What ranks and tests are about, in % of the variance or of the standard deviation of the target."""

BEHIND = 0.5  # points of R2 that are worth a line


# --- from records to frames


def by_split(records, of):
    """What ``of`` is of every record, a DataFrame (splits x methods), on the splits that all methods have."""
    cells = {(r.job.dataset, r.job.repeat, r.job.fold, r.job.method): of(r) for r in records if not r.failure}
    table = pd.Series(cells, dtype=float).unstack()
    order = list(dict.fromkeys(r.job.method for r in records))
    return table[[method for method in order if method in table]].dropna()


def by_set(records, measure):
    return by_split(records, MEASURES[measure].of).groupby(level=0).mean()


def common(records):
    """Records on the splits that all methods have."""
    splits = set(by_split(records, lambda record: record.rmse).index)
    return [r for r in records if not r.failure and (r.job.dataset, r.job.repeat, r.job.fold) in splits]


def of_interval(records, field, place, unit=lambda record: 1.0):
    """Mean over sets of a coverage or a width, by method."""
    return by_split(records, lambda r: getattr(r, field)[place] / unit(r)).groupby(level=0).mean().mean()


def failures(records):
    failed = [r for r in records if r.failure]
    for record in failed[:20]:
        job = record.job
        print(f"failed: {job.method} on {job.dataset}, repeat {job.repeat}, fold {job.fold}: {record.failure}")
    if len(failed) > 20:
        print(f"... and {len(failed) - 20} more")


# --- tables of the public sets


def standings(records, title):
    """Ranks, scores, and coverage and width of intervals; one row for a method, the best rank first."""
    sets = {measure: by_set(records, measure) for measure in COMPARED}
    ranks = {measure: summarise(table).table["rank"] for measure, table in sets.items()}
    best = sets["unexplained"].rank(axis=1).eq(1).sum()
    coverage = [100 * of_interval(records, "coverage", place) for place in range(3)]
    width = [100 * of_interval(records, "width", place, lambda r: r.spread) for place in range(3)]
    seconds = by_split(records, lambda r: r.seconds).groupby(level=0).mean().mean()
    rows = []
    for method in ranks["unexplained"].sort_values(kind="stable").index:
        rows.append(
            [
                method,
                *(f"{ranks[measure][method]:.2f}" for measure in COMPARED),
                best[method],
                f"{1 - sets['unexplained'][method].mean() / 100:.4f}",
                *(f"{sets[measure][method].mean():.2f}" for measure in ("mae", "pinball")),
                " / ".join(f"{column[method]:.1f}" for column in coverage),
                " / ".join(f"{column[method]:.0f}" for column in width),
                f"{seconds[method]:.1f}",
            ]
        )
    shares = " / ".join(f"{100 * share:.0f}" for share in INTERVALS)
    head = [
        f"{title}, {len(sets['unexplained'])} sets",
        *(f"rank by {words}" for words in COMPARED.values()),
        "best R2 on",
    ]
    head += ["R2", "MAE", "pinball", f"coverage of {shares} % intervals", "interval width", "seconds"]
    print_rows(head, rows)


def against(records, ours, title):
    """Ours less each other, sets won-tied-lost, and p of Wilcoxon's test, alone and corrected by Holm."""
    columns = {measure: _tests(by_set(records, measure), ours) for measure in COMPARED}
    others = list(columns["unexplained"])
    if others:
        rows = [[method, *(columns[measure][method] for measure in COMPARED)] for method in others]
        print_rows([f"{title}: {ours} minus", *COMPARED.values()], rows)


def _tests(table, ours):
    tests = wilcoxon(table, ours)
    corrected = dict(zip(tests.index, holm(tests["p_value"]), strict=True))
    cells = {}
    for method, test in tests.iterrows():
        counts = f"{test.wins:.0f}-{test.ties:.0f}-{test.losses:.0f}"
        p_values = f"p = {test.p_value:.2g}, Holm {corrected[method]:.2g}"
        cells[method] = f"{(table[ours] - table[method]).mean():+.2f}, {counts}, {p_values}"
    return cells


def ranks_differ(records):
    """Friedman's test, and Nemenyi's critical difference of ranks."""
    table = by_set(records, "unexplained")
    n, k = table.shape
    if k > 2 and n > 1:
        test = friedman(table)
        print(f"\nFriedman: chi2 = {test.chi2:.1f}, p = {test.p_value:.2g} ({k} methods, {n} sets)", end="; ")
        print(f"critical difference of ranks at 0.05: {critical_difference(k, n):.2f}")


def sets_table(records, ours):
    """R2 of every method on every set, and where the set belongs."""
    explained = 1 - by_set(records, "unexplained") / 100
    shapes = {r.job.dataset: (2 * r.shape[0], r.shape[1]) for r in records}
    rows = []
    for name, row in explained.iterrows():
        cells = [f"**{value:.3f}**" if value == row.max() else f"{value:.3f}" for value in row]
        rows.append([name, *_facts(name, shapes), *cells])
    print_rows(["R2", "samples", "features", "role", *explained], rows)


def _facts(name, shapes):
    info = regression_info(name)
    return [info.rows if info.problem is None else shapes[name][0], shapes[name][1], info.role]


def losses(records, ours):
    """Sets where another explains more by half a point at least, and by how many standard errors over splits."""
    splits = by_split(records, MEASURES["unexplained"].of)
    rows = []
    for name, group in splits.groupby(level=0):
        other = group.drop(columns=ours).mean().idxmin()
        gap = group[ours] - group[other]
        if gap.mean() >= BEHIND:
            error = gap.std(ddof=1) / np.sqrt(len(gap)) if len(gap) > 1 else np.nan
            explained = [f"{1 - group[method].mean() / 100:.3f}" for method in (ours, other)]
            rows.append([name, regression_info(name).role, explained[0], other, explained[1], gap.mean(), error])
    rows.sort(key=lambda row: -row[5])
    cells = [[*row[:5], f"{row[5]:.2f} ± {row[6]:.2f}"] for row in rows]
    print_rows(["where it loses", "role", f"R2 of {ours}", "best other", "its R2", "points of R2"], cells)


def tables(records, ours):
    """All of them: first over all sets, then apart for those that choose and those that confirm."""
    failures(records)
    records = common(records)
    splits = by_split(records, lambda r: r.rmse).index if records else []
    if not len(splits):
        print("No split has a record of every method.")
        return
    print(f"{len(splits)} splits of {splits.get_level_values(0).nunique()} sets, which all methods have")
    print("MAE, pinball loss and widths are in % of the standard deviation of the target; pinball over nine quantiles.")
    groups = {"all": records}
    for role in ("choosing", "confirming"):
        groups[role] = [r for r in records if regression_info(r.job.dataset).role == role]
    for title, some in groups.items():
        if some:
            standings(some, title)
    has_ours = any(r.job.method == ours for r in records) and len({r.job.method for r in records}) > 1
    for title, some in groups.items():
        if some and has_ours:
            against(some, ours, title)
    ranks_differ(records)
    sets_table(records, ours)
    if has_ours:
        losses(records, ours)


# --- tables of the generated sets


def problem_and_size(record):
    name, _, size = record.job.dataset.rpartition("-")
    return name, int(size)


def by_size(records):
    sizes = defaultdict(list)
    for record in records:
        sizes[problem_and_size(record)[1]].append(record)
    return dict(sorted(sizes.items()))


def excess_summary(sizes):
    rows = []
    for n, records in sizes.items():
        table = by_set(records, "excess")
        lowest = table.rank(axis=1).eq(1).sum()
        rows.append([f"median, N = {n:,}, {len(table)} problems", *(f"{value:.1f}" for value in table.median())])
        rows.append([f"mean rank, N = {n:,}", *(f"{value:.2f}" for value in table.rank(axis=1).mean())])
        rows.append([f"lowest, N = {n:,}", *lowest])
    print_rows(["excess in % of the noise variance", *table], rows)


def excess_by_problem(sizes):
    for n, records in sizes.items():
        table = by_set(records, "excess").rename(index=lambda name: name.rpartition("-")[0])
        rows = []
        for name, row in table.iterrows():
            cells = [f"**{value:.1f}**" if value == row.min() else f"{value:.1f}" for value in row]
            rows.append([name, *cells])
        print_rows([f"excess in % of the noise variance, N = {n:,}", *table], rows)


def coverage_summary(sizes):
    """Mean chance to lie inside, by method, and how far problems are from what they should be, in binomial errors.

    The binomial error of a share p is sqrt(p (1 - p) / n), n the rows learned from in all samples of a problem.
    """
    for place, share in enumerate(INTERVALS):
        rows = []
        for n, records in sizes.items():
            table = by_split(records, lambda r, place=place: r.coverage[place])
            samples, means = table.groupby(level=0).size(), table.groupby(level=0).mean()
            errors = np.sqrt(share * (1 - share) / (n * samples))
            off = (means - share).div(errors, axis=0)
            rows.append([f"N = {n:,}", *(f"{100 * value:.1f}" for value in means.mean())])
            within = [f"{count} of {len(off)}" for count in (off.abs() <= 2).sum()]
            rows.append([f"problems within two binomial errors, N = {n:,}", *within])
        print_rows([f"coverage of {100 * share:.0f} % intervals", *means], rows)


def coverage_where_noise_varies(sizes):
    """Chance of 90 % intervals to hold a target where there is least noise, and where there is most."""
    rows = []
    for n, records in sizes.items():
        some = [r for r in records if SYNTHETIC[problem_and_size(r)[0]].noise_varies]
        parts = {
            f"{what} noise": by_split(some, lambda r, field=field: getattr(r, field)[1]).groupby(level=0).mean()
            for what, field in {"least": "coverage_quiet", "most": "coverage_loud"}.items()
            if some
        }
        for part, table in parts.items():
            for name, row in table.iterrows():
                rows.append([name.rpartition("-")[0], f"{n:,}", part, *(f"{100 * value:.1f}" for value in row)])
    if rows:
        print_rows(["coverage of 90 % intervals", "N", "where", *table], sorted(rows, key=_by_problem))


def _by_problem(row):
    name, n, where = row[:3]
    return name, int(n.replace(",", "")), where


def noise_tables(records, ours):
    failures(records)
    sizes = {n: some for n, group in by_size(records).items() if (some := common(group))}
    if not sizes:
        print("No sample has a record of every method.")
        return
    excess_summary(sizes)
    excess_by_problem(sizes)
    coverage_summary(sizes)
    coverage_where_noise_varies(sizes)
