"""Tables of the comparison with methods from outside, in markdown: pure functions of records."""

from operator import attrgetter

import numpy as np
import pandas as pd
from resuming import print_rows
from standing import duels, elo, elo_interval, holm

from freemetric.bench.results import MEASURES
from freemetric.bench.stats import wilcoxon

FOREST = "rf"  # its default is rated 1000
FIELDS = {"honest_error": ("error in %", 2, 1), "brier": ("Brier score", 4, 100), "log_loss": ("log loss", 4, 100)}
"""What is compared: its name, its decimals, and the factor that makes it a percentage, whose ties are rounded.

A field of records, or a name in ``MEASURES``. The first decides which method is ahead.
"""


def by_split(records, field):
    """A field of all records: a DataFrame (splits x methods) of the splits where every method with the field has it."""
    of = MEASURES[field].of if field in MEASURES else attrgetter(field)
    cells = {
        (r.job.dataset, r.job.repeat, r.job.fold, r.job.method): of(r)
        for r in records
        if not r.failure and of(r) is not None
    }
    if not cells:
        return pd.DataFrame()
    table = pd.Series(cells, dtype=float).unstack()
    order = list(dict.fromkeys(r.job.method for r in records))
    return table[[method for method in order if method in table]].dropna()


def common(records, field="honest_error"):
    """Records on the splits that all methods have."""
    splits = by_split(records, field).index
    return [r for r in records if (r.job.dataset, r.job.repeat, r.job.fold) in splits]


def by_set(records, field):
    return by_split(records, field).groupby(level=0).mean()


def means(records, fields=FIELDS, title="mean"):
    """Mean over sets of everything, and the mean rank; a set with the lowest error counts for all who have it."""
    tables = {field: by_set(records, field) for field in (*fields, "seconds")}
    errors = tables[next(iter(fields))]
    ranks = errors.round(6).rank(axis=1).mean()
    lowest = errors.le(errors.min(axis=1) + 1e-6, axis=0).sum()
    rows = []
    for method in errors.mean().sort_values().index:
        cells = [f"{tables[f][method].mean():.{fields[f][1]}f}" if method in tables[f] else "" for f in fields]
        rows.append([method, *cells, f"{ranks[method]:.2f}", lowest[method], f"{tables['seconds'][method].mean():.1f}"])
    names = [name for name, _, _ in fields.values()]
    print_rows([f"{title} over {len(errors)} sets", *names, "mean rank", "lowest error on", "seconds"], rows)


def against(records, ours, fields=FIELDS, title=""):
    """Ours less each other, sets won-tied-lost by ours, and Wilcoxon's p, corrected for the number of others."""
    columns = {field: _tests(by_set(records, field), ours, *fields[field][1:]) for field in fields}
    others = [method for method in by_set(records, next(iter(fields))) if method != ours]
    rows = [[method, *(columns[field].get(method, "") for field in fields)] for method in others]
    print_rows([f"{title}{ours} against", *(name for name, _, _ in fields.values())], rows)


def _tests(table, ours, digits, scale):
    tests = wilcoxon(scale * table, ours)
    corrected = dict(zip(tests.index, holm(tests["p_value"]), strict=True))
    cells = {}
    for method, test in tests.iterrows():
        difference = (table[ours] - table[method]).mean()
        counts = f"{test.wins:.0f}-{test.ties:.0f}-{test.losses:.0f}"
        p_values = f"p = {test.p_value:.2g}, Holm {corrected[method]:.2g}"
        cells[method] = f"{difference:+.{digits}f}, {counts}, {p_values}"
    return cells


def standings(records, fields=FIELDS, forest=FOREST):
    """Duels split by split, every set counting once: wins against the forest, and Elo with the forest at 1000."""
    head, columns, methods = ["wins on the same splits"], [], []
    for field, (name, _, _) in fields.items():
        scores = by_split(records, field)
        if forest not in scores:
            continue
        names, won = list(scores), duels(scores)
        anchor = names.index(forest)
        ratings, (low, high) = elo(won.sum(axis=0), anchor), elo_interval(won, anchor)
        share = 100 * won.mean(axis=0)[:, anchor]
        head += [f"{name}: % of splits won against {forest}", "Elo"]
        columns.append({m: (f"{share[i]:.0f}", _rating(ratings, low, high, i)) for i, m in enumerate(names)})
        columns[-1][forest] = ("", "1000")
        methods = methods or [names[i] for i in np.argsort(-ratings)]
    if methods:
        print_rows(head, [[m, *(cell for column in columns for cell in column.get(m, ("", "")))] for m in methods])


def _rating(ratings, low, high, i):
    return f"{ratings[i]:.0f} ({low[i]:.0f} to {high[i]:.0f})"


def tables(records, ours):
    records = common(records)
    if not records:
        print("No split has a record of every method.")
        return
    splits = by_split(records, "honest_error").index
    print(f"{len(splits)} splits of {splits.get_level_values(0).nunique()} sets, which all methods have")
    means(records)
    against(records, ours)
    standings(records)
