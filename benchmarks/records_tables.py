"""Tables of records in Markdown, which all comparisons print: pure functions.

A measure is a name of :data:`freemetric.experiments.measures.MEASURES`. Means are over
data sets; a table has only the splits on which all of its methods have a result.
"""

import numpy as np
import pandas as pd
from command import print_table

from freemetric.experiments.measures import MEASURES
from freemetric.experiments.statistics import wilcoxon

DECIMALS = {"brier": 4, "log_loss": 4}
"""Decimals of a mean, where these are not two."""


def by_split(records, value):
    """Return a value of every record, a DataFrame (splits x methods), without gaps."""
    cells = {}
    for record in records:
        found = None if record.failure else value(record)
        if found is not None:
            job = record.job
            cells[job.dataset, job.repeat, job.fold, job.method] = found
    if not cells:
        return pd.DataFrame()
    order = dict.fromkeys(record.job.method for record in records)
    table = pd.Series(cells, dtype=float).unstack()
    return table[[method for method in order if method in table]].dropna()


def by_set(records, value):
    """Return the mean of a value of every data set and method, a DataFrame."""
    value = MEASURES[value][1] if isinstance(value, str) else value
    return by_split(records, value).groupby(level=0).mean()


def seconds(record):
    """Return the seconds of a fit and its predictions."""
    return record.seconds


def shown(value, measure):
    """Return a mean as a text."""
    return f"{value:.{DECIMALS.get(measure, 2)}f}"


def print_means(records, measures, title="mean"):
    """Print means, the mean rank by the first measure, and seconds; the best first."""
    tables = {measure: by_set(records, measure) for measure in measures}
    first = tables[measures[0]]
    ranks = first.round(6).rank(axis=1).mean()
    lowest = first.le(first.min(axis=1) + 1e-6, axis=0).sum()
    took = by_set(records, seconds).mean()
    rows = []
    for method in first.mean().sort_values(kind="stable").index:
        means = [
            shown(tables[m][method].mean(), m) if method in tables[m] else ""
            for m in measures
        ]
        last = [f"{ranks[method]:.2f}", lowest[method], f"{took[method]:.1f}"]
        rows.append([method, *means, *last])
    names = [MEASURES[measure][0] for measure in measures]
    head = [f"{title} over {len(first)} sets", *names, "mean rank", "lowest on"]
    print_table([*head, "seconds"], rows)


def print_against(records, ours, measures, title=""):
    """Print ours less every other method: wins-ties-losses, and p, also by Holm."""
    columns = {m: differences(by_set(records, m), ours, m) for m in measures}
    others = list(columns[measures[0]])
    rows = [[other, *(columns[m].get(other, "") for m in measures)] for other in others]
    names = [MEASURES[measure][0] for measure in measures]
    print_table([f"{title}{ours} against", *names], rows)


def differences(table, ours, measure):
    """Return a text about ours less each other method, by name."""
    # Ties are those of numbers in %, which the test rounds.
    tests = wilcoxon(100 * table, ours)
    corrected = holm(tests["p_value"])
    found = {}
    for (method, test), of_holm in zip(tests.iterrows(), corrected, strict=True):
        difference = (table[ours] - table[method]).mean()
        counts = f"{test.wins:.0f}-{test.ties:.0f}-{test.losses:.0f}"
        text = f"{difference:+.{DECIMALS.get(measure, 2)}f}, {counts}"
        found[method] = f"{text}, p = {test.p_value:.2g}, Holm {of_holm:.2g}"
    return found


def holm(p_values):
    """Return p-values corrected for their number: Holm's step-down."""
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


def print_sets(records, measure, title=""):
    """Print the means of every data set, the lowest in bold."""
    table = by_set(records, measure)
    shapes = {record.job.dataset: record.shape for record in records}
    rows = []
    for name, row in table.iterrows():
        cells = [shown(value, measure) for value in row]
        lowest = row.to_numpy() <= row.min() + 1e-6
        cells = [
            f"**{c}**" if is_low else c for c, is_low in zip(cells, lowest, strict=True)
        ]
        rows.append([name, *shapes[name][:2], *cells])
    head = [f"{title}{MEASURES[measure][0]}", "training samples", "features"]
    print_table([*head, *table], rows)


def print_losses(records, ours, measure, behind, title=""):
    """Print the data sets where another method is ahead of ours by so much."""
    rows = []
    splits = by_split(records, MEASURES[measure][1])
    for name, group in splits.groupby(level=0):
        other = group.drop(columns=ours).mean().idxmin()
        gap = group[ours] - group[other]
        if gap.mean() >= behind:
            error = gap.std(ddof=1) / np.sqrt(len(gap)) if len(gap) > 1 else np.nan
            means = [shown(group[method].mean(), measure) for method in (ours, other)]
            difference = f"{gap.mean():.2f} ± {error:.2f}"
            rows.append([name, means[0], other, means[1], difference, gap.mean()])
    rows.sort(key=lambda row: -row[-1])
    head = [f"{title}where it loses", ours, "best other", "its", "difference"]
    print_table(head, [row[:-1] for row in rows])


def print_versions(records, ours):
    """Print which code has made the records of ours."""
    commits = {r.versions.get("commit", "") for r in records if r.job.method == ours}
    versions = {
        f"commit {commit}"
        if commit
        else "version 0.3.0, before the model was rewritten"
        for commit in commits
    }
    print(f"\nRecords of {ours}: {', '.join(sorted(versions))}.")
