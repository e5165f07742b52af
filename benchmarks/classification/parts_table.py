"""The table of parts.py: what changes without each part, by group of tables."""

from collections import defaultdict

import numpy as np
import pandas as pd
from command import print_table, small_sets
from parts_of_ensembles import CLASSES, NOTHING, NUMBERS, PARTS
from pool import KINDS

from freemetric.experiments.statistics import wilcoxon

SMALL = "the paper's sets under 3,000 samples"
LARGE = "the paper's sets of 3,000 samples and more"
POOL = {kind: f"pool, {title}" for kind, title in KINDS.items()}


def group_of(dataset):
    """Return the group of a table."""
    kind, _, name = dataset.rpartition("/")
    if kind:
        return POOL[kind]
    return SMALL if name in small_sets() else LARGE


def parts_of(group, wanted):
    """Return the parts that are measured on a group."""
    task = NUMBERS if group.endswith(NUMBERS) else CLASSES
    return [
        part
        for part in PARTS
        if part.name in (*wanted, NOTHING)
        and part.task in (task, None)
        and (part.of_large_sets or group != LARGE)
    ]


def losses(records, of):
    """Return the mean loss of every table without every part, a DataFrame."""
    records = [record for record in records if not record.failure]
    cells = [(r.job.dataset, r.job.setting, of(r)) for r in records]
    frame = pd.DataFrame(cells, columns=["table", "part", "loss"])
    return frame.pivot_table(index="table", columns="part", values="loss")


def error(record):
    """Return the error in %, or the unexplained variance in %."""
    if record.r2 is None:
        return record.honest_error
    return 100 * (1 - record.r2)


def brier(record):
    """Return the Brier score in %, NaN of a regression."""
    return np.nan if record.brier is None else 100 * record.brier


def compared(table, part):
    """Return the mean difference without a part, and wins, ties, losses and p."""
    pair = table[[NOTHING, part]].dropna()
    test = wilcoxon(pair, NOTHING).loc[part]
    difference = (pair[part] - pair[NOTHING]).mean()
    counts = f"{test.losses:.0f}-{test.ties:.0f}-{test.wins:.0f}"
    return [f"{difference:+.2f}", counts, f"{test.p_value:.2g}"]


def print_summary(groups):
    """Print the differences of all groups side by side, with p in parentheses."""
    tables = {group: losses(found, error) for group, found in groups.items()}
    rows = []
    for part in (part.name for part in PARTS if part.name != NOTHING):
        cells = []
        for group, table in tables.items():
            has_part = any(part == p.name for p in parts_of(group, table.columns))
            if not has_part or part not in table:
                cells.append("")
                continue
            difference, _, p_value = compared(table, part)
            cells.append(f"{difference} ({p_value})")
        rows.append([part, *cells])
    heads = [f"{group}: {len(table)}" for group, table in tables.items()]
    print_table(["all groups, without", *heads], rows)


def print_parts(records):
    """Print a table of every group: what changes without a part."""
    commits = sorted({record.versions.get("commit", "") for record in records})
    made = "`python benchmarks/classification/parts.py --run FILE`"
    print(f"Records made by {made} at the commits {', '.join(commits)}.")
    groups = defaultdict(list)
    for record in records:
        groups[group_of(record.job.dataset)].append(record)
    for group, some in groups.items():
        error_of, brier_of, seconds = (
            losses(some, of) for of in (error, brier, lambda r: r.seconds)
        )
        is_regression = group.endswith(NUMBERS)
        rows = []
        for part in (p.name for p in parts_of(group, error_of.columns)):
            if part == NOTHING or part not in error_of:
                continue
            of_brier = [] if is_regression else compared(brier_of, part)
            both = seconds[[NOTHING, part]].dropna().sum()
            ratio = f"{both[part] / both[NOTHING]:.2f}"
            rows.append([part, *compared(error_of, part), *of_brier, ratio])
        what = "1 - R2 in %" if is_regression else "error in %"
        counts = "better-equal-worse"
        head = ["without", what, counts, "p"]
        head += [] if is_regression else ["Brier in %", counts, "p"]
        mean = error_of[NOTHING].mean()
        title = f"{group}: {len(error_of)} tables, {what} {mean:.2f} without a change"
        print_table([*head, "time ratio"], rows, title[0].upper() + title[1:])
    print_summary(groups)
