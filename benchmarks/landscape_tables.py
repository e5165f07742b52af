"""Tables and figures of the landscape study, from its records alone.

    python benchmarks/landscape_tables.py                    # the tables of the pages
    python benchmarks/landscape_tables.py --figures FOLDER   # landscape-ends.png, -overlaps.png and -temperatures.png

``benchmarks/landscape.py`` says what was measured.
"""

import argparse
import gzip
import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from landscape import SAME_ENERGY, SEARCHES
from landscape_temperatures import TEMPERATURES
from scipy.stats import spearmanr

from freemetric.bench.figures import save

COMMITTED = Path(__file__).parent / "landscape.jsonl.gz"
MOST_R_HAT = 1.1
COLD_RUNG = 4  # 1e-4, the temperature of DMLFE
FLOOR = 1e-6  # of energies that are drawn


def committed(path=COMMITTED):
    """Records by set and method, of the first half; those of the published setting under "paper"."""
    content, found = path.read_bytes(), {}
    for record in map(json.loads, (gzip.decompress(content) if path.suffix == ".gz" else content).splitlines()):
        if record["job"]["repeat"] in (0, "paper"):
            found.setdefault(record["job"]["set"], {})[record["method"]] = record
    return found


def complete(found):
    """The sets with all records."""
    return {name: of_set for name, of_set in found.items() if "temperatures" in of_set}


def lowest_of(of_set):
    """The lowest energy that any search has found, after a descent from there."""
    return min(of_set[name]["polished"] for name in ("L-BFGS", *SEARCHES))


def ruggedness(of_set):
    """Of the descents: how many reach the lowest energy, how alike their ends are, and what low energy is worth."""
    record, ends, low = of_set["minima"], np.asarray(of_set["L-BFGS"]["energy"]), lowest_of(of_set)
    error = np.asarray(of_set["L-BFGS"]["test_energy"])
    varied = np.ptp(ends) > SAME_ENERGY and np.ptp(error) > 0
    return {
        "reach": np.mean(ends <= low + SAME_ENERGY),
        "overlap": record["overlap_of_ends"][2],
        "pass": max(record["barrier"], default=0.0),
        "rank": spearmanr(ends, error).statistic if varied else np.nan,
        "lowest": error[ends.argmin()],
        "median": np.median(error),
    }


def above(of_set, method):
    """The lowest energy of a search above the lowest of all, in units of 1e-4, the temperature of DMLFE."""
    return 1e4 * max(0.0, min(of_set[method]["energy"]) - lowest_of(of_set))


def minima_rows(found):
    """Minima that descents find, passes between them, and what the searches reach in equal time."""
    yield ["set", "N", "d", "seconds", "starts", "basins", "reach", "q", "pass", *("L-BFGS", *SEARCHES)]
    for name, of_set in found.items():
        record, row = of_set["minima"], ruggedness(of_set)
        facts = [record["samples"], record["features"], f"{of_set['L-BFGS']['seconds']:.1f}", record["starts"]]
        shape = [record["basins"], f"{row['reach']:.0%}", f"{row['overlap']:.2f}", f"{1e4 * row['pass']:.1f}"]
        yield [name, *facts, *shape, *(f"{above(of_set, method):.1f}" for method in ("L-BFGS", *SEARCHES))]
    every = ("L-BFGS", *SEARCHES)
    medians = [np.median([above(of_set, method) for of_set in found.values()]) for method in every]
    yield ["median", *[""] * 8, *(f"{value:.1f}" for value in medians)]
    same = [
        [of_set[method]["polished"] <= lowest_of(of_set) + SAME_ENERGY for method in every] for of_set in found.values()
    ]
    yield ["sets where lowest", *[""] * 8, *(f"{n}" for n in np.sum(same, axis=0))]


def temperature_rows(found):
    """Test errors of minima and of samples at temperatures; heat capacity; overlaps."""
    yield [
        *("set", "rank", "median", "lowest", "best", "at", "one", "all", "at", "most C at", "C/n", "q hot", "q cold"),
        "R-hat",
    ]
    for name, of_set in found.items():
        record, row = of_set["temperatures"], ruggedness(of_set)
        T, expected = np.asarray(record["temperature"]), np.asarray(record["test_energy"])
        of_mean, C = np.asarray(record["test_error_of_mean"]), np.asarray(record["heat_capacity_within"])
        mixed, best = np.asarray(record["r_hat"]) < MOST_R_HAT, of_mean.argmin()
        peak = np.where(mixed, C, -1).argmax()
        rank = "-" if np.isnan(row["rank"]) else f"{row['rank']:+.2f}"
        errors = [row["median"], row["lowest"], expected.min()]
        yield [
            *(name, rank, *(f"{error:.1f}" for error in errors), f"{T[expected.argmin()]:.0e}"),
            *(f"{record['test_error_soft'][best]:.1f}", f"{of_mean[best]:.1f}", f"{T[best]:.0e}"),
            *((f"{T[peak]:.0e}", f"{C[peak] / record['elements']:.2f}") if mixed.any() else ("-", "-")),
            *(f"{record['overlap'][k][2]:.2f}" for k in (0, COLD_RUNG)),
            f"{record['r_hat'][COLD_RUNG]:.2f}",
        ]


def answer_rows(found):
    """What goes with many basins: rank correlations over the sets."""
    rows = [ruggedness(of_set) for of_set in found.values()]
    records = [of_set["minima"] for of_set in found.values()]
    facts = {
        "samples": [record["samples"] for record in records],
        "features": [record["features"] for record in records],
        "samples/feature": [record["samples"] / record["features"] for record in records],
        "lowest energy": [lowest_of(of_set) for of_set in found.values()],
        "expected test error": [row["lowest"] for row in rows],
    }
    crowd = [record["basins"] / record["starts"] for record in records]
    yield ["", "basins/start", "q of ends", "pass"]
    for name, values in facts.items():
        columns = (crowd, [row["overlap"] for row in rows], [row["pass"] for row in rows])
        yield [name, *(f"{spearmanr(values, column).statistic:+.2f}" for column in columns)]


def mean_rows(found):
    """Means of the test errors over all sets, of minima and at every temperature: here no temperature is chosen."""
    yield ["", "expected", "one", "all", "sets with R-hat < 1.1"]
    ends = [(of_set["L-BFGS"], int(np.argmin(of_set["L-BFGS"]["energy"]))) for of_set in found.values()]
    names = ("test_energy", "test_error_soft", "test_error_of_mean")
    yield ["lowest minimum", *(f"{np.mean([end[name][i] for end, i in ends]):.1f}" for name in names[:2]), "-", "-"]
    records = [of_set["temperatures"] for of_set in found.values()]
    for k, T in reversed(list(enumerate(TEMPERATURES))):
        mixed = sum(record["r_hat"][k] < MOST_R_HAT for record in records)
        yield [f"{T:.0e}", *(f"{np.mean([record[name][k] for record in records]):.1f}" for name in names), mixed]


def summary(found):
    """What the low energy of minima and the mean over maps are worth, in sentences."""
    rows = [ruggedness(of_set) for of_set in found.values()]
    ends = [(of_set["L-BFGS"], int(np.argmin(of_set["L-BFGS"]["energy"]))) for of_set in found.values()]
    of_mean = [of_set["temperatures"]["test_error_of_mean"][COLD_RUNG] for of_set in found.values()]
    gain = np.array([row["median"] - row["lowest"] for row in rows])
    averaged = np.array([end["test_error_soft"][i] for end, i in ends]) - of_mean
    better = [m for m in found if above(found[m], "L-BFGS") > above(found[m], "annealing") + 1]
    ranks = [row["rank"] for row in rows]
    return [
        f"Rank correlation of energy and test error: mean {np.nanmean(ranks):.2f}.",
        f"The lowest minimum has {with_error(gain)} points less expected error than the median one.",
        f"The mean of maps at T = 1e-4 has {with_error(averaged)} points less error than the lowest minimum,",
        f"it is better on {np.sum(averaged > 0)} sets and worse on {np.sum(averaged < 0)}.",
        f"Annealing ends lower than all descents on {', '.join(better)}.",
    ]


def with_error(values):
    """Mean and standard error over the sets."""
    return f"{np.mean(values):.1f} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.1f}"


def paper_rows(found):
    """The published setting: median and range of the ends of 20 annealings and 20 quenches."""
    yield ["set", "annealings", "quenches", "quenches-not-above-median"]
    for name, of_set in found.items():
        if "paper" in of_set:
            ends = [np.asarray(of_set["paper"][kind]) for kind in ("annealed", "quenched")]
            cells = [f"{np.median(x):.4f}({x.min():.4f}…{x.max():.4f})" for x in ends]
            yield [name, *cells, f"{np.mean(ends[1] <= np.median(ends[0]) + 1e-6):.0%}"]


def lines_of(rows):
    """A table of Markdown, a line for each row."""
    header, *rows = list(rows)
    return ["|".join(["", *map(str, cells), ""]) for cells in (header, ["---"] * len(header), *rows)]


MARKS = {
    "L-BFGS": ("o", "#1A7FC1"),
    "quenches": ("v", "#E69F00"),
    "annealing": ("s", "#009E73"),
    "tempering": ("D", "#D55E00"),
    "CMA-ES": ("x", "#6B6B6B"),
}


def figures(found, folder):
    """Write a file for every drawing."""
    for name, draw in {"ends": draw_ends, "overlaps": draw_overlaps, "temperatures": draw_temperatures}.items():
        save(draw(found), folder / f"landscape-{name}.png")


def draw_ends(found):
    """Every end of every search, above the lowest energy of its set."""
    order = sorted(found, key=lambda name: ruggedness(found[name])["reach"])
    figure, axes = plt.subplots(figsize=(7.5, 0.26 * len(order) + 1), layout="constrained")
    for shift, (method, (mark, tint)) in enumerate(MARKS.items()):
        for place, name in enumerate(order):
            rise = np.maximum(np.asarray(found[name][method]["energy"]) - lowest_of(found[name]), FLOOR)
            label = method if place == 0 else None
            y = np.full(len(rise), place + 0.15 * (shift - 2))
            axes.plot(rise, y, mark, color=tint, markersize=3, alpha=0.5, linestyle="none", label=label)
    axes.set(xscale="log", xlabel="energy above the lowest of all searches", ylim=(-1, len(order)))
    axes.set_yticks(range(len(order)), order)
    axes.grid(axis="x", alpha=0.3)
    axes.legend(frameon=False, ncols=5, loc="lower center", bbox_to_anchor=(0.5, 1), fontsize="small")
    return figure


def small_multiples(found):
    """A figure with a small panel for every set, and the panels."""
    rows = -(-len(found) // 5)
    figure, axes = plt.subplots(rows, 5, figsize=(9, 1.45 * rows + 0.5), layout="constrained", sharex=True)
    for axis in axes.ravel()[len(found) :]:
        axis.set_visible(False)
    for axis, name in zip(axes.ravel(), found, strict=False):
        axis.set_title(name, fontsize="small")
        axis.tick_params(labelsize="x-small")
    return figure, axes.ravel()[: len(found)]


def draw_overlaps(found):
    """P(q) of two ladders at three temperatures."""
    figure, axes = small_multiples(found)
    centres = (np.arange(20) + 0.5) / 20
    for axis, of_set in zip(axes, found.values(), strict=True):
        record = of_set["temperatures"]
        for k, tint in ((0, "#D55E00"), (2, "#E69F00"), (COLD_RUNG, "#1A7FC1")):
            share = np.asarray(record["histogram"][k]) / np.sum(record["histogram"][k])
            label = f"T = {record['temperature'][k]:.0e}"
            axis.fill_between(centres, share, step="mid", color=tint, alpha=0.5, linewidth=0, label=label)
        axis.set(xlim=(0, 1), yticks=[])
    figure.supxlabel("overlap q of two independent replicas", fontsize="small")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False)
    return figure


def draw_temperatures(found):
    """Expected test error and heat capacity over temperature; large points and C where both ladders agree."""
    figure, axes = small_multiples(found)
    for axis, of_set in zip(axes, found.values(), strict=True):
        record, other = of_set["temperatures"], axis.twinx()
        T, n = record["temperature"], record["elements"]
        (error,) = axis.plot(T, record["test_energy"], color="#1A7FC1", marker=".", label="expected test error in %")
        mixed = np.asarray(record["r_hat"]) < MOST_R_HAT
        heat_capacity = np.where(mixed, np.asarray(record["heat_capacity_within"]) / n, np.nan)
        (heat,) = other.plot(T, heat_capacity, color="#D55E00", linestyle="--", marker="x", label="C per element")
        axis.plot(np.asarray(T)[mixed], np.asarray(record["test_energy"])[mixed], "o", color="#1A7FC1", markersize=4)
        other.set_ylim(0, 0.8)
        other.tick_params(labelsize="x-small", right=False, labelright=False)
        axis.set_xscale("log")
    figure.supxlabel("temperature", fontsize="small")
    figure.legend(handles=[error, heat], loc="outside upper center", ncols=2, frameon=False)
    return figure


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", type=Path, help="folder to draw into")
    parser.add_argument("--records", type=Path, default=COMMITTED)
    given = parser.parse_args()
    found = committed(given.records)
    if given.figures:
        figures(complete(found), given.figures)
    else:
        for rows in (minima_rows, answer_rows, temperature_rows, mean_rows):
            print("", *lines_of(rows(complete(found))), sep="\n")
        print("", *summary(complete(found)), "", *lines_of(paper_rows(found)), sep="\n")
